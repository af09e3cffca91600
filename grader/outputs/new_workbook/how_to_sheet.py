"""Writes the How to sheet of a new workbook: one screen in plain words, for somebody who only knows Excel."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from grader.outputs.new_workbook import look
from grader.rubric import Rubric

SHEET_NAME = "How to"
_WIDTH = 112.0


def write_how_to_sheet(workbook: Workbook, rubric: Rubric, file_name: str) -> None:
    """Add the sheet to a workbook."""
    sheet = workbook.create_sheet(SHEET_NAME)
    sheet.sheet_view.showGridLines = False
    look.set_widths(sheet, (4.0, _WIDTH))
    sheet.cell(1, 1, "How to use this workbook").font = look.TITLE
    sheet.row_dimensions[1].height = 28
    row = 2
    sheet.cell(row, 1, f"{rubric.title}. {rubric.description}").font = look.NOTE
    sheet.cell(row, 1).alignment = look.WRAPPED
    sheet.merge_cells(start_row=row, start_column=1, end_row=row, end_column=2)
    look.fit_row(sheet, row, [(f"{rubric.title}. {rubric.description}", _WIDTH)])
    row += 2
    for number, step in enumerate(_steps(rubric, file_name), start=1):
        row = _write_step(sheet, row, number, step) + 1
    look.set_page(sheet)


@dataclass(frozen=True, slots=True)
class _Step:
    title: str
    text: str
    commands: tuple[str, ...] = ()


def _write_step(sheet: Worksheet, row: int, number: int, step: _Step) -> int:
    """Write one step and return the next row."""
    sheet.cell(row, 1, number).font = look.SECTION
    sheet.cell(row, 1).alignment = look.CENTRED
    sheet.cell(row, 2, step.title).font = look.SECTION
    sheet.cell(row + 1, 2, step.text).font = look.PLAIN
    sheet.cell(row + 1, 2).alignment = look.WRAPPED
    look.fit_row(sheet, row + 1, [(step.text, _WIDTH)])
    for position, command in enumerate(step.commands, start=row + 2):
        sheet.cell(position, 2, command).font = look.CODE
    return row + 2 + len(step.commands)


def _steps(rubric: Rubric, file_name: str) -> tuple[_Step, ...]:
    score = f"grader score --criteria {shlex.quote(file_name)}"
    return (
        _Step(
            "Fill in the sheet Criteria",
            f"{_rows_in_words(rubric)} Point at a column's header to read what belongs there. The grey rows are "
            "examples: they are never graded, so keep them as a pattern or delete them. Columns and sheets of your "
            "own are welcome and stay as they are.",
        ),
        _Step(
            "If you like, adjust the sheet Rubric",
            "It says what the judge is told, such as what the numbers mean, and has room for instructions of your "
            "own in any language. Nothing has to be changed there.",
        ),
        _Step(
            "Have it checked",
            "This finds mistakes in the workbook and says in which cell. It costs nothing.",
            (f"grader check --criteria {shlex.quote(file_name)}",),
        ),
        _Step(
            "Have the answers graded",
            "With answers in files, one for each system; or without, where the column “answer” is filled in:",
            (f"{score} --answers answers.jsonl", score),
        ),
        _Step(
            "Look at the grades",
            "Grading writes a copy of this workbook, graded.xlsx, and never changes this one. On its sheet Review you "
            "see each score with the judge's reasons, and can put your own score beside it.",
        ),
    )


def _rows_in_words(rubric: Rubric) -> str:
    if "criteria" not in rubric.inputs:
        return "One row for each question, each with an id of its own."
    if rubric.layout == "points":
        return (
            "One row for each criterion, with its points. Rows of one question have the same id; its text stands on "
            "the first of them."
        )
    return (
        "One row for each question, each with an id of its own. Its criteria stand in the columns 25, 50 and 100, "
        "the most demanding under 100."
    )
