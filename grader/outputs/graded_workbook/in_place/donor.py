"""Writes our columns into a sheet of a donor workbook, in the very cells where they will stand; decides no place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from io import BytesIO

from grader.outputs.graded_workbook.expert_result import BLIND
from grader.outputs.graded_workbook.in_place.look import Looks
from grader.outputs.graded_workbook.in_place.place import Place
from grader.outputs.graded_workbook.in_place.row_cells import RowCells
from grader.outputs.graded_workbook.row_height import display_width, row_points
from grader.outputs.graded_workbook.sheet import Book, Sheet, checked
from grader.outputs.graded_workbook.text import line_text, safe_text

AUTHOR = "grader"
KINDS = ("score", "verdict", "analysis")
_WIDTHS = (8, 18, 54)
_WIDEST_FOR_HEADER = 26
_BUTTON = 3
_NAME_LIMIT = 60
_LONGEST_NOTE = 1_000
_MORE = " … [all of it is on Review]"
_LINE_CHARACTERS = 60
"""That the analysis shows in one line, with some room: LibreOffice's stand-in for Calibri is as wide, others wider."""
_NOTE_WIDTH = 260
_LINE_PIXELS = 18
_ONE_LINE_POINTS = row_points([("", 1)])
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
    target: BytesIO,
    place: Place,
    systems: Mapping[str, Mapping[int, RowCells]],
    headers: tuple[str, ...],
    unit: float,
    heights: Mapping[int, float],
) -> int:
    """Write a workbook of one sheet with our columns at `place`; return how many cells' texts had to be cut.

    `unit` is what one unit of column width is in the expert's workbook, compared with Calibri 11, `heights`
    are those of rows that have one of their own, in points.
    """
    book = Book(target, mean_format="0.00", is_streamed=False, width_unit=unit)
    sheet = book.add_sheet("Columns")
    sheet.raw.set_comments_author(AUTHOR)
    looks = Looks(book.raw)
    for offset, header in enumerate(headers):
        column = place.first_column - 1 + offset
        sheet.text(place.header_row - 1, column, header, looks["header"])
        # Headers are seen whole in one line, beside the button of a filter: the row's height is the expert's.
        width = min(_WIDEST_FOR_HEADER, len(header) + _BUTTON)
        sheet.set_width(column, column, max(_WIDTHS[offset % len(_WIDTHS)], width))
    for offset, cells in enumerate(systems.values()):
        for row in range(place.header_row + 1, place.last_row + 1):
            column = place.first_column - 1 + offset * len(KINDS)
            _write_row(sheet, row - 1, column, cells.get(row, _EMPTY), looks, heights.get(row, 0.0))
    book.close()
    return book.cut_count


def _write_analysis(sheet: Sheet, row: int, column: int, text: str, looks: Looks, height: float) -> None:
    """Write a text in lines where the row is high enough for all of them, else its beginning, and all in a note.

    The rows' heights are the expert's. LibreOffice prints lines that do not fit over the next row, and what is longer
    than the last column on pages of its own, whatever the cell's alignment.
    """
    line = " ".join(text.split())
    if row_points([(text, _WIDTHS[2])]) <= max(height, _ONE_LINE_POINTS):
        sheet.text(row, column, text, looks["text"])
    elif display_width(line) <= _LINE_CHARACTERS:
        sheet.text(row, column, line, looks["one_line"])
    else:
        sheet.text(row, column, _beginning(line), looks["one_line"])
        _write_note(sheet, row, column, text)


def _beginning(line: str) -> str:
    """Return as many whole words as the column shows, with a mark that there is more."""
    kept = line[:_LINE_CHARACTERS]
    while display_width(kept) > _LINE_CHARACTERS:
        kept = kept[:-1]
    return (kept.rsplit(" ", 1)[0] or kept).rstrip() + " …"


def _write_note(sheet: Sheet, row: int, column: int, text: str) -> None:
    note = safe_text(text)
    if len(note) > _LONGEST_NOTE:
        note = note[:_LONGEST_NOTE] + _MORE
    lines = sum(1 + len(line) // 40 for line in note.split("\n"))
    size = {"width": _NOTE_WIDTH, "height": min(400, _LINE_PIXELS * (lines + 1))}
    checked(sheet.raw.write_comment(row, column, note, size))


def _write_row(sheet: Sheet, row: int, column: int, cells: RowCells, looks: Looks, height: float) -> None:
    if cells.is_blind:
        for offset in range(len(KINDS)):
            sheet.text(row, column + offset, BLIND, looks["blind"])
        return
    if cells.score is None:
        sheet.blank(row, column, looks["unscored" if cells.look == "unscored" else "score"])
    else:
        sheet.number(row, column, round(cells.score, 10), looks.score(cells.share or 0.0, cells.score))
    sheet.text(row, column + 1, cells.verdict, looks[cells.look])
    _write_analysis(sheet, row, column + 2, cells.analysis, looks, height)
    if cells.note:
        _write_note(sheet, row, column, cells.note)
