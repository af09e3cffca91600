"""Rectangles of cells, and those that formulas name; knows no package and judges nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from grader.outputs.graded_workbook.review_columns import column_index, column_letters

MOST_ROWS = 1_048_576
MOST_COLUMNS = 16_384

_CELL = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_CORNER = re.compile(r"\$?([A-Za-z]{1,3})?\$?([0-9]{1,7})?")
_TEXT = re.compile(r'"(?:[^"]|"")*"')
_REFERENCE = re.compile(
    r"""(?<![\w.\\?$'])
    (?:(?P<book>\[[^\]]*\])?(?P<sheet>'(?:[^']|'')++'|[^\W\d][\w.]*(?::[^\W\d][\w.]*)?)!)?
    (?P<cells>\$?[A-Z]{1,3}\$?[0-9]{1,7}(?::\$?[A-Z]{1,3}\$?[0-9]{1,7})?
      |\$?[A-Z]{1,3}:\$?[A-Z]{1,3}|\$?[0-9]{1,7}:\$?[0-9]{1,7})
    (?![\w.(!\[])""",
    re.VERBOSE | re.IGNORECASE,
)
_ROW_THAT_MOVES = re.compile(r"(?<!\$)(?<!\d)\d")
_COLUMN_THAT_MOVES = re.compile(r"(?<!\$)(?<![A-Z])[A-Z]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Area:
    """Cells from one corner to the other, both included; rows and columns count from 1."""

    first_row: int
    last_row: int
    first_column: int
    last_column: int

    def meets(self, other: Area) -> bool:
        """Return whether the two have a cell in common."""
        return (
            self.first_row <= other.last_row
            and other.first_row <= self.last_row
            and self.first_column <= other.last_column
            and other.first_column <= self.last_column
        )

    def holds(self, other: Area) -> bool:
        """Return whether all of `other` lies in this one."""
        return (
            self.first_row <= other.first_row
            and other.last_row <= self.last_row
            and self.first_column <= other.first_column
            and other.last_column <= self.last_column
        )

    def without(self, other: Area) -> list[Area]:
        """Return what is left without `other`: at most four areas, from left to right."""
        if not self.meets(other):
            return [self]
        left, right = max(self.first_column, other.first_column), min(self.last_column, other.last_column)
        pieces = [
            Area(self.first_row, self.last_row, self.first_column, left - 1),
            Area(self.first_row, other.first_row - 1, left, right),
            Area(other.last_row + 1, self.last_row, left, right),
            Area(self.first_row, self.last_row, right + 1, self.last_column),
        ]
        return [
            piece for piece in pieces if piece.first_row <= piece.last_row and piece.first_column <= piece.last_column
        ]

    def __str__(self) -> str:
        first = f"{column_letters(self.first_column - 1)}{self.first_row}"
        last = f"{column_letters(self.last_column - 1)}{self.last_row}"
        return first if first == last else f"{first}:{last}"


@dataclass(frozen=True, slots=True)
class Reference:
    """What a formula names."""

    sheet: str | None
    """`None` for the formula's own sheet; `first:last` for a stretch of sheets."""
    area: Area


def parse_area(text: str) -> Area | None:
    """Return the area of `A1`, `$A$1:B2`, `A:C` or `2:3`; `None` for anything else."""
    cell = _CELL.fullmatch(text)
    if cell is not None:  # as most are
        row, column = int(cell[2]), column_index(cell[1]) + 1
        return Area(row, row, column, column)
    first, _, last = text.partition(":")
    start, end = _CORNER.fullmatch(first), _CORNER.fullmatch(last or first)
    if not start or not end or not any(start.groups()):
        return None
    rows = [int(row) for row in (start[2], end[2]) if row] or [1, MOST_ROWS]
    columns = [column_index(each.upper()) + 1 for each in (start[1], end[1]) if each] or [1, MOST_COLUMNS]
    return Area(min(rows), max(rows), min(columns), max(columns))


def parse_areas(text: str) -> list[Area]:
    """Return the areas of a list such as `A1:B2 D4`, as the format writes them."""
    return [area for each in text.split() if (area := parse_area(each)) is not None]


def bounds(areas: Collection[Area]) -> Area | None:
    """Return the smallest area around all of them."""
    if not areas:
        return None
    return Area(
        min(area.first_row for area in areas),
        max(area.last_row for area in areas),
        min(area.first_column for area in areas),
        max(area.last_column for area in areas),
    )


def trimmed(references: str, unwanted: Area) -> str:
    """Return a list of areas such as `A1:L16 N1` without the cells of `unwanted`; empty where none is left."""
    left: list[str] = []
    for text in references.split():
        found = parse_area(text)
        pieces = [] if found is None else found.without(unwanted)
        left += [text] if found is None or pieces == [found] else map(str, pieces)
    return " ".join(left)


def references(formula: str, filled: Area | None = None) -> Iterator[Reference]:
    """Yield what a formula names in this workbook; `filled` are the cells for which it is written but once."""
    if filled is None and not any(mark in formula for mark in ":!$") and not any(map(str.isdigit, formula)):
        return
    for match in _REFERENCE.finditer(_TEXT.sub('""', formula)):
        area = parse_area(match["cells"])
        sheet = match["sheet"]
        if sheet and sheet.startswith("'"):
            sheet = sheet[1:-1].replace("''", "'")
        is_elsewhere = match["book"] not in (None, "[0]") or "[" in (sheet or "")
        if area is not None and not is_elsewhere:
            yield Reference(sheet, _moved(area, match["cells"], filled) if filled else area)


def _moved(area: Area, text: str, filled: Area) -> Area:
    """Return all that a reference stands for as its formula moves over `filled`."""
    rows = filled.last_row - filled.first_row if _ROW_THAT_MOVES.search(text) else 0
    columns = filled.last_column - filled.first_column if _COLUMN_THAT_MOVES.search(text) else 0
    return Area(
        area.first_row,
        min(MOST_ROWS, area.last_row + rows),
        area.first_column,
        min(MOST_COLUMNS, area.last_column + columns),
    )
