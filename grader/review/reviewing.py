"""The flow of `grader review`: workbooks that came back in, overrides into the store, figures out; prints nothing.

::

    read_review(paths, …) ─▶ Review ─ keep_review ─▶ run.db ─ pipeline.write_outputs ─▶ files
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.errors import InputError, RunError, location
from grader.outputs.expert_scores import effective_entries
from grader.outputs.graded_workbook.expert_entries import NO_ENTRY, ExpertEntry, final_score
from grader.outputs.graded_workbook.keys import grade_key
from grader.records import CellRef, Grade, Override
from grader.review.graded_files import GradedFile, read_graded_file
from grader.review.new_overrides import NewOverrides, find_new_overrides, targets_of
from grader.review.reviewers import name_reviewers
from grader.rubric import Rubric
from grader.statistics.estimate import Estimate
from grader.statistics.means import RunningMean
from grader.store.run_head import RunHead
from grader.store.run_store import FILE_NAME, RunStore

_MOST_PROBLEMS = 100
_MOST_PLACES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What came back, whose it is, and what is to be said of it."""

    files: tuple[tuple[GradedFile, str], ...]
    """Each with its reviewer."""
    found: NewOverrides
    notes: tuple[str, ...]

    @property
    def overrides(self) -> tuple[Override, ...]:
        """What is new, in the order in which it is to be stored."""
        return tuple(self.found.overrides)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemMeans:
    """One system's mean as the judge has it, and as it is with what the experts entered."""

    system: str
    judge: Estimate
    final: Estimate
    changed_count: int
    """Grades whose final score is not the judge's."""


def find_run_dir(paths: Sequence[Path]) -> Path:
    """Return the folder of the first workbook that lies beside a run's store.

    Raises:
        RunError: none does.
    """
    for path in paths:
        if (path.parent / FILE_NAME).is_file():
            return path.parent
    raise RunError(
        f"there is no run beside {paths[0].name}: no {FILE_NAME} in {paths[0].absolute().parent}",
        hint="Name the folder of the run that the workbook is of: --run DIR",
    )


def read_review(paths: Sequence[Path], *, store: RunStore, head: RunHead, reviewers: Sequence[str] = ()) -> Review:
    """Return what the workbooks say that the run's store does not know yet; changes nothing.

    Raises:
        InputError: a workbook cannot be read, it cannot be told whose it is, or cells hold what cannot be stored; all
            of those are named at once.
    """
    if len({path.resolve() for path in paths}) < len(paths):
        raise InputError("a workbook is named twice", hint="Name each workbook once")
    files = [read_graded_file(path) for path in paths]
    stored = store.overrides()
    names = name_reviewers(files, reviewers, stored)
    pairs = tuple(zip(files, names, strict=True))
    found = find_new_overrides(pairs, targets=targets_of(store.grades()), stored=stored, scale=head.rubric.scale)
    if found.problems:
        raise _refused(found.problems)
    notes = [*_run_notes(files, store.run_id), *_place_notes(found)]
    return Review(files=pairs, found=found, notes=tuple(notes))


def keep_review(store: RunStore, review: Review) -> None:
    """Store what is new, all of it or nothing."""
    if review.overrides:
        store.add_overrides(review.overrides)


def means_with(grades: Iterable[Grade], overrides: Sequence[Override], rubric: Rubric) -> list[SystemMeans]:
    """Return each system's means with these overrides, in the order of first sight; `grades` are gone through twice."""
    entries = effective_entries(overrides, grades, rubric.scale)
    judge: dict[str, RunningMean] = {}
    final: dict[str, RunningMean] = {}
    changed: dict[str, int] = {}
    for grade in grades:
        system, score, counts = grade.item.system, grade.verdict.score, _final(grade, entries, rubric)
        for means, value in ((judge, score), (final, counts)):
            mean = means.setdefault(system, RunningMean())
            if value is not None:
                mean.add(value)
        changed[system] = changed.get(system, 0) + (score != counts)
    return [
        SystemMeans(system=system, judge=mean.mean(), final=final[system].mean(), changed_count=changed[system])
        for system, mean in judge.items()
    ]


def _final(grade: Grade, entries: Mapping[str, ExpertEntry], rubric: Rubric) -> float | None:
    return final_score(grade, entries.get(grade_key(grade), NO_ENTRY) if entries else NO_ENTRY, rubric)


def _refused(problems: Sequence[tuple[CellRef, str]]) -> InputError:
    """Return one error that names every cell."""
    count = f"{len(problems)} cells cannot be read" if len(problems) > 1 else "a cell cannot be read"
    lines = [f"{location(ref.path, ref.sheet, ref.cell)}: {words}" for ref, words in problems[:_MOST_PROBLEMS]]
    if len(problems) > _MOST_PROBLEMS:
        lines.append(f"… and {len(problems) - _MOST_PROBLEMS:,} more")
    return InputError(
        "\n  ".join([f"{count}, so nothing was stored:", *lines]),
        hint="Correct them in the workbook, save it, and run the same command again.",
    )


def _run_notes(files: Iterable[GradedFile], run_id: str) -> list[str]:
    return [
        f"{file.path.name} says that it is of another run ({file.run_id}): rows that this run has count all the same"
        for file in files
        if file.run_id not in ("", run_id)
    ]


def _place_notes(found: NewOverrides) -> list[str]:
    told = (
        (found.stale, "made for texts that have changed since: stored as stale, and not counted"),
        (found.unknown, "about rows that this run does not have: stored, and not counted"),
        (found.unplaced, "in rows that do not say what they are about: not stored, they stay in the workbook"),
    )
    notes = [f"{_counted(len(cells), 'entry', 'entries')} {words} ({_places(cells)})" for cells, words in told if cells]
    if found.changed_judge_cells:
        rows = _counted(len(found.changed_judge_cells), "row", "rows")
        notes.append(
            f"the judge's cells were changed by hand in {rows}: what the judge gave counts, and an expert's score"
            f" belongs under Expert score ({_places(found.changed_judge_cells)})"
        )
    if found.cleared_for_others:
        cells = _counted(len(found.cleared_for_others), "cell was emptied that holds", "cells were emptied that hold")
        notes.append(
            f"{cells} what other experts entered, which stays; to take it back as one of them, say so with"
            f" --reviewer ({_places(found.cleared_for_others)})"
        )
    return notes


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def _places(cells: Sequence[CellRef]) -> str:
    shown = [location(Path(cell.path).name, cell.sheet, cell.cell) for cell in cells[:_MOST_PLACES]]
    return ", ".join(shown) + (" …" if len(cells) > _MOST_PLACES else "")
