"""The flow of `grader report`: runs are read, summed up and written as one page; asks no judge and prints nothing.

::

    read_runs(paths) ─▶ run.db (read only) ─▶ ReportedRun, one for each ─▶ render_page ─▶ report.html
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.errors import InputError, RunError
from grader.outputs.analysed_grades import analyse_grades
from grader.outputs.atomic_file import writing
from grader.outputs.expert_views import ExpertViews
from grader.outputs.report.contents import FindSpans, ReportedRun
from grader.outputs.report.other_files import read_compare_json, read_probe_json
from grader.outputs.report.page import render_page
from grader.outputs.summary import Summary, empty_summary
from grader.scoring.evidence_spans import QuotedAnswer
from grader.store.run_head import RunHead, stored_head
from grader.store.run_reader import RunReader, reading_run
from grader.store.stored_grades import StoredGrades

FILE_NAME = "report.html"
_MOST_HELD = 20_000
"""Grades of a run that are kept in memory instead of being read several times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenReport:
    """Where the report is, and what a user should be told about it."""

    path: Path
    item_count: int
    byte_count: int
    notes: tuple[str, ...] = ()


def write_report(
    run_paths: Sequence[Path], *, out_path: Path | None = None, probe_path: Path | None = None
) -> WrittenReport:
    """Write the report of one run or of several side by side, into the first run's folder unless `out_path` is given.

    Args:
        run_paths: Folders of runs, or a file in each; they are only read.
        out_path: The page; its folder must be there.
        probe_path: A probe.json to show, instead of the one in a run's folder.

    Raises:
        InputError: a run is named twice, or `probe_path` holds no probe.
        RunError: a run cannot be read, is of `grader run`, or has nothing graded yet; the page cannot be written.
    """
    with ExitStack() as opened:
        stores = [opened.enter_context(reading_run(path)) for path in run_paths]
        _check_distinct(stores)
        probe = None if probe_path is None else read_probe_json(probe_path)
        labels = run_labels([store.path.parent for store in stores])
        runs = [_reported(store, label, probe) for store, label in zip(stores, labels, strict=True)]
        page = render_page(runs, _finder)
        path = out_path or stores[0].path.parent / FILE_NAME
        with writing(path) as file:
            file.write(page)
        return WrittenReport(
            path=path,
            item_count=sum(len(run.grades) for run in runs),
            byte_count=path.stat().st_size,
            notes=tuple(_notes(runs)),
        )


def run_labels(run_dirs: Sequence[Path]) -> list[str]:
    """Return a short name for each run: its folder's, with as many folders above as it takes to tell them apart."""
    parts = [run_dir.resolve().parts for run_dir in run_dirs]
    for count in range(1, max(map(len, parts)) + 1):
        labels = ["/".join(each[-count:]) for each in parts]
        if len(set(labels)) == len(labels):
            return labels
    raise AssertionError("folders that differ have names that differ")


def _check_distinct(stores: Sequence[RunReader]) -> None:
    if len({store.path.resolve() for store in stores}) < len(stores):
        raise InputError("a run is named twice", hint="Name each run once.")


def _reported(store: RunReader, label: str, probe: Mapping[str, Any] | None) -> ReportedRun:
    head = _head(store)
    grades = store.grades()
    grades.hold(_MOST_HELD)
    views = ExpertViews(grades, store.overrides(), head.rubric)
    return ReportedRun(
        label=label,
        record=head.record,
        rubric=head.rubric,
        grades=grades,
        views=views,
        summary=_summed_up(store, head, grades, views),
        agreement=views.agreement(grades),
        analysis=analyse_grades(grades, views.entries, head.rubric),
        probe=probe or _beside(store, "probe.json", read_probe_json),
        comparison=_beside(store, "compare.json", read_compare_json),
    )


def _head(store: RunReader) -> RunHead:
    if store.item_count():
        raise RunError(
            f"{store.path.parent} is a benchmark of grader run, of which there is no report yet",
            hint="Its graded.xlsx has the matrix of models and prompts; report takes runs of grader score.",
        )
    if not len(store.grades()):
        raise RunError(f"{store.path.parent}: nothing is graded yet", hint="Run grader score first.")
    return stored_head(store)


def _summed_up(store: RunReader, head: RunHead, grades: StoredGrades, views: ExpertViews) -> Summary:
    summary = empty_summary(
        planned=head.planned,
        skipped=head.skipped,
        calls=store.totals(),
        two_scores=head.rubric.scale.two_scores,
    )
    reached: set[int] = set()
    for stored in grades.stored():
        reached.add(stored.position)
        summary.add(stored.grade, views.of(stored.grade))
    for item in head.unreached(reached):
        summary.add_unreached(item)
    return summary


def _finder(answer: str) -> FindSpans:
    find: Callable[[str], list[tuple[int, int]]] = QuotedAnswer(answer).spans
    return find


def _beside(store: RunReader, name: str, read: Callable[[Path], Mapping[str, Any]]) -> Mapping[str, Any] | None:
    path = store.path.parent / name
    return read(path) if path.is_file() else None


def _notes(runs: Sequence[ReportedRun]) -> list[str]:
    return [
        f"{run.label} is incomplete: {run.summary.unscored:,} of {run.summary.planned:,} items have no score"
        for run in runs
        if run.summary.unscored
    ]
