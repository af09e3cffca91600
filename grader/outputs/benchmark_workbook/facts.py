"""What the sheet About says of a benchmark: how to review it, the run, counts, settings, files; writes no sheet."""

from __future__ import annotations

from collections.abc import Mapping

from grader.outputs.benchmark_workbook.survey import Survey
from grader.outputs.benchmark_workbook.weights_sheet import shown_value
from grader.records import CallTotals, format_number

_STEPS = {
    "1. Look": "Open the sheet Items. Filter by Status, Accuracy verdict or ESI to find what matters to you.",
    "2. Enter": "Where you disagree with a judge, choose correct or not correct in the yellow column Expert "
    "accuracy, or enter a number from 0 to 100 in Expert integrity. Where they are empty, the judges' values count. "
    "Where a judge failed, your value takes its place.",
    "3. Comment": "Say why in Expert comment, if you like.",
    "4. See": "The final columns, the ESI and the sheet Matrix follow at once; so they do when you change a number on "
    "Weights.",
    "5. Return": "Save the workbook. Sort and filter as you like, but keep the headers and the hidden columns of the "
    "table: they tie your entries to their items. Running the benchmark again into the same folder keeps them.",
}


def about_sections(survey: Survey) -> dict[str, Mapping[str, str]]:
    """Return the sections of About, each with its labels and texts."""
    run = survey.run
    settings = {key: shown_value(value) for key, value in run.settings.items()}
    sections: dict[str, Mapping[str, str]] = {
        "How to review": _STEPS,
        "This run": run_facts(survey),
        "Items by status": _counts(survey),
        "Settings": {key: text for key, text in settings.items() if text},
        "SHA-256 of the files": dict(run.sources),
    }
    return {heading: pairs for heading, pairs in sections.items() if pairs}


def run_facts(survey: Survey) -> dict[str, str]:
    """Return the facts of the run in a few lines; they are set as document properties, too."""
    run = survey.run
    strictness = ", ".join(f"{dataset}: {level}" for dataset, level in run.strictness.items())
    weights = ", ".join(f"{name.replace('_', ' ')} {format_number(weight)}" for name, weight in run.weights.items())
    facts = {
        "Run": run.run_id,
        "Date": run.created,
        "grader": run.version,
        "Command": run.command,
        "Judges": ", ".join(f"{rubric}: {model}" for rubric, model in run.judges.items()),
        "Baseline": "A worker or judge of this run only matches text and is no LLM." if run.is_baseline else "",
        "Strictness": strictness,
        "Weights": weights,
        "Calls": _calls([run.totals.get(each, CallTotals()) for each in run.combinations]),
        "Notes": "\n".join(run.notes),
    }
    return {name: text for name, text in facts.items() if text}


def _counts(survey: Survey) -> dict[str, str]:
    run = survey.run
    planned = sum(run.planned.get(each, 0) for each in run.combinations)
    counts = {status: f"{count:,}" for status, count in survey.statuses.most_common()}
    if planned > survey.count:
        counts["Not finished"] = f"{planned - survey.count:,}: the run was stopped; the same command goes on"
    if run.skipped:
        lines = (f"{line.dataset}, {line.source.cell or line.source.path}: {line.reason}" for line in run.skipped)
        counts["Lines not read"] = "\n".join(lines)
    return counts


def _calls(totals: list[CallTotals]) -> str:
    calls, attempts = sum(each.calls for each in totals), sum(each.attempts for each in totals)
    if not calls:
        return ""
    prompt, completion = (
        sum(getattr(each, name) for each in totals) for name in ("prompt_tokens", "completion_tokens")
    )
    known = [each.cost_usd for each in totals if each.cost_usd is not None]
    unpriced = sum(each.unpriced for each in totals)
    cost = f"{sum(known):.4f} USD" if known else "cost not known"
    rest = f" and {unpriced:,} calls at a price that is not known" if unpriced and known else ""
    return (
        f"{calls:,} calls, {attempts:,} requests, {prompt:,} prompt and {completion:,} completion tokens, {cost}{rest}"
    )
