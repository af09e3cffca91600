"""Writes our columns into a sheet of a donor workbook, in the very cells where they will stand; decides no place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from io import BytesIO
from typing import Any, NamedTuple

from grader.outputs.graded_workbook.expert_result import BLIND
from grader.outputs.graded_workbook.finished_rows import CellValue
from grader.outputs.graded_workbook.in_place.look import Looks
from grader.outputs.graded_workbook.in_place.notes import Note, make_notes, write_patterns
from grader.outputs.graded_workbook.in_place.place import Place
from grader.outputs.graded_workbook.in_place.row_cells import RowCells
from grader.outputs.graded_workbook.opening import open_donor
from grader.outputs.graded_workbook.package import Package
from grader.outputs.graded_workbook.row_height import display_width, row_points
from grader.outputs.graded_workbook.sheet import Book, Sheet
from grader.outputs.graded_workbook.text import line_text, safe_text

KINDS = ("score", "verdict", "analysis")
_WIDTHS = (8, 18, 54)
_WIDEST_FOR_HEADER = 26
_BUTTON = 3
_NAME_LIMIT = 60
_LONGEST_NOTE = 1_000
_MORE = " … [all of it is on Review]"
_LINE_CHARACTERS = 60
"""That the analysis shows in one line, with some room: LibreOffice's stand-in for Calibri is as wide, others wider."""
_LINE_PIXELS = 18
_ONE_LINE_POINTS = row_points([("", 1)])
_USUAL_POINTS = 15
_EMPTY = RowCells()


def column_headers(systems: Iterable[str], taken: Iterable[str]) -> tuple[str, ...]:
    """Return the headers of all our columns, each once and unlike those that are there: a table needs that."""
    used = {header.casefold() for header in taken}
    headers: list[str] = []
    for system in systems:
        name = line_text(system, _NAME_LIMIT)
        candidate, number = name, 2
        while any(f"{candidate} {kind}".casefold() in used for kind in KINDS):
            candidate, number = f"{name} ({number})", number + 1
        headers += [f"{candidate} {kind}" for kind in KINDS]
        used |= {header.casefold() for header in headers}
    return tuple(headers)


def write_columns(
    place: Place,
    systems: Mapping[str, Mapping[int, RowCells]],
    headers: tuple[str, ...],
    unit: float,
    heights: Mapping[int, float],
) -> tuple[Package, int]:
    """Return a workbook of one sheet with our columns at `place`, and how many cells' texts had to be cut.

    `unit` is what one unit of column width is in the expert's workbook, compared with Calibri 11, `heights`
    are those of rows that have one of their own, in points.
    """
    made = BytesIO()
    book = Book(made, mean_format="0.00", is_streamed=False, width_unit=unit)
    sheet, looks = book.add_sheet("Columns"), Looks(book.raw)
    _write_headers(sheet, place, headers, looks)
    notes = _write_rows(sheet, place, systems, looks, heights)
    write_patterns(sheet.raw, place.header_row - 1, notes)
    book.close()
    donor = open_donor(made)
    make_notes(donor, notes)
    return donor, book.cut_count


def _write_headers(sheet: Sheet, place: Place, headers: tuple[str, ...], looks: Looks) -> None:
    """Write headers that are seen whole in a line, beside a filter's button: the row's height is the expert's."""
    for offset, header in enumerate(headers):
        column = place.first_column - 1 + offset
        sheet.text(place.header_row - 1, column, header, looks["header"])
        width = min(_WIDEST_FOR_HEADER, len(header) + _BUTTON)
        sheet.set_width(column, column, max(_WIDTHS[offset % len(_WIDTHS)], width))


def _write_rows(
    sheet: Sheet,
    place: Place,
    systems: Mapping[str, Mapping[int, RowCells]],
    looks: Looks,
    heights: Mapping[int, float],
) -> list[Note]:
    """Write the cells of all rows, and return their notes."""
    first, count = place.first_column - 1, len(systems) * len(KINDS)
    rows, notes = sheet.begin_rows([looks["header"]] * count, first), list[Note]()
    for row in range(place.header_row, place.last_row):
        ours = [cells.get(row + 1, _EMPTY) for cells in systems.values()]
        cells = [cell for each in ours for cell in _row_cells(each, looks, heights.get(row + 1, 0.0))]
        rows.add(row, _USUAL_POINTS, [cell.value for cell in cells], [cell.style for cell in cells])
        notes += [_note(row, column, cell.note) for column, cell in enumerate(cells, start=first) if cell.note]
    return notes


class _Cell(NamedTuple):
    """One of our cells, and its note."""

    value: CellValue
    style: Any
    note: str = ""


def _row_cells(cells: RowCells, looks: Looks, height: float) -> tuple[_Cell, _Cell, _Cell]:
    if cells.is_blind:
        blind = _Cell(BLIND, looks["blind"])
        return blind, blind, blind
    if cells.score is None:
        score = _Cell(None, looks["unscored" if cells.look == "unscored" else "score"], cells.note)
    else:
        score = _Cell(round(cells.score, 10), looks.score(cells.share or 0.0, cells.score), cells.note)
    return score, _Cell(cells.verdict, looks[cells.look]), _analysis(cells.analysis, looks, height)


def _analysis(text: str, looks: Looks, height: float) -> _Cell:
    """Return a text in lines where the row is high enough for all of them, else its beginning, and all in a note.

    The rows' heights are the expert's. LibreOffice prints lines that do not fit over the next row, and what is longer
    than the last column on pages of its own, whatever the cell's alignment.
    """
    line = " ".join(text.split())
    if row_points([(text, _WIDTHS[2])]) <= max(height, _ONE_LINE_POINTS):
        return _Cell(text, looks["text"])
    if display_width(line) <= _LINE_CHARACTERS:
        return _Cell(line, looks["one_line"])
    return _Cell(_beginning(line), looks["one_line"], text)


def _beginning(line: str) -> str:
    """Return as many whole words as the column shows, with a mark that there is more."""
    kept = line[:_LINE_CHARACTERS]
    while display_width(kept) > _LINE_CHARACTERS:
        kept = kept[:-1]
    return (kept.rsplit(" ", 1)[0] or kept).rstrip() + " …"


def _note(row: int, column: int, text: str) -> Note:
    note = safe_text(text)
    if len(note) > _LONGEST_NOTE:
        note = note[:_LONGEST_NOTE] + _MORE
    lines = sum(1 + len(line) // 40 for line in note.split("\n"))
    return Note(row, column, note, pixels=min(400, _LINE_PIXELS * (lines + 1)))
