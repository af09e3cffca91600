"""How a new workbook looks: its colours, fonts, widths and row heights; knows nothing of what it holds."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence

from openpyxl.comments import Comment
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet

FONT = "Calibri"
DARK, PALE, LINE, GREY, INPUT = "1F4E79", "DDEBF7", "BFBFBF", "7F7F7F", "FFF9E5"
TITLE = Font(name=FONT, size=16, bold=True, color=DARK)
SECTION = Font(name=FONT, size=12, bold=True, color=DARK)
HEADER = Font(name=FONT, size=11, bold=True, color="FFFFFF")
PLAIN = Font(name=FONT, size=11)
BOLD = Font(name=FONT, size=11, bold=True)
NOTE = Font(name=FONT, size=10, italic=True, color=GREY)
EXAMPLE = Font(name=FONT, size=11, italic=True, color=GREY)
CODE = Font(name="Consolas", size=10)
HEADER_FILL = PatternFill("solid", fgColor=DARK)
INPUT_FILL = PatternFill("solid", fgColor=INPUT)
EXAMPLE_FILL = PatternFill("solid", fgColor="F2F2F2")
WRAPPED = Alignment(wrap_text=True, vertical="top")
CENTRED = Alignment(horizontal="center", vertical="top")
_EDGE = Side(style="thin", color=LINE)
BOX = Border(left=_EDGE, right=_EDGE, top=_EDGE, bottom=_EDGE)
_LINE_HEIGHT = 15.0
_TALLEST = 400.0
"""Excel allows 409 points."""


def style_header(sheet: Worksheet, row: int, columns: Iterable[int]) -> None:
    """Give the cells of a header row the look of one."""
    for column in columns:
        cell = sheet.cell(row, column)
        cell.font, cell.fill, cell.border = HEADER, HEADER_FILL, BOX
        cell.alignment = Alignment(wrap_text=True, vertical="center")
    sheet.row_dimensions[row].height = 22


def set_widths(sheet: Worksheet, widths: Sequence[float]) -> None:
    """Set the widths of the first columns, in digits of the standard font."""
    for column, width in enumerate(widths, start=1):
        sheet.column_dimensions[get_column_letter(column)].width = width


def fit_row(sheet: Worksheet, row: int, texts: Iterable[tuple[str, float]], *, least: float = 18.0) -> None:
    """Make a row as high as its (text, column width) pairs need; no program does so for merged cells."""
    lines = max((_line_count(text, width) for text, width in texts), default=1)
    sheet.row_dimensions[row].height = min(_TALLEST, max(least, lines * _LINE_HEIGHT + 4))


def _line_count(text: str, width: float) -> int:
    return sum(max(1, math.ceil(_display_width(line) / max(1.0, width * 1.05 - 1))) for line in text.split("\n"))


def _display_width(text: str) -> float:
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + 0.9 * wide


def add_note(sheet: Worksheet, row: int, column: int, text: str) -> None:
    """Put a note on a cell, large enough for its text."""
    comment = Comment(text, "grader")
    comment.width, comment.height = 300, 30 + 20 * _line_count(text, 42)
    sheet.cell(row, column).comment = comment


def add_choices(sheet: Worksheet, cells: str, choices: Sequence[str], *, label: str) -> None:
    """Give cells a drop-down of a few words; an empty cell stays allowed."""
    validation = DataValidation(type="list", formula1=f'"{",".join(choices)}"', allow_blank=True)
    validation.errorTitle, validation.error = label, f"Choose one of: {', '.join(choices)}"
    sheet.add_data_validation(validation)
    validation.add(cells)


def add_number_check(sheet: Worksheet, cells: str, *, label: str) -> None:
    """Let cells take numbers only; an empty cell stays allowed."""
    validation = DataValidation(type="decimal", operator="between", formula1="-100000", formula2="100000")
    validation.allow_blank = True
    validation.errorTitle, validation.error = label, "Write a plain number, such as 5, 2.5 or -2"
    sheet.add_data_validation(validation)
    validation.add(cells)


def set_page(sheet: Worksheet, *, title_row: int | None = None) -> None:
    """Print on landscape pages, as wide as one page."""
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.paperSize = 9
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    sheet.page_margins.left = sheet.page_margins.right = 0.4
    if title_row:
        sheet.print_title_rows = f"{title_row}:{title_row}"
