"""Writes graded.xlsx: a copy of the expert's workbook with our sheets behind theirs, or our sheets alone and why."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from grader.errors import RunError
from grader.outputs.graded_workbook.blind_choice import BlindWish
from grader.outputs.graded_workbook.earlier import (
    Earlier,
    look_at_earlier,
    unreviewed_count,
)
from grader.outputs.graded_workbook.expert_entries import ExpertEntry
from grader.outputs.graded_workbook.in_place.adding import AddedColumns, add_columns
from grader.outputs.graded_workbook.in_place.place import CriteriaSheet
from grader.outputs.graded_workbook.in_place.refusal import NotInPlace
from grader.outputs.graded_workbook.in_place.unchanged import changed_beside_ours
from grader.outputs.graded_workbook.keys import grade_key, text_hash
from grader.outputs.graded_workbook.lint import check_alone, check_copy, check_streamed, read_written
from grader.outputs.graded_workbook.marks import mark_source
from grader.outputs.graded_workbook.merge.merging import merge_donor
from grader.outputs.graded_workbook.merge.placing import place_sheets
from grader.outputs.graded_workbook.merge.styles import width_unit
from grader.outputs.graded_workbook.names import SheetNames, free_names
from grader.outputs.graded_workbook.opening import (
    EXTENSIONS,
    file_extension,
    has_manual_calculation,
    open_donor,
    open_package,
)
from grader.outputs.graded_workbook.our_sheets import Contents, write_our_sheets
from grader.outputs.graded_workbook.package import Package, Unpatchable
from grader.outputs.graded_workbook.removal.changes import remember_cells
from grader.outputs.graded_workbook.removal.removing import Removed, remove_ours
from grader.outputs.graded_workbook.source import Source, open_graded_before, open_source
from grader.outputs.graded_workbook.survey import Survey, survey_grades
from grader.outputs.graded_workbook.target import Target
from grader.outputs.review_queue import ReviewQueue
from grader.records import Grade
from grader.rubric import Rubric
from grader.statistics.agreement_records import AgreementReport
from grader.statistics.item_analysis_records import ItemAnalysis

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
    unreviewed_count: int = 0
    """Entries of experts that stand in it, and not yet in the run's store."""


def write_graded_workbook(
    out_path: Path,
    *,
    criteria_path: Path | None,
    criteria_sheet: CriteriaSheet | None = None,
    grades: Collection[Grade],
    rubric: Rubric,
    about: Mapping[str, str],
    judge_note: str = "",
    is_baseline: bool = False,
    stored: Mapping[str, ExpertEntry] | None = None,
    is_reviewed: bool = False,
    blind_count: int = 0,
    blind_kept: Collection[str] = frozenset(),
    known: Collection[str] = (),
    queue: ReviewQueue | None = None,
    agreement: AgreementReport | None = None,
    analysis: ItemAnalysis | None = None,
) -> WrittenWorkbook:
    """Write the graded workbook and say what is worth saying about it.

    Args:
        out_path: Where it goes; its suffix follows the criteria workbook's kind.
        criteria_path: The expert's workbook, which is never changed; `None` for our sheets alone.
        criteria_sheet: Where in it the criteria were read, for columns beside them; `None` for new sheets only.
        grades: In criteria order; gone through twice, so not a generator, but it may read from a store as it goes.
        rubric: What the scores mean.
        about: The run's facts, in the order to show them; also set as document properties.
        judge_note: Who judged, in a line for Summary.
        is_baseline: Whether that was text matching and no LLM, which Summary then says first of all.
        stored: What the run's store holds of earlier reviews, by row key.
        is_reviewed: Whether that is all there is: what is typed in the workbook at `out_path` has just been stored.
        blind_count: How many rows an expert is to score without seeing the judge's score, at random.
        blind_kept: Keys of rows that are to stay blind if they still exist.
        known: SHA-256 of workbooks beside `out_path` whose entries were carried on or stored before.
        queue: What must be known of all grades to say which need review; found out here where it is not given.
        agreement: The report for the sheet Agreement, once there is one.
        analysis: For the sheet Analysis; without it there is none.

    Raises:
        RunError: the folder cannot be written to, or there are more grades than a sheet has rows.
    """
    if len(grades) > _MOST_ROWS:
        raise RunError(f"{len(grades):,} grades do not fit in a worksheet", hint="Grade fewer systems per run.")
    notes: list[str] = []
    package, is_given = _package_to_patch(criteria_path, out_path, len(grades), notes)
    target = out_path.with_suffix(file_extension(package) if package else ".xlsx")
    earlier = look_at_earlier(target, criteria_path, package if is_given else None, known=known)
    removed = remove_ours(package) if package else Removed()
    notes += removed.notes
    wish = BlindWish(count=blind_count, kept={*blind_kept, *earlier.blind_keys})
    entries = earlier.laid_over(stored or {}, is_reviewed=is_reviewed)
    survey = survey_grades(grades, rubric, entries, stored=stored, blind=wish, queue=queue)
    if blind_count > survey.drawable_count:
        notes.append(f"There are {survey.drawable_count:,} rows to score blind, not {blind_count:,}: all of them are.")
    notes += _carried_notes(earlier, survey, target, is_reviewed=is_reviewed)
    contents = Contents(
        grades=grades,
        survey=survey,
        entries=entries,
        about=about,
        judge_note=judge_note,
        is_baseline=is_baseline,
        stored=stored or {},
        agreement=agreement,
        analysis=analysis,
    )
    called = criteria_path.stem if criteria_path else ""
    source = Source(package, removed, criteria_sheet, called) if package else None
    reasons = earlier.reasons_to_keep(survey.carried, is_reviewed=is_reviewed)
    path = _save(Target(target, earlier, reasons), source, contents, notes)
    return WrittenWorkbook(path, tuple(notes), _unreviewed(grades, earlier, entries, stored or {}))


def _package_to_patch(
    criteria_path: Path | None, out_path: Path, grade_count: int, notes: list[str]
) -> tuple[Package | None, bool]:
    """Return the workbook for our sheets, and whether it is the criteria workbook and no earlier copy of it."""
    if criteria_path is None:
        return None, False
    if grade_count > MOST_ROWS_IN_COPY:
        notes.append(_alone_note(criteria_path, f"there are more than {MOST_ROWS_IN_COPY:,} grades"))
        return None, False
    try:
        package = open_source(criteria_path)
    except Unpatchable as reason:
        # Of a text table or an .xls file there is no copy to look for.
        is_workbook = criteria_path.suffix.lower() in EXTENSIONS.values()
        before = open_graded_before(out_path, criteria_path) if is_workbook else None
        if before is None:
            notes.append(_alone_note(criteria_path, str(reason)))
            return None, False
        path, package = before
        notes.append(f"The expert's sheets were taken from {path.name} and not from {criteria_path}, because {reason}.")
        return package, False
    if has_manual_calculation(package):
        notes.append(
            f"{criteria_path.name} recalculates only when asked: press F9 after entering scores, "
            "or set Formulas, Calculation Options to Automatic."
        )
    return package, True


def _alone_note(criteria_path: Path, reason: str) -> str:
    return f"The graded workbook holds our sheets only, not a copy of {criteria_path.name}, because {reason}."


def _carried_notes(earlier: Earlier, survey: Survey, target: Path, *, is_reviewed: bool) -> list[str]:
    beside = ", ".join(typed.path.name for typed in earlier.carried_on if typed.entries)
    count = len(survey.carried & earlier.keys)
    notes = []
    if count and not is_reviewed:
        rows = f"{count} row{'' if count == 1 else 's'}"
        notes.append(f"The expert's scores and comments in {rows} were carried over from the earlier workbook.")
    if beside:
        notes.append(f"What was typed in {beside} was carried over too; go on with {target.name}.")
    left = {key for typed in earlier.carried_on for key in typed.entries} - survey.carried
    if left:
        rows = f"{len(left)} row{'' if len(left) == 1 else 's'}"
        notes.append(f"Entries in {beside} about {rows} that this run does not have stay there.")
    return notes


def _unreviewed(
    grades: Collection[Grade],
    earlier: Earlier,
    entries: Mapping[str, ExpertEntry],
    stored: Mapping[str, ExpertEntry],
) -> int:
    if not earlier.keys:
        return 0
    return unreviewed_count(entries, stored, ((grade_key(grade), text_hash(grade.item)) for grade in grades))


def _save(target: Target, source: Source | None, contents: Contents, notes: list[str]) -> Path:
    path, cut_count = _save_copy_or_alone(target, source, contents, notes)
    notes += target.notes(path)
    if cut_count:
        cells = f"{cut_count} cell{'' if cut_count == 1 else 's'}"
        notes.append(f"{cells} had more text than a cell can hold; the whole text is in results.jsonl.")
    return path


def _save_copy_or_alone(
    target: Target, source: Source | None, contents: Contents, notes: list[str]
) -> tuple[Path, int]:
    if source is not None:
        try:
            path, (cut_count, more) = target.save(lambda path: _write_copy(path, source, contents))
            notes += more
            return path, cut_count
        except Unpatchable as reason:
            if source.criteria_sheet is not None:
                notes.append(_new_sheets_note(str(reason)))
                return _save_copy_or_alone(target, source.without_columns(), contents, notes)
            notes.append(f"The graded workbook holds our sheets only, not a copy of the criteria's, because {reason}.")
    return target.save(lambda path: _write_alone(path, contents), suffix=".xlsx")


def _new_sheets_note(reason: str) -> str:
    return f"New sheets only: the criteria sheet has no columns with the results, because {reason}."


def _write_copy(path: Path, source: Source, contents: Contents) -> tuple[int, list[str]]:
    """Write a copy of the package with our columns and sheets, and check it.

    Returns:
        How many cells were cut, and sentences on what was left out.

    Raises:
        Unpatchable: the package cannot take our sheets, or the copy has faults that the original has not.
    """
    donor = BytesIO()
    package, removed = source.package, source.removed
    notes: list[str] = []
    columns = _add_columns(source, contents, notes)
    names = free_names(package, removed.names)
    cut_count = write_our_sheets(donor, contents, names, width_unit=width_unit(package))
    merge_donor(package, open_donor(donor), contents.about)
    place_sheets(package, names, removed.position)
    mark_source(package, removed.source or source.called)
    passed = remember_cells(package)
    package.save(path)
    problems = check_copy(Package(package.original), path, touched=package.changed_names, passed=passed)
    if columns is not None:
        problems += changed_beside_ours(columns.before, read_written(path, columns.place.part), columns.place)
    if problems:
        raise Unpatchable(f"the copy did not pass our check ({'; '.join(problems[:3])})")
    return cut_count + (columns.cut_count if columns else 0), notes


def _add_columns(source: Source, contents: Contents, notes: list[str]) -> AddedColumns | None:
    """Add our columns to the criteria sheet where that is wanted and safe; say why where it is not."""
    if source.criteria_sheet is None:
        return None
    try:
        rubric, blind = contents.survey.rubric, contents.blind_keys
        columns = add_columns(source.package, source.criteria_sheet, contents.grades, rubric, blind)
    except NotInPlace as reason:
        notes.append(_new_sheets_note(str(reason)))
        return None
    notes += columns.notes
    return columns


def _write_alone(path: Path, contents: Contents) -> int:
    is_streamed = len(contents.grades) > MOST_ROWS_IN_COPY
    cut_count = write_our_sheets(path, contents, SheetNames(), is_streamed=is_streamed)
    if not is_streamed:
        package = open_package(path)
        place_sheets(package, SheetNames(), None)
        remember_cells(package)
        package.save(path)
    problems = check_streamed(path) if is_streamed else check_alone(path)
    if problems:
        raise RunError(f"{path} was written, but is damaged: {'; '.join(problems)}")
    return cut_count
