"""The whole flow on one screen: a plan in, grades into the store, files out; prints nothing.

::

    prepare(request) ─▶ Plan ─ begin_run(plan, …) ─▶ RunHead ─ write_outputs(head, …) ─▶ graded.xlsx, results.jsonl …
                          └─── grade(plan, …) ────▶ run.db ────────┘
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grader import __version__
from grader.judging.calls import CallSettings, Observer
from grader.judging.judge import Call, Judge
from grader.judging.redact import redact
from grader.judging.runner import Ending, run_jobs
from grader.outputs.exporters import run_exporters
from grader.outputs.graded_workbook.write import write_graded_workbook
from grader.outputs.results_jsonl import recording
from grader.outputs.summary import Summary, empty_summary, total_cost_usd, write_summary
from grader.planning import Plan, Request
from grader.records import Prompt
from grader.rubric_method import RubricMethod
from grader.store.run_head import RunHead, keep_head
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
        settings=replace(settings.calls, spent_usd=store.totals().cost_usd or 0.0),
        reasks=settings.reasks,
        max_tokens=settings.max_tokens,
        observer=observer,
    )


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


def begin_run(plan: Plan, request: Request, *, store: RunStore, facts: RunFacts) -> RunHead:
    """Keep in the store what the files of the run will say beside its grades, and return it."""
    head = RunHead(
        record=_run_record(plan, request, store, facts),
        rubric=plan.rubric,
        criteria_path=request.criteria_path.absolute(),
        jobs=tuple((job.item.system, job.item.id, job.sample) for job in plan.jobs()),
        skipped=plan.skipped,
    )
    keep_head(store, head)
    return head


def write_outputs(head: RunHead, *, store: RunStore, run_dir: Path) -> Written:
    """Write every file of the run from its store: graded.xlsx, results.jsonl, summary.json and skipped.log."""
    grades = store.grades()
    summary = empty_summary(planned=head.planned, skipped=head.skipped, calls=store.totals())
    results, summary_path, skipped_log = (run_dir / name for name in ("results.jsonl", "summary.json", "skipped.log"))
    reached: set[int] = set()
    with recording(results, skipped_log) as record:
        for stored in grades.stored():
            reached.add(stored.position)
            summary.add(stored.grade)
            record.grade(stored.grade)
        for item in head.unreached(reached):
            summary.add_unreached(item)
            record.skipped(item)
        for item in head.skipped:
            record.skipped(item)
    write_summary(summary_path, summary, run=head.record)
    criteria_path, notes = _criteria_now(head)
    workbook = write_graded_workbook(
        run_dir / "graded.xlsx",
        criteria_path=criteria_path,
        grades=grades,
        rubric=head.rubric,
        about=_about(head, summary),
        judge_note=head.record["model"] + _missing_note(head, len(reached)),
        is_baseline=head.record["is_baseline"],
    )
    exported = run_exporters(run_dir, grades, summary)
    return Written(
        summary=summary,
        judge=f"judge: {_judge(head)}",
        paths=(workbook.path, results, summary_path, skipped_log, store.path, *exported.paths),
        notes=(*notes, *workbook.notes, *exported.notes),
    )


def _missing_note(head: RunHead, reached_count: int) -> str:
    """Return what the Summary sheet must say of a run that stopped early, since it counts what it has."""
    missing_count = len(head.jobs) - reached_count
    return f" – STOPPED EARLY: {missing_count} of {len(head.jobs)} items are missing" if missing_count else ""


def _criteria_now(head: RunHead) -> tuple[Path | None, tuple[str, ...]]:
    """Return the criteria file if it is still there, and what to say where it is not what it was."""
    path = head.criteria_path
    if not path.is_file():
        return None, (f"{path} is not there any more: the graded workbook holds our sheets only, not a copy of it.",)
    if _digest(path) not in head.record["sources"].values():
        return path, (
            f"{path.name} has changed since it was graded: the graded workbook is a copy of it as it is now.",
        )
    return path, ()


def _run_record(plan: Plan, request: Request, store: RunStore, facts: RunFacts) -> dict[str, Any]:
    """Return the head of summary.json: which run this is, and all that decided its grades."""
    sent = facts.judge.parameters(Call(prompt=Prompt(item=plan.items[0], messages=())))
    record = {
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
    kept: dict[str, Any] = json.loads(redact(json.dumps(record, default=str)))  # a URL or a command may hold a key
    return kept


def _sources(plan: Plan, request: Request) -> dict[str, str]:
    """Return the SHA-256 of every file that decided the grades, by its path."""
    paths = [request.criteria_path, *request.answers_paths, request.questions_path, plan.template_path]
    return {str(path): _digest(path) for path in paths if path is not None and path.is_file()}


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _judge(head: RunHead) -> str:
    """Return who judged; of the offline judge also that it is no LLM."""
    return str(head.record["model"]) + (" (text-matching baseline, no LLM)" if head.record["is_baseline"] else "")


def _about(head: RunHead, summary: Summary) -> dict[str, str]:
    """Return the rows of the workbook's About sheet."""
    cost, run = total_cost_usd(summary), head.record
    return {
        "Run": run["run_id"],
        "Created": run["created"],
        **({"Rescored": run["rescored"]} if "rescored" in run else {}),
        "Version": f"grader {run['grader_version']}",
        "Command": run["command"],
        "Judge": _judge(head),
        "Rubric": f"{head.rubric.name}: {head.rubric.title}",
        "Items": f"{summary.planned - summary.unscored} of {summary.planned} scored",
        "By status": ", ".join(f"{count} {status}" for status, count in summary.statuses.items()),
        "Skipped": f"{len(head.skipped)} questions or answers without a partner",
        "Cost": "unknown" if cost is None else f"${cost:.4f}",
        **{f"SHA-256 of {Path(path).name}": digest for path, digest in run["sources"].items()},
    }
