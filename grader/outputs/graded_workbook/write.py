"""Writes graded.xlsx: a copy of the expert's workbook with our sheets behind theirs, or our sheets alone and why."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from grader.errors import RunError
from grader.outputs.graded_workbook.earlier import Earlier, look_at_earlier
from grader.outputs.graded_workbook.lint import check_alone, check_copy, check_streamed
from grader.outputs.graded_workbook.merge.merging import merge_donor
from grader.outputs.graded_workbook.merge.styles import width_unit
from grader.outputs.graded_workbook.names import SheetNames, free_names
from grader.outputs.graded_workbook.opening import file_extension, has_manual_calculation, open_donor, open_package
from grader.outputs.graded_workbook.our_sheets import Contents, write_our_sheets
from grader.outputs.graded_workbook.package import Package, Unpatchable
from grader.outputs.graded_workbook.saving import next_free_name, save_beside
from grader.outputs.graded_workbook.survey import Survey, survey_grades
from grader.records import Grade
from grader.rubric import Rubric

MOST_ROWS_IN_COPY = 20_000
"""With more grades our sheets go into a file of their own, written row by row in little memory."""

_MOST_ROWS = 1_048_575
"""What a sheet holds below its header."""


@dataclass(frozen=True, slots=True)
class WrittenWorkbook:
    """Where the graded workbook is, and what a user should be told about it."""

    path: Path
    """Not always the one asked for: `.xlsm` for a workbook with macros, the next free name where that is open."""
    notes: tuple[str, ...]
    """One sentence each."""


def write_graded_workbook(
    out_path: Path,
    *,
    criteria_path: Path | None,
    grades: Collection[Grade],
    rubric: Rubric,
    about: Mapping[str, str],
    judge_note: str = "",
    is_baseline: bool = False,
) -> WrittenWorkbook:
    """Write the graded workbook and say what is worth saying about it.

    Args:
        out_path: Where it goes; its suffix follows the criteria workbook's kind.
        criteria_path: The expert's workbook, which is never changed; `None` for our sheets alone.
        grades: In criteria order; gone through twice, so not a generator, but it may read from a store as it goes.
        rubric: What the scores mean.
        about: The run's facts, in the order to show them; also set as document properties.
        judge_note: Who judged, in a line for Summary.
        is_baseline: Whether that was text matching and no LLM, which Summary then says first of all.

    Raises:
        RunError: the folder cannot be written to, or there are more grades than a sheet has rows.
    """
    if len(grades) > _MOST_ROWS:
        raise RunError(f"{len(grades):,} grades do not fit in a worksheet", hint="Grade fewer systems per run.")
    notes: list[str] = []
    package = _package_to_patch(criteria_path, len(grades), notes)
    target = out_path.with_suffix(file_extension(package) if package else ".xlsx")
    earlier = look_at_earlier(target, criteria_path, package)
    survey = survey_grades(grades, rubric, earlier.entries)
    target = _target_beside(target, earlier, survey, notes)
    contents = Contents(
        grades=grades,
        survey=survey,
        entries=earlier.entries,
        about=about,
        judge_note=judge_note,
        is_baseline=is_baseline,
    )
    path = _save(target, package, contents, notes)
    return WrittenWorkbook(path, tuple(notes))


def _package_to_patch(criteria_path: Path | None, grade_count: int, notes: list[str]) -> Package | None:
    if criteria_path is None:
        return None
    if grade_count > MOST_ROWS_IN_COPY:
        notes.append(_alone_note(criteria_path, f"there are more than {MOST_ROWS_IN_COPY:,} grades"))
        return None
    try:
        package = open_package(criteria_path)
        if has_manual_calculation(package):
            notes.append(
                f"{criteria_path.name} recalculates only when asked: press F9 after entering scores, "
                "or set Formulas, Calculation Options to Automatic."
            )
        return package
    except Unpatchable as reason:
        notes.append(_alone_note(criteria_path, str(reason)))
        return None


def _alone_note(criteria_path: Path, reason: str) -> str:
    return f"The graded workbook holds our sheets only, not a copy of {criteria_path.name}, because {reason}."


def _target_beside(target: Path, earlier: Earlier, survey: Survey, notes: list[str]) -> Path:
    """Return the target, or the next free name where the file that stands there must be kept."""
    if survey.carried:
        count = f"{len(survey.carried)} row{'' if len(survey.carried) == 1 else 's'}"
        notes.append(f"The expert's scores and comments in {count} were carried over from the earlier workbook.")
    reason = earlier.reason_to_keep(survey.carried)
    if reason is None:
        return target
    free = next_free_name(target)
    notes.append(f"{target.name} was kept, because {reason}; the new workbook is {free.name}.")
    return free


def _save(target: Path, package: Package | None, contents: Contents, notes: list[str]) -> Path:
    path, cut_count = _save_copy_or_alone(target, package, contents, notes)
    if path.name != target.with_suffix(path.suffix).name:
        notes.append(f"{target.name} is open in another program, so the new workbook was saved as {path.name}.")
    if cut_count:
        cells = f"{cut_count} cell{'' if cut_count == 1 else 's'}"
        notes.append(f"{cells} had more text than a cell can hold; the whole text is in results.jsonl.")
    return path


def _save_copy_or_alone(
    target: Path, package: Package | None, contents: Contents, notes: list[str]
) -> tuple[Path, int]:
    if package is not None:
        try:
            return save_beside(target, lambda path: _write_copy(path, package, contents))
        except Unpatchable as reason:
            notes.append(f"The graded workbook holds our sheets only, not a copy of the criteria's, because {reason}.")
    return save_beside(target.with_suffix(".xlsx"), lambda path: _write_alone(path, contents))


def _write_copy(path: Path, package: Package, contents: Contents) -> int:
    """Write a copy of the package with our sheets, check it, and return how many cells were cut.

    Raises:
        Unpatchable: the package cannot take our sheets, or the copy has faults that the original has not.
    """
    donor = BytesIO()
    cut_count = write_our_sheets(donor, contents, free_names(package), width_unit=width_unit(package))
    merge_donor(package, open_donor(donor), contents.about)
    package.save(path)
    problems = check_copy(Package(package.original), path, touched=package.changed_names)
    if problems:
        raise Unpatchable(f"the copy did not pass our check ({'; '.join(problems[:3])})")
    return cut_count


def _write_alone(path: Path, contents: Contents) -> int:
    is_streamed = len(contents.grades) > MOST_ROWS_IN_COPY
    cut_count = write_our_sheets(path, contents, SheetNames(), is_streamed=is_streamed)
    problems = check_streamed(path) if is_streamed else check_alone(path)
    if problems:
        raise RunError(f"{path} was written, but is damaged: {'; '.join(problems)}")
    return cut_count
