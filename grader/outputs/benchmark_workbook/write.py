"""Writes the graded.xlsx of a benchmark: Matrix, Items, Weights and About, whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from grader.benchmark_records import BenchmarkRun
from grader.errors import RunError
from grader.outputs.benchmark_workbook.facts import about_sections, run_facts
from grader.outputs.benchmark_workbook.item_columns import items_layout
from grader.outputs.benchmark_workbook.item_entries import ItemEntry, Unreadable, read_item_entries
from grader.outputs.benchmark_workbook.items_sheet import SCALE, ItemsSheet
from grader.outputs.benchmark_workbook.matrix_sheet import MatrixSheet
from grader.outputs.benchmark_workbook.survey import Survey, survey_items
from grader.outputs.benchmark_workbook.weights_sheet import has_other_weights, write_weights
from grader.outputs.graded_workbook.about_sheet import write_sections
from grader.outputs.graded_workbook.formats import mean_format
from grader.outputs.graded_workbook.lint import check_alone, check_streamed
from grader.outputs.graded_workbook.merge.properties import property_values
from grader.outputs.graded_workbook.saving import next_free_name, save_beside
from grader.outputs.graded_workbook.sheet import Book, checked
from grader.outputs.graded_workbook.write import MOST_ROWS_IN_COPY, WrittenWorkbook

WHOLE_TEXTS = "the ESI_Result files"
_MOST_ROWS = 1_048_575


def write_benchmark_workbook(path: Path, run: BenchmarkRun) -> WrittenWorkbook:
    """Write the workbook of `run` to `path`, or beside it where a file there is open or must be kept.

    What experts have typed into a workbook at `path` is carried over to the same items. The items of `run` are gone
    through twice, and with more than 20,000 of them the file is written row by row in little memory.

    Raises:
        RunError: the folder cannot be written to, or there are more items than a sheet has rows.
    """
    notes: list[str] = []
    entries, reason = _earlier(path)
    survey = survey_items(run, entries)
    if survey.count > _MOST_ROWS:
        raise RunError(
            f"{survey.count:,} items do not fit in a worksheet", hint="Run fewer datasets or models at once."
        )
    left = len(entries.keys() - survey.carried)
    if left and not reason:
        reason = f"{left} of the expert's entries belong to items that are no longer there, or have changed"
    target = path
    if reason:
        target = next_free_name(path)
        notes.append(f"{path.name} was kept, because {reason}; the new workbook is {target.name}.")
    elif survey.carried:
        rows = f"{len(survey.carried)} row{'' if len(survey.carried) == 1 else 's'}"
        notes.append(f"The expert's entries in {rows} were carried over from the earlier workbook.")
    written, cut_count = save_beside(target, lambda beside: _write(beside, survey))
    if written != target:
        notes.append(f"{target.name} is open in another program, so the new workbook was saved as {written.name}.")
    if cut_count:
        cells = f"{cut_count} cell{'' if cut_count == 1 else 's'}"
        notes.append(f"{cells} had more text than a cell can hold; the whole text is in {WHOLE_TEXTS}.")
    return WrittenWorkbook(written, tuple(notes))


def _earlier(path: Path) -> tuple[Mapping[str, ItemEntry], str]:
    """Return what experts have entered in the workbook that would be replaced, and why it must be kept, if so."""
    if not path.exists():
        return {}, ""
    try:
        entries = read_item_entries(path)
        return entries, "its weights were changed by hand" if has_other_weights(path) else ""
    except Unreadable as reason:
        return {}, str(reason)


def _write(path: Path, survey: Survey) -> int:
    """Write and check the file; return how many cells' texts had to be cut."""
    is_streamed = survey.count > MOST_ROWS_IN_COPY
    book = Book(
        path,
        mean_format=mean_format(SCALE.max - SCALE.min),
        is_streamed=is_streamed,
        width_unit=1.0,
        whole_texts=WHOLE_TEXTS,
    )
    layout = items_layout(survey.said, survey.count)
    MatrixSheet(book, survey, layout).write()
    ItemsSheet(book, survey, layout).write()
    write_weights(book, survey.run)
    write_sections(book, "About", about_sections(survey))
    for name, value in property_values(run_facts(survey)).items():
        checked(book.raw.set_custom_property(name, value))
    book.close()
    problems = check_streamed(path) if is_streamed else check_alone(path)
    if problems:
        raise RunError(f"{path} was written, but is damaged: {'; '.join(problems)}")
    return book.cut_count
