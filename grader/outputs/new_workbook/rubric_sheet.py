"""Writes the Rubric sheet of a new workbook: what an expert may decide about a rubric, filled in as it is."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from openpyxl import Workbook
from openpyxl.styles import Alignment
from openpyxl.worksheet.worksheet import Worksheet

from grader.outputs.new_workbook import look
from grader.rubric import Rubric
from grader.rubric_settings import (
    EVERY_DIMENSION,
    SETTINGS_HEADER,
    SHEET_NAME,
    TYPE_LABEL,
    Setting,
    Table,
    has_fixed_scale,
    setting_value,
    settings_of,
    table_rows,
    tables_of,
)

_WIDTHS = (25.0, 12.0, 12.0, 66.0, 56.0)
_VALUE_WIDTH = sum(_WIDTHS[1:4])
_SPARE_ROWS = 2
"""Empty rows behind a table, ready for more of them."""

_TYPE_HELP = "How answers are judged and how their score comes about. For another type, make a new workbook."
_INTRODUCTION = (
    "What the judge is told, and how its scores come about. Change what is yellow; all else may stay as it is. "
    "An emptied cell means what the rubric type says by itself."
)


def write_rubric_sheet(workbook: Workbook, rubric: Rubric, rubric_type: str) -> None:
    """Add the sheet to a workbook."""
    sheet = workbook.create_sheet(SHEET_NAME)
    look.set_widths(sheet, _WIDTHS)
    sheet.sheet_view.showGridLines = False
    sheet.cell(1, 1, "Rubric").font = look.TITLE
    sheet.row_dimensions[1].height = 26
    sheet.cell(2, 1, _INTRODUCTION).font = look.NOTE
    row = 4
    for column, text in ((1, SETTINGS_HEADER[0]), (2, SETTINGS_HEADER[1]), (5, "What it means")):
        sheet.cell(row, column, text)
    look.style_header(sheet, row, range(1, 6))
    sheet.merge_cells(start_row=row, start_column=2, end_row=row, end_column=4)
    row = _write_setting(sheet, row + 1, TYPE_LABEL, rubric_type, _TYPE_HELP, is_input=False)
    for setting in settings_of(rubric):
        _add_check(sheet, row, setting)
        if setting.kind in ("numbers", "names"):
            sheet.cell(row, 2).number_format = "@"  # lest Excel makes a date of a list of numbers
        row = _write_setting(sheet, row, setting.label, setting_value(setting, rubric), setting.help)
    for table in tables_of(rubric):
        row = _write_table(sheet, row + 1, table, rubric)
    look.set_page(sheet)


def _write_setting(
    sheet: Worksheet, row: int, label: str, value: str | float | None, help_text: str, *, is_input: bool = True
) -> int:
    """Write one setting and return the next row."""
    sheet.cell(row, 1, label).font = look.BOLD
    cell = sheet.cell(row, 2, value)
    cell.font = look.PLAIN
    sheet.cell(row, 5, help_text).font = look.NOTE
    for column in range(1, 6):
        sheet.cell(row, column).border = look.BOX
        sheet.cell(row, column).alignment = look.WRAPPED
        if is_input and column in (2, 3, 4):
            sheet.cell(row, column).fill = look.INPUT_FILL
    cell.alignment = Alignment(wrap_text=True, vertical="top", horizontal="left")
    sheet.merge_cells(start_row=row, start_column=2, end_row=row, end_column=4)
    least = 64.0 if label == "Instructions to the judge" else 18.0
    look.fit_row(sheet, row, [(str(value or ""), _VALUE_WIDTH), (help_text, _WIDTHS[4])], least=least)
    return row + 1


def _add_check(sheet: Worksheet, row: int, setting: Setting) -> None:
    if setting.choices:
        look.add_choices(sheet, f"B{row}", setting.choices, label=setting.label)
    if setting.kind == "number":
        look.add_number_check(sheet, f"B{row}", label=setting.label)


def _write_table(sheet: Worksheet, row: int, table: Table, rubric: Rubric) -> int:
    """Write one table with its title and return the next row; it ends with an empty one."""
    sheet.cell(row, 1, table.title).font = look.SECTION
    sheet.cell(row, 2, table.help).font = look.NOTE
    sheet.row_dimensions[row].height = 20
    for column, text in enumerate(table.header, start=1):
        sheet.cell(row + 1, column, text)
    look.style_header(sheet, row + 1, range(1, len(table.header) + 1))
    rows = table_rows(table, rubric)
    first = row + 2
    spare = 0 if table.name == "dimensions" else _SPARE_ROWS
    for number in range(len(rows) + spare):
        values = rows[number] if number < len(rows) else ()
        _write_table_row(sheet, first + number, table, values, _fixed_columns(table, rubric))
    _add_table_checks(sheet, table, rubric, first, first + len(rows) + spare - 1)
    return first + len(rows) + spare


def _write_table_row(
    sheet: Worksheet, row: int, table: Table, values: Sequence[str | float | None], fixed: Collection[int]
) -> None:
    for column in range(1, len(table.header) + 1):
        cell = sheet.cell(row, column, values[column - 1] if values else None)
        cell.font, cell.border, cell.alignment = look.PLAIN, look.BOX, look.WRAPPED
        if column not in fixed:
            cell.fill = look.INPUT_FILL
        if table.name != "aspects" and (column in (2, 3) or (column == 1 and table.name != "dimensions")):
            cell.alignment = look.CENTRED
    texts = [(str(value or ""), _WIDTHS[column]) for column, value in enumerate(values)]
    look.fit_row(sheet, row, texts)


def _fixed_columns(table: Table, rubric: Rubric) -> Collection[int]:
    """Return the columns of a table that an expert cannot change."""
    if table.name == "dimensions":
        return (1, 2, 3) if has_fixed_scale(rubric) else (1,)
    return ()


def _add_table_checks(sheet: Worksheet, table: Table, rubric: Rubric, first: int, last: int) -> None:
    if table.name != "aspects":
        look.add_number_check(sheet, f"B{first}:C{last}", label=table.title)
    if table.name == "bands" and rubric.dimensions:
        names = [EVERY_DIMENSION, *(part.name for part in rubric.dimensions)]
        look.add_choices(sheet, f"A{first}:A{last}", names, label=table.header[0])
