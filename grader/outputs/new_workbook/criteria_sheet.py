"""Writes the Criteria sheet of a new workbook: the columns that a rubric needs, explained, with greyed examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from openpyxl import Workbook
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from grader.outputs.new_workbook import look
from grader.outputs.new_workbook.examples import CHOICES, EXAMPLES, LEVELS, POINTS
from grader.rubric import Rubric

SHEET_NAME = "Criteria"
LEVEL_COLUMNS = (25, 50, 100)
_LAST_CHECKED_ROW = 2000
"""Drop-downs and number checks reach down to here."""

_COMPUTED = frozenset({"context_passages"})
"""Fields that grader finds by itself."""

_NOTES = {
    "id": "A short name for the question, different for each: 1, 2, 3 or Q01. Answers are matched by it. "
    "Rows whose id reads (example …) are not graded.",
    "question": "What was asked.",
    "reference": "The right answer. The judge compares with it.",
    "context": "What the answer should rest on: the document, the passage, the data.",
    "instruction": "What was said beside the question: a task, a form, a limit of length.",
    "history": "The conversation before the question, each turn as User: … or Assistant: …",
    "checklist": "What a good answer has, one point on each line (Alt+Enter makes a new line), "
    "or one row for each point with the id repeated.",
    "raw_output": "Everything the system wrote on the way to its answer, its reasoning included.",
    "criterion": "One thing that a good answer has, or a fault, on a row of its own. Repeat the id on each row.",
    "points": "What it counts when met: a plain number such as 3 or 0.5. A fault gets a number below 0. "
    "Empty counts 1.",
    "answer": "Optional: the answer to grade. Leave the column empty if answers come from files (--answers).",
}
_WIDTHS = {"id": 13.0, "points": 10.0, "strictness": 13.0, "context_role": 16.0, "criterion": 44.0, "question": 38.0}
_OPTIONAL_REFERENCE = "Optional: the right answer. The judge sees it beside the criteria."


@dataclass(frozen=True, slots=True, kw_only=True)
class NewColumn:
    """One column of the sheet: its field or level, its header, its note, and what it may hold."""

    name: str
    header: str | int
    note: str
    width: float = 36.0
    choices: tuple[str, ...] = ()


def columns_of(rubric: Rubric) -> tuple[NewColumn, ...]:
    """Return the columns that a workbook for `rubric` has, the answer last."""
    criteria = tuple(_criteria_columns(rubric))
    options = tuple(_option_column(name, choices) for name, choices in rubric.option_choices.items())
    return (_column("id", rubric), *_field_columns(rubric), *options, *criteria, _column("answer", rubric))


def _field_columns(rubric: Rubric) -> Iterator[NewColumn]:
    taken = {"answer", "criteria", *rubric.option_choices, *_COMPUTED}
    for name in (*rubric.inputs, *rubric.optional_inputs):
        if name not in taken:
            yield _column(name, rubric)


def _column(name: str, rubric: Rubric) -> NewColumn:
    note = _NOTES.get(name, f"The {name.replace('_', ' ')} of the question.")
    if name in rubric.optional_inputs:
        note = _OPTIONAL_REFERENCE if name == "reference" else f"Optional. {note}"
    return NewColumn(name=name, header=name.replace("_", " "), note=note, width=_WIDTHS.get(name, 36.0))


def _option_column(name: str, choices: tuple[str, ...]) -> NewColumn:
    return NewColumn(
        name=name,
        header=name.replace("_", " "),
        note=f"Optional: {' or '.join(choices)}, for this question. Empty: as the Rubric sheet says.",
        width=_WIDTHS.get(name, 16.0),
        choices=choices,
    )


def _criteria_columns(rubric: Rubric) -> Iterator[NewColumn]:
    if "criteria" not in rubric.inputs:
        return
    if rubric.layout == "points":
        yield _column("criterion", rubric)
        yield _column("points", rubric)
        return
    for level in LEVEL_COLUMNS:
        points = rubric.level_points(level)
        note = (
            f"Criteria of level {level}: each one met counts {points:g} points. Number them (1), (2) … on lines of "
            "their own. A level may be empty. The highest level with a criterion met decides."
        )
        yield NewColumn(name=str(level), header=level, note=note, width=34.0)


def write_criteria_sheet(workbook: Workbook, rubric: Rubric) -> None:
    """Add the sheet to a workbook."""
    sheet = workbook.create_sheet(SHEET_NAME)
    columns = columns_of(rubric)
    for number, column in enumerate(columns, start=1):
        sheet.cell(1, number, column.header)
        look.add_note(sheet, 1, number, column.note)
        _prepare_column(sheet, number, column)
    look.style_header(sheet, 1, range(1, len(columns) + 1))
    look.set_widths(sheet, [column.width for column in columns])
    for row, values in enumerate(_example_rows(rubric, columns), start=2):
        _write_example(sheet, row, columns, values)
    sheet.freeze_panes = "B2"
    look.set_page(sheet, title_row=1)


def _prepare_column(sheet: Worksheet, number: int, column: NewColumn) -> None:
    letter = get_column_letter(number)
    dimension = sheet.column_dimensions[letter]
    dimension.alignment = look.WRAPPED
    if column.name == "id":
        dimension.number_format = "@"  # 007 stays 007, and 1-3 does not become a date
    cells = f"{letter}2:{letter}{_LAST_CHECKED_ROW}"
    if column.choices:
        look.add_choices(sheet, cells, column.choices, label=str(column.header))
    if column.name == "points":
        look.add_number_check(sheet, cells, label="points")


def _example_rows(rubric: Rubric, columns: Sequence[NewColumn]) -> Iterator[dict[str, str | float]]:
    """Yield the values of each example row by column name."""
    for number, example in enumerate(EXAMPLES):
        values: dict[str, str | float] = {column.name: example.get(column.name, "") for column in columns}
        values |= {name: texts[number] for name, texts in CHOICES.items() if name in values}
        if rubric.layout == "points":
            for position, (criterion, points) in enumerate(POINTS[number]):
                shown = values if position == 0 else {"id": example["id"]}
                yield {**shown, "criterion": criterion, "points": points}
        elif "criteria" in rubric.inputs:
            yield values | {str(level): LEVELS[number][level] for level in LEVEL_COLUMNS}
        else:
            yield values


def _write_example(sheet: Worksheet, row: int, columns: Sequence[NewColumn], values: dict[str, str | float]) -> None:
    for number, column in enumerate(columns, start=1):
        cell = sheet.cell(row, number, values.get(column.name) or None)
        cell.font, cell.fill, cell.border, cell.alignment = look.EXAMPLE, look.EXAMPLE_FILL, look.BOX, look.WRAPPED
    look.fit_row(sheet, row, [(str(values.get(column.name, "")), column.width) for column in columns])
