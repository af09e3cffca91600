"""Rules on what a spreadsheet program does to cells: dates, lost zeros, errors, merges, long texts."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from grader.checks.problem import Finding, Rule, Severity
from grader.checks.table import Table, TableRow
from grader.inputs.columns import cell_text, clean_text, normalise_id
from grader.inputs.sheet import EXCEL_TEXT_LIMIT, cell_name
from grader.inputs.spreadsheets import number_formats

_TWO_DECIMALS = re.compile(r"0\.(0{2,})")
_FIX_FAULT = "Correct the cell; where it is a formula, open the file in Excel or LibreOffice and save it"


def find_dates(table: Table) -> Iterator[Finding]:
    """Find dates where a text, a number or an id was meant; ids may be dates if all of them are."""
    columns = [*table.levels, *(table.fields[name] for name in ("criterion", "checklist") if name in table.fields)]
    ids_are_dates = all(_is_date(table.value(row.top, table.id_column)) for row in table.rows if row.item_id)
    for row in table.rows:
        own_id = [] if ids_are_dates or row.top != row.row else [table.id_column]
        for column in (*own_id, *columns):
            value = table.value(row.row, column)
            if _is_date(value):
                yield Finding(table.ref(row.row, column), f"the cell holds a date, {cell_text(value)}, and no text")


def _is_date(value: object) -> bool:
    return isinstance(value, (datetime.date, datetime.time, datetime.timedelta))


def find_lost_zeros(table: Table) -> Iterator[Finding]:
    """Find ids typed as 1.10 that are stored as 1.1: by how the cell is shown, or by their neighbours."""
    rows = [row for row in table.rows if row.top == row.row and _is_fraction(table.value(row.row, table.id_column))]
    if not rows:
        return
    formats = number_formats(Path(table.sheet.path), table.sheet.name, table.id_column)
    follows_nine = _rows_after_nine(table)
    for row in rows:
        shown = _as_shown(table.value(row.row, table.id_column), formats, row.row)
        if shown.endswith("0"):
            message = f"the id is shown as {shown} and stored as {row.item_id}"
        elif row.row in follows_nine:
            message = f"the id {row.item_id} stands where {row.item_id}0 would: Excel drops the last zero of a number"
        else:
            continue
        yield Finding(table.ref(row.row, table.id_column), message)


def _is_fraction(value: object) -> bool:
    return isinstance(value, float) and not value.is_integer()


def _as_shown(value: object, formats: Mapping[int, str], row: int) -> str:
    decimals = _TWO_DECIMALS.fullmatch(formats.get(row, ""))
    return f"{value:.{len(decimals[1])}f}" if decimals and isinstance(value, float) else cell_text(value)


def _rows_after_nine(table: Table) -> set[int]:
    """Return the rows whose id is 1.1 straight after 1.9, or straight before 1.11."""
    found: set[int] = set()
    for before, after in pairwise(row for row in table.rows if row.top == row.row):
        if _ends_in(before, ".9") and after.item_id == before.item_id[:-1] + "1":
            found.add(after.row)
        if _ends_in(before, ".1") and after.item_id == before.item_id + "1":
            found.add(before.row)
    return found


def _ends_in(row: TableRow, ending: str) -> bool:
    return row.item_id.endswith(ending)


def find_error_cells(table: Table) -> Iterator[Finding]:
    """Find cells that show an error."""
    return _faults(table, are_formulas=False)


def find_uncalculated_formulas(table: Table) -> Iterator[Finding]:
    """Find formulas whose result the file does not hold."""
    return _faults(table, are_formulas=True)


def _faults(table: Table, *, are_formulas: bool) -> Iterator[Finding]:
    used = set(table.used_columns)
    places = [place for place in sorted(table.sheet.faults) if place[0] > table.header_row and place[1] in used]
    if not table.sheet.faults_are_known:
        places = [(row.row, column) for row in table.rows for column in used if table.fault(row.row, column)]
    for row, column in places:
        fault = table.fault(row, column) or ""
        if fault.startswith("the formula") == are_formulas:
            yield Finding(table.ref(row, column), fault)


def find_merged_across(table: Table) -> Iterator[Finding]:
    """Find cells merged over several columns that are used: a value cannot be filled down sideways."""
    used = set(table.used_columns)
    last = table.rows[-1].row if table.rows else table.header_row
    for (top, left), (bottom, right) in table.sheet.merges:
        covered = [column for column in range(left, min(right, 16_383) + 1) if column in used]
        is_inside = table.header_row < top <= last and covered[1:]
        if is_inside and clean_text(table.value(top, left)):
            area = f"{cell_name(top, left)}:{cell_name(bottom, right)}"
            message = f"{area} is one merged cell over several columns, and its text counts only for the first"
            yield Finding(table.ref(top, left), message)


def find_long_cells(table: Table) -> Iterator[Finding]:
    """Find texts that are longer than Excel lets a cell be."""
    if table.sheet.name is None:
        return
    for row, values in enumerate(table.sheet.rows):
        for column, value in enumerate(values):
            if isinstance(value, str) and len(value) > EXCEL_TEXT_LIMIT:
                message = f"the cell has {len(value):,} characters, and Excel keeps only {EXCEL_TEXT_LIMIT:,}"
                yield Finding(table.ref(row, column), message)


def find_merged_ids(table: Table) -> Iterator[Finding]:
    """Find an id merged over rows that have more than one id typed below it, which nobody sees."""
    for row in table.rows:
        own = normalise_id(table.value(row.row, table.id_column))
        if row.top != row.row and own and own != row.item_id:
            message = f"the id {own} is hidden under the merged cell of {row.item_id}"
            yield Finding(table.ref(row.row, table.id_column), message)


RULES = (
    Rule(
        id="date-in-text",
        severity=Severity.ERROR,
        part="table",
        find=find_dates,
        finds="A criterion or an id that is a date; a lone date among ids that are none.",
        why="Excel turns what is typed as 1-3 or 2/4 into a date, and what was meant is lost.",
        fix="Format the cell as Text and type it again, or put an apostrophe in front: '1-3",
    ),
    Rule(
        id="lost-zero",
        severity=Severity.ERROR,
        part="table",
        find=find_lost_zeros,
        finds="An id such as 1.10 that Excel keeps as the number 1.1: shown as 1.10, or between 1.9 and 1.11.",
        why="It would be taken for 1.1, which is often another question.",
        fix="Format the column as Text and type the id again",
    ),
    Rule(
        id="error-cell",
        severity=Severity.ERROR,
        part="table",
        find=find_error_cells,
        finds="A cell that shows #REF!, #N/A or another error.",
        why="The judge would read the error instead of what was meant.",
        fix=_FIX_FAULT,
    ),
    Rule(
        id="formula-without-value",
        severity=Severity.ERROR,
        part="table",
        find=find_uncalculated_formulas,
        finds="A formula that was never calculated: the file holds no result.",
        why="The cell would be read as blank.",
        fix=_FIX_FAULT,
    ),
    Rule(
        id="merged-across",
        severity=Severity.ERROR,
        part="table",
        find=find_merged_across,
        finds="Cells of the table merged over several columns; a merge down a column is filled down and is fine.",
        why="The text stands in the first of the columns only; in the others it would be missing.",
        fix="Undo the merge (Home > Merge & Center) and type the text into each cell it is meant for",
    ),
    Rule(
        id="merged-id",
        severity=Severity.ERROR,
        part="table",
        find=find_merged_ids,
        finds="A row whose own id is covered by the merged cell of another.",
        why="Nobody sees the id, and the row would be taken for the other question's.",
        fix="Undo the merge and look at the ids",
    ),
    Rule(
        id="cell-too-long",
        severity=Severity.ERROR,
        part="table",
        find=find_long_cells,
        finds=f"A cell of a workbook with more than {EXCEL_TEXT_LIMIT:,} characters.",
        why="Excel repairs such a file by cutting the text. Grading reads it whole and only says so.",
        fix="Shorten the text, or split it over several cells",
        stops_scoring=False,
    ),
)
