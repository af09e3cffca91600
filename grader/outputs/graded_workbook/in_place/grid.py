"""The cells of one worksheet by row and column, as its XML has them; reads them and changes none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from lxml import etree

from grader.outputs.graded_workbook.in_place.refusal import NotInPlace
from grader.outputs.graded_workbook.ooxml import main
from grader.outputs.graded_workbook.review_columns import column_index

_LETTERS = re.compile("[A-Z]{1,3}")
_C = main("c")
_CONTENTS = frozenset(map(main, ("v", "f", "is")))


@dataclass(slots=True)
class Grid:
    """The rows of a sheet, and in which of them each column has something."""

    rows: dict[int, etree._Element] = field(default_factory=dict)
    used: dict[int, list[int]] = field(default_factory=dict)
    """Column to the rows of its cells that hold something, ascending."""


def read_grid(root: etree._Element) -> Grid:
    """Return the cells of a sheet.

    Raises:
        NotInPlace: rows or cells are without a number, twice there, or out of order.
    """
    grid = Grid()
    data = root.find(main("sheetData"))
    last = 0
    for row in data.iterchildren(main("row")) if data is not None else ():
        number = int(row.get("r") or 0)
        if number <= last:
            raise NotInPlace("its rows are out of order, or not numbered")
        last = number
        grid.rows[number] = row
        for column, cell in numbered_cells(row, number):
            if holds_something(cell):
                grid.used.setdefault(column, []).append(number)
    return grid


def row_heights(root: etree._Element) -> dict[int, float]:
    """Return the heights, in points, of the rows that have one of their own."""
    rows = root.iterfind(f"{main('sheetData')}/{main('row')}")
    return {int(row.get("r") or 0): float(row.get("ht") or 0) for row in rows if row.get("ht")}


def numbered_cells(row: etree._Element, number: int) -> Iterator[tuple[int, etree._Element]]:
    """Yield the cells of a row with their columns, from 1.

    Raises:
        NotInPlace: one is without a number, twice there, or out of order.
    """
    last = 0
    digits = str(number)
    for cell in row.iterchildren(_C):
        reference = cell.get("r", "")
        column = _column(reference[: -len(digits)]) if reference.endswith(digits) else 0
        if column <= last:
            raise NotInPlace(f"the cells of its row {number} are out of order, or not numbered")
        last = column
        yield column, cell


def cell_at(row: etree._Element, number: int, column: int) -> etree._Element | None:
    """Return the cell of a row in a column, looking first where it is in a row without gaps."""
    if column <= len(row) and column_of(row[column - 1], number) == column:
        return row[column - 1]
    return next((cell for each, cell in numbered_cells(row, number) if each == column), None)


def column_of(cell: etree._Element, row_number: int) -> int:
    """Return the column of a row's cell, from 1; 0 where it does not say one in that row."""
    reference, digits = cell.get("r", ""), str(row_number)
    return _column(reference.removesuffix(digits)) if reference.endswith(digits) else 0


@cache
def _column(letters: str) -> int:
    """Return the number of a column, from 1; 0 where there is no such column."""
    return column_index(letters) + 1 if _LETTERS.fullmatch(letters) else 0


def holds_something(cell: etree._Element) -> bool:
    """Return whether a cell has a value or a formula, and not just a format."""
    return len(cell) > 0 and (cell[0].tag in _CONTENTS or any(part.tag in _CONTENTS for part in cell))
