"""The flow of `grader review`: workbooks that came back in, overrides into the store, figures out; prints nothing.

::

    read_review(paths, …) ─▶ Review ─ keep_review ─▶ run.db ─ pipeline.write_outputs ─▶ files
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.errors import InputError, RunError, location
from grader.outputs.expert_scores import effective_entries, tied_verdicts
from grader.outputs.graded_workbook.expert_entries import NO_ENTRY, ExpertEntry, final_score
from grader.outputs.graded_workbook.keys import grade_key
from grader.records import CellRef, Grade, Override
from grader.review.finding_notes import place_notes
from grader.review.findings import NewOverrides
from grader.review.graded_files import GradedFile, read_graded_file
from grader.review.new_overrides import find_new_overrides
from grader.review.reviewers import in_one_spelling, name_reviewers
from grader.review.row_targets import targets_of
from grader.review.typed_elsewhere import typed_elsewhere
from grader.rubric import Rubric
from grader.statistics.estimate import Estimate
from grader.statistics.means import QuestionMeans
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


def read_review(
    paths: Sequence[Path],
    *,
    store: RunStore,
    head: RunHead,
    reviewers: Sequence[str] = (),
    workbook_path: Path | None = None,
) -> Review:
    """Return what the workbooks say that the run's store does not know yet; changes nothing.

    Of every workbook but the one at `workbook_path`, which is to be replaced, it is noted what was typed elsewhere in
    it; of that one, whoever replaces it looks at this.

    Raises:
        InputError: a workbook cannot be read, it cannot be told whose it is, or cells hold what cannot be stored; all
            of those are named at once.
    """
    if len({path.resolve() for path in paths}) < len(paths):
        raise InputError("a workbook is named twice", hint="Name each workbook once")
    files = [read_graded_file(path) for path in paths]
    stored = store.overrides()
    names, respelled = in_one_spelling(name_reviewers(files, reviewers, stored), stored)
    pairs = tuple(zip(files, names, strict=True))
    targets = targets_of(store.grades(), with_texts=any(not row.text_hash for file in files for row in file.rows))
    found = find_new_overrides(pairs, targets=targets, stored=stored, scale=head.rubric.scale)
    if found.problems:
        raise _refused(found.problems)
    copies = [file for file in files if workbook_path is None or file.path.resolve() != workbook_path.resolve()]
    notes = [
        *respelled,
        *_run_notes(files, store.run_id),
        *_gone_notes(files),
        *place_notes(found),
        *_elsewhere_notes(copies),
        *_tie_notes(store, [*stored, *found.overrides], found),
    ]
    return Review(files=pairs, found=found, notes=tuple(notes))


def keep_review(store: RunStore, review: Review) -> None:
    """Store what is new, all of it or nothing."""
    if review.overrides:
        store.add_overrides(review.overrides)


def means_with(grades: Iterable[Grade], overrides: Sequence[Override], rubric: Rubric) -> list[SystemMeans]:
    """Return each system's means with these overrides, in the order of first sight; `grades` are gone through twice."""
    entries = effective_entries(overrides, grades, rubric.scale)
    judge: dict[str, QuestionMeans] = {}
    final: dict[str, QuestionMeans] = {}
    changed: dict[str, int] = {}
    for grade in grades:
        system, score, counts = grade.item.system, grade.verdict.score, _final(grade, entries, rubric)
        for means, value in ((judge, score), (final, counts)):
            mean = means.setdefault(system, QuestionMeans(rubric.scale.two_scores))
            if value is not None:
                mean.add(grade.item.id, value)
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


def _gone_notes(files: Iterable[GradedFile]) -> list[str]:
    return [
        f"{file.path.name}: the sheet {name} that was there is gone, and whatever was entered on it"
        for file in files
        for name in file.gone
    ]


def _elsewhere_notes(copies: Iterable[GradedFile]) -> list[str]:
    return [
        f"{file.path.name} is left as it is; only the columns Expert score, Expert verdict and Expert comment are read,"
        f" and not that {'; '.join(words)}"
        for file in copies
        if (words := typed_elsewhere(file.path, file.kinds))
    ]


def _tie_notes(store: RunStore, overrides: Sequence[Override], found: NewOverrides) -> list[str]:
    if all(each.met is None for each in found.overrides):
        return []
    tied = tied_verdicts(overrides, store.grades())
    if not tied:
        return []
    where = ", ".join(tied[:_MOST_PLACES]) + (" …" if len(tied) > _MOST_PLACES else "")
    criteria = "a criterion is" if len(tied) == 1 else f"{len(tied):,} criteria are"
    return [
        f"{criteria} met for as many experts as not: the judge's verdict counts there, marked experts differ ({where})"
    ]
