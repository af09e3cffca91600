"""The whole flow on one screen: a plan in, grades into the store, files out; prints nothing.

::

    prepare(request) ─▶ Plan ─ begin_run(plan, …) ─▶ RunHead ─ write_outputs(head, …) ─▶ graded.xlsx, results.jsonl …
                          └─── grade(plan, …) ────▶ run.db ────────┘
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader import __version__
from grader.grading import GradeSettings, grade
from grader.outputs.agreement_json import write_agreement_json
from grader.outputs.analysed_grades import analyse_grades
from grader.outputs.analysis_json import write_analysis_json
from grader.outputs.exporters import GROUP as EXPORTERS
from grader.outputs.exporters import run_exporters
from grader.outputs.results_jsonl import Recorder, recording
from grader.outputs.summary import Summary, empty_summary, total_cost_usd, write_summary
from grader.plugins import find_plugins
from grader.run_notes import changed_note, kept_notes, missing_note, unreviewed_note
from grader.statistics.agreement_records import AgreementReport
from grader.store.run_head import RunHead
from grader.store.run_store import RunStore
from grader.store.stored_grades import StoredGrades
from grader.store.written_files import (
    file_digest,
    known_workbooks,
    remember_workbooks,
    remember_written,
    still_written,
    unreviewed_count,
    written_from,
)

if TYPE_CHECKING:
    from grader.outputs.expert_views import ExpertViews
    from grader.outputs.graded_workbook.in_place.place import CriteriaSheet
    from grader.outputs.graded_workbook.write import WrittenWorkbook
    from grader.statistics.item_analysis_records import ItemAnalysis

__all__ = ["GradeSettings", "Written", "grade", "write_outputs"]


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
    from grader.outputs.expert_views import ExpertViews
    from grader.outputs.graded_workbook.write import MOST_ROWS_IN_COPY

    target = workbook_path or run_dir / "graded.xlsx"
    source = _written_from(head, store, target)
    grades = store.grades()
    grades.hold(MOST_ROWS_IN_COPY)
    views = ExpertViews(grades, store.overrides(), head.rubric)
    summary = empty_summary(
        planned=head.planned,
        skipped=head.skipped,
        calls=store.totals(),
        two_scores=head.rubric.scale.two_scores,
    )
    known, beside = known_workbooks(store), _digests_beside(target)
    standing = [] if reviewed or beside - known else still_written(store, source)
    if standing:
        return _as_they_stand(head, store, grades, views, summary, standing)
    data = _write_data(head, run_dir, grades, views, summary)
    known |= {file_digest(path) for path in reviewed if path.is_file()}
    workbook = _write_workbook(head, target, grades, views, summary, data, known=known, reviewed=reviewed)
    exported = run_exporters(run_dir, grades, summary)
    remember_workbooks(store, known | beside | {file_digest(workbook.path)}, unreviewed_count=workbook.unreviewed_count)
    remember_written(store, source, [workbook.path, *data.paths, *exported.paths])
    return Written(
        summary=summary,
        judge=f"judge: {_judge(head)}",
        paths=(workbook.path, *data.paths, store.path, *exported.paths),
        notes=(
            *kept_notes(store),
            *changed_note(head),
            *workbook.notes,
            *unreviewed_note(workbook.unreviewed_count, workbook.path),
            *exported.notes,
        ),
        agreement=data.agreement,
    )


def _as_they_stand(
    head: RunHead,
    store: RunStore,
    grades: StoredGrades,
    views: ExpertViews,
    summary: Summary,
    standing: Sequence[Path],
) -> Written:
    """Return what the files of the run hold, none of which is to be written anew."""
    _go_through(head, grades, views, summary)
    return Written(
        summary=summary,
        judge=f"judge: {_judge(head)}",
        paths=(*standing, store.path),
        notes=(
            *kept_notes(store),
            *changed_note(head),
            *unreviewed_note(unreviewed_count(store), standing[0]),
            _UNCHANGED,
        ),
        agreement=views.agreement(grades),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Data:
    """The files of a run beside its workbook, and what the workbook shows of them."""

    paths: tuple[Path, ...]
    reached_count: int
    agreement: AgreementReport | None
    analysis: ItemAnalysis


def _write_data(head: RunHead, run_dir: Path, grades: StoredGrades, views: ExpertViews, summary: Summary) -> _Data:
    results, summary_path, skipped_log = (run_dir / name for name in ("results.jsonl", "summary.json", "skipped.log"))
    with recording(results, skipped_log) as record:
        reached_count = _go_through(head, grades, views, summary, record)
    write_summary(summary_path, summary, run={**head.record, **views.record()})
    paths = [results, summary_path, run_dir / "analysis.json", skipped_log]
    agreement = views.agreement(grades)
    if agreement is not None:
        write_agreement_json(run_dir / "agreement.json", agreement)
        paths.append(run_dir / "agreement.json")
    analysis = analyse_grades(grades, views.entries, head.rubric)
    write_analysis_json(run_dir / "analysis.json", analysis)
    return _Data(paths=tuple(paths), reached_count=reached_count, agreement=agreement, analysis=analysis)


def _write_workbook(
    head: RunHead,
    target: Path,
    grades: StoredGrades,
    views: ExpertViews,
    summary: Summary,
    data: _Data,
    *,
    known: Collection[str],
    reviewed: Collection[Path],
) -> WrittenWorkbook:
    from grader.outputs.graded_workbook.write import write_graded_workbook

    return write_graded_workbook(
        target,
        criteria_path=head.criteria_path,
        criteria_sheet=_criteria_sheet(head),
        grades=grades,
        rubric=head.rubric,
        about=_about(head, summary),
        judge_note=head.record["model"] + missing_note(head, data.reached_count),
        is_baseline=head.record["is_baseline"],
        blind_count=head.record["options"].get("blind") or 0,
        stored=views.entries,
        is_reviewed=any(_is_of(path, target) for path in reviewed),
        known=known,
        queue=views.queue,
        agreement=data.agreement,
        analysis=data.analysis,
    )


_UNCHANGED = "Nothing has changed since these files were written: they were left as they are."


def _written_from(head: RunHead, store: RunStore, target: Path) -> str:
    """Return what changes with anything that the files say, or that decides where they are."""
    criteria = file_digest(head.criteria_path) if head.criteria_path.is_file() else None
    plugins = [
        (name, entry.value, entry.dist.version if entry.dist else None)
        for name, entry in sorted(find_plugins(EXPORTERS).items())
    ]
    return written_from(store, (__version__, store.meta("head"), criteria, target.absolute(), plugins))


def _go_through(
    head: RunHead, grades: StoredGrades, views: ExpertViews, summary: Summary, record: Recorder | None = None
) -> int:
    """Add all grades and all that was skipped to the summary, and to the record if there is one; count the grades."""
    reached: set[int] = set()
    for stored in grades.stored():
        reached.add(stored.position)
        view = views.of(stored.grade)
        summary.add(stored.grade, view)
        if record:
            record.grade(stored.grade, view)
    for item in head.unreached(reached):
        summary.add_unreached(item)
        if record:
            record.skipped(item)
    if record:
        for item in head.skipped:
            record.skipped(item)
    return len(reached)


def _is_of(path: Path, workbook_path: Path) -> bool:
    """Whether a workbook is the one at `workbook_path`, whose suffix follows the criteria workbook's kind."""
    return path.absolute().with_suffix("").resolve() == workbook_path.absolute().with_suffix("").resolve()


def _digests_beside(target: Path) -> frozenset[str]:
    """Return the SHA-256 of each `graded (2).xlsx` … beside the workbook, in which something may have been typed."""
    from grader.outputs.graded_workbook.opening import EXTENSIONS
    from grader.outputs.graded_workbook.saving import numbered_files

    targets = (target.with_suffix(suffix) for suffix in EXTENSIONS.values())
    return frozenset(file_digest(path) for each in targets for path in numbered_files(each))


def _criteria_sheet(head: RunHead) -> CriteriaSheet | None:
    """Return where the criteria were read; `None` for a text table, and for a run of an older grader."""
    from grader.outputs.graded_workbook.in_place.place import CriteriaSheet

    table = head.record.get("criteria_table") or {}
    return CriteriaSheet(table["sheet"], table["header_row"]) if table.get("sheet") else None


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
