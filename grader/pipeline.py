"""The whole flow on one screen: a plan in, grades into the store, files out; prints nothing.

::

    prepare(request) ─▶ Plan ─ grade(plan, …) ─▶ run.db ─ write_outputs(plan, …) ─▶ graded.xlsx, results.jsonl …
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader import __version__
from grader.judging.calls import CallSettings, Observer
from grader.judging.judge import Call, Judge
from grader.judging.prices import count_tokens
from grader.judging.runner import Ending, run_jobs
from grader.outputs.graded_workbook.write import write_graded_workbook
from grader.outputs.results_jsonl import recording
from grader.outputs.summary import Summary, empty_summary, total_cost_usd, write_summary
from grader.planning import Plan, Request
from grader.records import Prompt, Usage
from grader.rubric_method import RubricMethod
from grader.store.run_store import RunStore


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeSettings:
    """How to grade: the calls, how often to ask again, and whether empty answers are sent."""

    calls: CallSettings
    reasks: int = 2
    max_tokens: int | None = 4096
    judge_empty: bool = False


def grade(plan: Plan, *, judge: Judge, store: RunStore, settings: GradeSettings, observer: Observer) -> Ending:
    """Grade every item of a plan into the store; what the store already holds is not asked again."""
    store.begin()
    return run_jobs(
        plan.jobs(),
        judge=judge,
        method=RubricMethod(plan.rubric, plan.template_path, model=judge.model, judge_empty=settings.judge_empty),
        store=store,
        settings=settings.calls,
        reasks=settings.reasks,
        max_tokens=settings.max_tokens,
        observer=observer,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a run would take at the least, without re-asks; `cost_usd` is `None` where no price is known."""

    calls: int
    prompt_tokens: int
    most_completion_tokens: int
    most_cost_usd: float | None


def estimate(plan: Plan, settings: GradeSettings) -> Estimate:
    """Return what grading a plan from the start would take, every reply at its longest; makes no call."""
    prompts = list(render_prompts(plan, judge_empty=settings.judge_empty))
    usage = Usage(
        prompt_tokens=plan.samples * sum(count_tokens(prompt.messages) for prompt in prompts),
        completion_tokens=plan.samples * len(prompts) * (settings.max_tokens or 0),
    )
    price = settings.calls.price
    return Estimate(
        calls=plan.samples * len(prompts),
        prompt_tokens=usage.prompt_tokens,
        most_completion_tokens=usage.completion_tokens,
        most_cost_usd=price.cost_usd(usage) if price else None,
    )


def render_prompts(plan: Plan, *, judge_empty: bool = False) -> Iterator[Prompt]:
    """Yield the prompt of every item that a judge would be asked about."""
    method = RubricMethod(plan.rubric, plan.template_path, model="", judge_empty=judge_empty)
    return (method.render(item) for item in plan.items if method.verdict_without_call(item) is None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The files of a run and what they hold in short."""

    summary: Summary
    judge: str
    """Who judged, in a line; of the offline judge it says that it is no LLM."""
    paths: tuple[Path, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """What the files of a run say about it beside its plan; never a key."""

    command: str
    judge: Judge
    options: Mapping[str, Any]
    """Every option as it was used."""


def write_outputs(plan: Plan, request: Request, *, store: RunStore, run_dir: Path, facts: RunFacts) -> Written:
    """Write every file of the run from its store: graded.xlsx, results.jsonl, summary.json and skipped.log."""
    grades = store.grades()
    summary = empty_summary(planned=plan.planned, skipped=plan.skipped)
    results, summary_path, skipped_log = (run_dir / name for name in ("results.jsonl", "summary.json", "skipped.log"))
    with recording(results, skipped_log, plan.skipped) as record:
        for each in grades:
            summary.add(each)
            record(each)
    run = _run_record(plan, request, store, facts)
    write_summary(summary_path, summary, run=run)
    workbook = write_graded_workbook(
        run_dir / "graded.xlsx",
        criteria_path=request.criteria_path,
        grades=grades,
        rubric=plan.rubric,
        about=_about(plan, run, summary),
        judge_note=facts.judge.model,
        is_baseline=facts.judge.is_baseline,
    )
    judge = f"judge: {facts.judge.model}" + (" (text-matching baseline, no LLM)" if facts.judge.is_baseline else "")
    return Written(
        summary=summary, judge=judge, paths=(workbook.path, results, summary_path, skipped_log), notes=workbook.notes
    )


def _run_record(plan: Plan, request: Request, store: RunStore, facts: RunFacts) -> dict[str, Any]:
    """Return the head of summary.json: which run this is, and all that decided its grades."""
    sent = facts.judge.parameters(Call(prompt=Prompt(item=plan.items[0], messages=())))
    return {
        "run_id": store.run_id,
        "grader_version": __version__,
        "created": store.meta("created"),
        "command": facts.command,
        "model": facts.judge.model,
        "is_baseline": facts.judge.is_baseline,
        "rubric": plan.rubric.name,
        "options": dict(facts.options),
        "sent_parameters": {name: value for name, value in sent.items() if value is not None},
        "sources": _sources(plan, request),
        "notes": list(plan.notes),
    }


def _sources(plan: Plan, request: Request) -> dict[str, str]:
    """Return the SHA-256 of every file that decided the grades, by its path."""
    paths = [request.criteria_path, *request.answers_paths, request.questions_path, plan.template_path]
    files = [path for path in paths if path is not None and path.is_file()]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def _about(plan: Plan, run: Mapping[str, Any], summary: Summary) -> dict[str, str]:
    """Return the rows of the workbook's About sheet."""
    cost = total_cost_usd(summary)
    return {
        "Run": run["run_id"],
        "Created": run["created"],
        "grader": run["grader_version"],
        "Command": run["command"],
        "Judge": run["model"] + (" (text-matching baseline, no LLM)" if run["is_baseline"] else ""),
        "Rubric": f"{plan.rubric.name}: {plan.rubric.title}",
        "Items": f"{summary.planned - summary.unscored} of {summary.planned} scored",
        "By status": ", ".join(f"{count} {status}" for status, count in summary.statuses.items()),
        "Skipped": f"{len(plan.skipped)} questions or answers without a partner",
        "Cost": "unknown" if cost is None else f"${cost:.4f}",
        **{f"SHA-256 of {Path(path).name}": digest for path, digest in run["sources"].items()},
    }
