"""The whole flow on one screen: a plan in, grades into the store, files out; prints nothing.

::

    prepare(request) ─▶ Plan ─ begin_run(plan, …) ─▶ RunHead ─ write_outputs(head, …) ─▶ graded.xlsx, results.jsonl …
                          └─── grade(plan, …) ────▶ run.db ────────┘
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grader import __version__
from grader.judging.calls import CallSettings, Observer
from grader.judging.judge import Call, Judge
from grader.judging.redact import redact
from grader.judging.runner import Ending, run_jobs
from grader.outputs.agreement_json import write_agreement_json
from grader.outputs.expert_views import ExpertViews
from grader.outputs.exporters import run_exporters
from grader.outputs.graded_workbook.in_place.place import CriteriaSheet
from grader.outputs.graded_workbook.write import MOST_ROWS_IN_COPY, write_graded_workbook
from grader.outputs.results_jsonl import recording
from grader.outputs.summary import Summary, empty_summary, total_cost_usd, write_summary
from grader.planning import Plan, Request
from grader.records import Prompt
from grader.rubric_method import RubricMethod
from grader.statistics.agreement_records import AgreementReport
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
    agreement: AgreementReport | None = None
    """How far judge and experts agree; `None` where no expert has entered anything."""


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


def write_outputs(
    head: RunHead,
    *,
    store: RunStore,
    run_dir: Path,
    workbook_path: Path | None = None,
    reviewed: Collection[Path] = (),
) -> Written:
    """Write every file of the run from its store: graded.xlsx, results.jsonl, summary.json and skipped.log.

    With experts' entries in the store also agreement.json. `workbook_path` is where the workbook goes instead of
    graded.xlsx; `reviewed` are workbooks whose entries have just been stored, of which it may be one.
    """
    grades = store.grades()
    grades.hold(MOST_ROWS_IN_COPY)
    views = ExpertViews(grades, store.overrides(), head.rubric)
    summary = empty_summary(planned=head.planned, skipped=head.skipped, calls=store.totals())
    results, summary_path, skipped_log = (run_dir / name for name in ("results.jsonl", "summary.json", "skipped.log"))
    reached: set[int] = set()
    with recording(results, skipped_log) as record:
        for stored in grades.stored():
            reached.add(stored.position)
            view = views.of(stored.grade)
            summary.add(stored.grade, view)
            record.grade(stored.grade, view)
        for item in head.unreached(reached):
            summary.add_unreached(item)
            record.skipped(item)
        for item in head.skipped:
            record.skipped(item)
    write_summary(summary_path, summary, run={**head.record, **views.record()})
    agreement = views.agreement(grades)
    if agreement is not None:
        write_agreement_json(run_dir / "agreement.json", agreement)
    criteria_path, notes = _criteria_now(head)
    workbook_path = workbook_path or run_dir / "graded.xlsx"
    workbook = write_graded_workbook(
        workbook_path,
        criteria_path=criteria_path,
        criteria_sheet=_criteria_sheet(head),
        grades=grades,
        rubric=head.rubric,
        about=_about(head, summary),
        judge_note=head.record["model"] + _missing_note(head, len(reached)),
        is_baseline=head.record["is_baseline"],
        blind_count=head.record["options"].get("blind") or 0,
        stored=views.entries,
        is_reviewed=any(_is_of(path, workbook_path) for path in reviewed),
        queue=views.queue,
        agreement=agreement,
    )
    exported = run_exporters(run_dir, grades, summary)
    return Written(
        summary=summary,
        judge=f"judge: {_judge(head)}",
        paths=(
            *(workbook.path, results, summary_path, skipped_log),
            *((run_dir / "agreement.json",) if agreement is not None else ()),
            *(store.path, *exported.paths),
        ),
        notes=(*_discarded_note(store), *notes, *workbook.notes, *exported.notes),
        agreement=agreement,
    )


def _is_of(path: Path, workbook_path: Path) -> bool:
    """Whether a workbook is the one at `workbook_path`, whose suffix follows the criteria workbook's kind."""
    return path.absolute().with_suffix("").resolve() == workbook_path.absolute().with_suffix("").resolve()


def _discarded_note(store: RunStore) -> tuple[str, ...]:
    """Return what to say of experts' entries in a store that was started anew."""
    count = store.discarded_override_count
    if not count:
        return ()
    entries = "an entry of an expert was" if count == 1 else f"{count:,} entries of experts were"
    return (
        f"{entries} discarded with the earlier store: what graded.xlsx shows of them is kept there; run grader review"
        " on it to have it count again in results.jsonl and summary.json",
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


def _criteria_sheet(head: RunHead) -> CriteriaSheet | None:
    """Return where the criteria were read; `None` for a text table, and for a run of an older grader."""
    table = head.record.get("criteria_table") or {}
    return CriteriaSheet(table["sheet"], table["header_row"]) if table.get("sheet") else None


def _run_record(plan: Plan, request: Request, store: RunStore, facts: RunFacts) -> dict[str, Any]:
    """Return the head of summary.json: which run this is, and all that decided its grades."""
    record = {
        "run_id": store.run_id,
        "grader_version": __version__,
        "created": store.meta("created"),
        "command": facts.command,
        "model": facts.judge.model,
        "is_baseline": facts.judge.is_baseline,
        "rubric": plan.rubric.name,
        "options": dict(facts.options),
        **_parameters(plan, facts),
        "sources": _sources(plan, request),
        "notes": list(plan.notes),
        "criteria_table": {"sheet": plan.criteria_sheet, "header_row": plan.header_row},
    }
    kept: dict[str, Any] = json.loads(redact(json.dumps(record, default=str)))  # a URL or a command may hold a key
    return kept


def _parameters(plan: Plan, facts: RunFacts) -> dict[str, Any]:
    """Return what was sent beside the messages, and which of the usual parameters were not, wanted or no."""
    call = Call(prompt=Prompt(item=plan.items[0], messages=()), max_tokens=facts.options.get("max_tokens"))
    sent = {name: value for name, value in facts.judge.parameters(call).items() if value is not None}
    unsent = [name for name in ("temperature", "max_tokens", "response_format") if name not in sent]
    return {"sent_parameters": sent, "unsent_parameters": unsent}


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
