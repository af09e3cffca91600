"""The tables of a report, from the runs' summaries to rows of figures in words; computes no statistic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from grader.outputs.graded_workbook.distribution import class_index, score_classes
from grader.outputs.report.contents import ReportedRun
from grader.outputs.report.figures import Figure, as_estimate, money, plain_figure, score_figure, share_figure
from grader.outputs.summary import SystemSummary, total_cost_usd
from grader.rubric import Scale
from grader.statistics.agreement_records import Agreement, GroupAgreement, PairAgreement
from grader.statistics.estimate import Estimate

_MOST_FINDINGS = 25
BETWEEN = "between"
"""The class of scores that are none of the scale's own values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table in words: a header, and rows whose first cell names them."""

    header: Sequence[str]
    rows: Sequence[Sequence[str | Figure]]
    caption: str = ""


@dataclass(slots=True)
class Spread:
    """How many final scores of each system lie in which class of the scale."""

    classes: tuple[str, ...]
    counts: dict[str, list[int]] = field(default_factory=dict)


def run_table(runs: Sequence[ReportedRun]) -> Table:
    """Return what is to be known of each run, the runs side by side."""
    facts = [_facts(run) for run in runs]
    rows = [[name, *(each[name] for each in facts)] for name in facts[0]]
    return Table(header=("", *(run.label for run in runs)), rows=rows)


def _facts(run: ReportedRun) -> dict[str, str]:
    record, summary = run.record, run.summary
    baseline = " (text-matching baseline, no LLM)" if record.get("is_baseline") else ""
    scored = summary.planned - summary.unscored
    return {
        "Judge": f"{record.get('model', '')}{baseline}",
        "Rubric": f"{run.rubric.title}, {run.rubric.scale.described()}",
        "Items": f"{scored:,} of {summary.planned:,} scored" + ("" if summary.is_complete else " – INCOMPLETE"),
        "Calls": f"{summary.calls.calls:,}",
        "Cost": money(total_cost_usd(summary)),
        "Created": str(record.get("created", "")),
        "Run": str(record.get("run_id", "")),
    }


def leaderboard(runs: Sequence[ReportedRun]) -> Table:
    """Return the systems of all runs, the best final mean first within each run."""
    rows = [_system_row(run, system, len(runs) > 1) for run in runs for system in ranked(run)]
    names = ("System", "n", "Final mean", "95 % interval", "Judge’s mean", "Changed", "Unscored", "Need review")
    return Table(header=names, rows=rows)


def ranked(run: ReportedRun) -> list[SystemSummary]:
    """Return a run's systems, the best final mean first, those without one last."""
    means = {system: each.final.mean().value for system, each in run.summary.systems.items()}
    return sorted(run.summary.systems.values(), key=lambda each: _best_first(means[each.system]))


def system_label(run: ReportedRun, system: str, has_runs: bool) -> str:
    """Return what a system is called where there may be several runs."""
    return f"{system} · {run.label}" if has_runs else system


def _system_row(run: ReportedRun, system: SystemSummary, has_runs: bool) -> list[str | Figure]:
    final = score_figure(system.final.mean(), run.rubric.scale)
    return [
        system_label(run, system.system, has_runs),
        f"{system.final.mean().n:,}",
        replace(final, interval=""),
        Figure(value=final.interval, interval="", title=final.title),
        score_figure(system.mean, run.rubric.scale),
        f"{system.changed:,}" if system.reviewed else "–",
        f"{system.unscored:,}",
        f"{system.needs_review:,}",
    ]


def spread_of(run: ReportedRun) -> Spread:
    """Return the counts of a run's final scores; its grades are gone through once."""
    classes = score_classes(run.rubric.scale)
    counts = {system.system: [0] * (len(classes) + 1) for system in ranked(run)}
    for grade in run.grades:
        score = run.views.of(grade).final_score if run.views.entries else grade.verdict.score
        if score is not None:
            place = class_index(classes, score)
            counts[grade.item.system][-1 if place is None else place] += 1
    labels = [each.label for each in classes]
    if any(each[-1] for each in counts.values()):
        labels.append(BETWEEN)
    return Spread(classes=tuple(labels), counts={name: each[: len(labels)] for name, each in counts.items()})


def spread_table(run: ReportedRun, spread: Spread) -> Table:
    """Return counts and shares of the classes."""
    rows = []
    for system, counts in spread.counts.items():
        total = sum(counts) or 1
        rows.append([system, *(f"{count:,} ({count / total:.0%})" if count else "–" for count in counts)])
    return Table(header=("System", *spread.classes), rows=rows, caption=run.label)


def group_table(run: ReportedRun) -> Table | None:
    """Return the judge's means by group; `None` where there are no groups."""
    groups = run.summary.groups
    if not groups:
        return None
    rows = [[system.system, *(_group(system, group, run.rubric.scale) for group in groups)] for system in ranked(run)]
    return Table(header=("System", *groups), rows=rows, caption=run.label)


def _group(system: SystemSummary, group: str, scale: Scale) -> Figure | str:
    return score_figure(system.groups[group].mean(), scale) if group in system.groups else "–"


def cost_table(runs: Sequence[ReportedRun]) -> Table:
    """Return tokens, cost and seconds of each system."""
    rows = []
    for run in runs:
        for system in run.summary.systems.values():
            cost = None if system.has_unknown_cost else system.cost_usd
            rows.append(
                [
                    system_label(run, system.system, len(runs) > 1),
                    f"{system.prompt_tokens:,}",
                    f"{system.completion_tokens:,}",
                    money(cost) if cost is not None or system.has_unknown_cost else "–",
                    f"{system.seconds:,.1f}",
                    ", ".join(f"{count:,} {status}" for status, count in sorted(system.statuses.items())),
                ]
            )
    return Table(header=("System", "Prompt tokens", "Completion tokens", "Cost", "Seconds", "Statuses"), rows=rows)


def agreement_tables(run: ReportedRun) -> Iterator[tuple[str, str, Table]]:
    """Yield heading, reading and table of each way in which experts rated."""
    if run.agreement is None:
        return
    for block in run.agreement.blocks:
        way = "Blind (entered without seeing the judge)" if block.is_blind else "Seen (entered in sight of the judge)"
        for agreement, things in ((block.scores, "scores"), (block.criteria, "criteria")):
            if agreement.judge_and_experts:
                yield f"{way}: {things}", agreement.reading, _agreement_table(agreement)


def _agreement_table(agreement: Agreement) -> Table:
    alphas = {(group.raters, group.system): group for group in agreement.together}
    rows = [_pair_row(pair, alphas.values()) for pair in _pairs(agreement)]
    header = ("Between", "n", "Same", "Near", "Kappa", "Alpha", "Spearman", "Mean difference")
    return Table(header=header, rows=rows)


def _pairs(agreement: Agreement) -> Sequence[PairAgreement]:
    each = agreement.judge_and_each if len(agreement.judge_and_each) > 1 else ()
    return (*agreement.judge_and_experts, *each, *agreement.between_experts)


def _pair_row(pair: PairAgreement, groups: Any) -> list[str | Figure]:
    name = f"{pair.first} and {pair.second}" + (f": {pair.system}" if pair.system is not None else "")
    figures = (share_figure(pair.exact), share_figure(pair.near) if pair.near else "–", plain_figure(pair.kappa))
    alpha = _alpha(pair, groups)
    more = (plain_figure(alpha) if alpha else "–", plain_figure(pair.spearman), plain_figure(pair.difference))
    return [name, f"{pair.n:,}", *figures, *more]


def _alpha(pair: PairAgreement, groups: Sequence[GroupAgreement]) -> Estimate | None:
    """Return alpha of judge and all experts, in the row that speaks of them all."""
    is_all = pair.first == "judge" and (pair.second == "experts" or all(len(each.raters) == 2 for each in groups))
    found = (each.alpha for each in groups if "judge" in each.raters and each.system == pair.system)
    return next(found, None) if is_all else None


def findings(run: ReportedRun) -> Iterator[tuple[str, str]]:
    """Yield what the item analysis found, as place and words, the scale's use first."""
    analysis = run.analysis
    for scores in analysis.scores:
        for words in scores.findings:
            yield scores.system or "All systems", words
    for pair in analysis.near_duplicates:
        if pair.is_within_question:
            yield f"Question {pair.first.item_id}", f"two criteria say nearly the same: “{pair.first.text[:120]}”"
    for question in analysis.questions:
        for words in question.findings:
            yield f"Question {question.item_id}", words
    for criterion in analysis.criteria:
        for words in criterion.findings:
            yield f"Question {criterion.item_id}", f"{words}: “{criterion.text[:120]}”"


def criteria_words(run: ReportedRun) -> str:
    """Return in a sentence how many criteria tell no answers apart; empty where there are no verdicts on criteria."""
    criteria = run.analysis.criteria
    if not criteria:
        return ""
    always, never = (sum(each.met.n > 1 and each.met.value == end for each in criteria) for end in (1.0, 0.0))
    return f"Of {len(criteria):,} criteria, {always:,} are met by every system and {never:,} by none."


def shown_findings(run: ReportedRun) -> tuple[list[tuple[str, str]], int]:
    """Return the first findings, and how many more there are."""
    found = list(findings(run))
    return found[:_MOST_FINDINGS], max(0, len(found) - _MOST_FINDINGS)


def probe_rows(probe: Mapping[str, Any]) -> list[list[str]]:
    """Return a row for each canary of a probe: what, outcome, failures, margin, remark."""
    rows = []
    for canary in probe.get("canaries") or ():
        failures = canary.get("failures") or {}
        n, share = int(failures.get("n") or 0), failures.get("value")
        count = "–" if share is None else f"{round(share * n)} of {n}"
        at_most, margin = canary.get("at_most"), canary.get("margin")
        if at_most is not None:
            count += f", so at most {min(1.0, at_most):.0%}"
        rows.append(
            [
                str(canary.get("title") or canary.get("name") or ""),
                str(canary.get("outcome") or "").replace("_", " "),
                count,
                "–" if margin is None else f"{margin:+.0%}",
                str(canary.get("reason") or canary.get("wants") or ""),
            ]
        )
    return rows


def comparison_table(comparison: Mapping[str, Any]) -> Table:
    """Return the pairs of a compare.json with their differences, first minus second."""
    low, high = comparison.get("scale") or (0.0, 100.0)
    scale = Scale(min=low, max=high)
    rows: list[list[str | Figure]] = []
    for pair in comparison.get("pairs") or ():
        p_value = pair.get("p_holm")
        difference = as_estimate(pair.get("difference"))
        rows.append(
            [
                f"{pair.get('first')} and {pair.get('second')}",
                f"{difference.n:,}",
                score_figure(difference, scale),
                "–" if p_value is None else "below 0.001" if p_value < 0.001 else f"{p_value:.3f}",
                f"{pair.get('wins')} / {pair.get('ties')} / {pair.get('losses')}",
                "yes" if pair.get("is_told_apart") else "no",
            ]
        )
    header = ("Pair", "n", "Difference", "p, corrected", "Win / tie / loss", "Told apart")
    return Table(header=header, rows=rows)


def _best_first(mean: float | None) -> tuple[bool, float]:
    return mean is None, -(mean or 0.0)
