"""Decides where columns of ours can stand in the expert's own criteria sheet, or says why not; changes nothing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from lxml import etree

from grader.outputs.graded_workbook.area import MOST_COLUMNS, Area, parse_area
from grader.outputs.graded_workbook.cell_texts import CellTexts
from grader.outputs.graded_workbook.in_place.grid import Grid, cell_at, numbered_cells, read_grid
from grader.outputs.graded_workbook.in_place.looks_at import growing_reference, what_looks_at
from grader.outputs.graded_workbook.in_place.occupied import what_stands_on
from grader.outputs.graded_workbook.in_place.refusal import NotInPlace
from grader.outputs.graded_workbook.ooxml import main
from grader.outputs.graded_workbook.package import Package
from grader.outputs.graded_workbook.review_columns import column_letters
from grader.plain_text import strip_invisible

_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,3})?")
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")


@dataclass(frozen=True, slots=True)
class CriteriaSheet:
    """Which sheet of the expert's workbook the criteria were read from, and where its header is."""

    name: str
    header_row: int
    """From 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where our columns go; rows and columns count from 1."""

    sheet: str
    part: str
    header_row: int
    last_row: int
    first_column: int
    last_column: int
    headers: tuple[str, ...]
    """The header cells of the columns that are there, folded as Excel compares them."""
    tables: tuple[str, ...] = ()
    """The parts of the tables that must grow over our columns."""
    has_filter: bool = False
    """Whether the sheet's own filter must grow over them."""

    @property
    def header_cells(self) -> str:
        """Our header cells, `G1:L1`."""
        first, last = (column_letters(column - 1) for column in (self.first_column, self.last_column))
        return f"{first}{self.header_row}:{last}{self.header_row}"


def find_place(package: Package, criteria: CriteriaSheet, said: Mapping[str, str], count: int) -> Place:
    """Return the place of `count` columns directly beside the criteria.

    Args:
        package: The expert's workbook, without anything of ours.
        criteria: The sheet.
        said: What the cells of the graded rows held when they were read: ids and criteria by cell, `A2`.
        count: How many columns are wanted.

    Raises:
        NotInPlace: there is no safe place, with the reason.
        Unpatchable: a part of the package cannot be read.
    """
    part = _worksheet(package, criteria.name)
    grid = read_grid(package.tree(part))
    cells = _cells(said)
    _check_said(package, grid, cells)
    last_row = max(row for row, _ in cells)
    start = max(column for _, column in cells)
    tables = _tables(package, part, criteria.header_row, last_row)
    last_row = max([last_row, *(area.last_row for _, area in tables if area.first_column <= start <= area.last_column)])
    end = _last_data_column(grid, tables, criteria.header_row, last_row, start)
    place = Place(
        sheet=criteria.name,
        part=part,
        header_row=criteria.header_row,
        last_row=last_row,
        first_column=end + 1,
        last_column=end + count,
        headers=_headers(package, grid, criteria.header_row, end),
        tables=tuple(_growing_table(package, name, area, criteria.header_row, end) for name, area in tables),
        has_filter=_is_filter_adjacent(package.tree(part), criteria.header_row, last_row, end),
    )
    _check_free(package, grid, place)
    return place


def _worksheet(package: Package, name: str) -> str:
    part = package.sheets().get(name)
    if part is None or not package.find(part):
        raise NotInPlace(f"the workbook has no sheet {name} any more")
    root = package.tree(part)
    if root.tag != main("worksheet") or root.find(main("sheetData")) is None:
        raise NotInPlace(f"the sheet {name} is no worksheet")
    protection = root.find(main("sheetProtection"))
    if protection is not None and protection.get("sheet") in ("1", "true"):
        raise NotInPlace(f"the sheet {name} is protected")
    return part


def _cells(said: Mapping[str, str]) -> dict[tuple[int, int], str]:
    """Return what was said by row and column."""
    areas = {cell: parse_area(cell) for cell in said}
    return {(area.first_row, area.first_column): said[cell] for cell, area in areas.items() if area is not None}


def _check_said(package: Package, grid: Grid, cells: Mapping[tuple[int, int], str]) -> None:
    """Refuse where a cell holds something else than when it was read: rows have been moved or edited since."""
    texts = CellTexts(package)
    for (number, column), said in cells.items():
        row = grid.rows.get(number)
        cell = cell_at(row, number, column) if row is not None else None
        there = texts.text(cell) if cell is not None else None
        if there is None or (there != said and _plain(there) != _plain(said)):
            raise NotInPlace(f"{column_letters(column - 1)}{number} does not hold what was graded any more")


def _plain(text: str) -> str:
    """Return what two readings of one cell have in common: no blanks, which runs may lose, and plain numbers."""
    text = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    plain = "".join(unicodedata.normalize("NFKC", strip_invisible(text)).split())
    return f"{float(plain):.12g}" if _NUMBER.fullmatch(plain) else plain


def _tables(package: Package, part: str, header_row: int, last_row: int) -> list[tuple[str, Area]]:
    """Return the tables of the sheet that share rows with the criteria, by their parts."""
    found = []
    for relation in package.relations(part):
        if relation.kind == "table" and package.find(relation.target):
            area = parse_area(package.tree(relation.target).get("ref") or "")
            if area is None:
                raise NotInPlace("a table of the sheet does not say where it is")
            if area.first_row <= last_row and header_row <= area.last_row:
                found.append((relation.target, area))
    return found


def _last_data_column(grid: Grid, tables: list[tuple[str, Area]], header_row: int, last_row: int, start: int) -> int:
    """Return the last of the columns that stand side by side, from the one at `start` on."""
    used = {column for column, rows in grid.used.items() if any(header_row <= row <= last_row for row in rows)}
    used |= {column for _, area in tables for column in range(area.first_column, area.last_column + 1)}
    end = start
    while end + 1 in used:
        end += 1
    return end


def _headers(package: Package, grid: Grid, header_row: int, end: int) -> tuple[str, ...]:
    row = grid.rows.get(header_row)
    texts = CellTexts(package)
    cells = numbered_cells(row, header_row) if row is not None else ()
    return tuple(texts.text(cell).strip().casefold() for column, cell in cells if column <= end)


def _growing_table(package: Package, part: str, area: Area, header_row: int, end: int) -> str:
    """Return the part of a table that can grow over our columns.

    Raises:
        NotInPlace: it cannot.
    """
    table = package.tree(part)
    name = table.get("displayName") or part
    if area.first_row != header_row or area.last_column != end:
        raise NotInPlace(f"the table {name} ({area}) does not reach to the last column of the criteria")
    reasons = {
        "it has a totals row": int(table.get("totalsRowCount") or 0) > 0,
        "it has no header row": table.get("headerRowCount", "1") != "1",
        "its rows come from a query": table.get("tableType", "worksheet") != "worksheet"
        or any(relation.kind == "queryTable" for relation in package.relations(part)),
        "it has calculated columns": table.find(f".//{main('calculatedColumnFormula')}") is not None,
    }
    for reason, is_so in reasons.items():
        if is_so:
            raise NotInPlace(f"the table {name} cannot grow: {reason}")
    whole = growing_reference(package, name)
    if whole:
        raise NotInPlace(whole)
    return part


def _is_filter_adjacent(root: etree._Element, header_row: int, last_row: int, end: int) -> bool:
    """Return whether the sheet has a filter over the criteria, which then must grow.

    Raises:
        NotInPlace: it has one that ends elsewhere, so that sorting would part our columns from their rows.
    """
    element = root.find(main("autoFilter"))
    area = parse_area(element.get("ref") or "") if element is not None else None
    if area is None or area.first_row > last_row or area.last_row < header_row:
        return False
    if area.first_row != header_row or area.last_column != end:
        raise NotInPlace(f"the sheet's filter ({area}) does not reach to the last column of the criteria")
    return True


def _check_free(package: Package, grid: Grid, place: Place) -> None:
    if place.last_column + 1 > MOST_COLUMNS:
        raise NotInPlace("there are no free columns on the right of the criteria")
    for column in range(place.first_column, place.last_column + 2):
        if column in grid.used:
            # In the column behind ours too: it must stay apart, as sorting takes in all that touches.
            raise NotInPlace(f"{column_letters(column - 1)}{grid.used[column][0]} is not empty")
    ours = Area(place.header_row, place.last_row, place.first_column, place.last_column)
    taken = what_stands_on(package, place.part, ours)
    if taken:
        raise NotInPlace(f"the cells beside the criteria are taken by {taken}")
    columns = _columns_under(package.tree(place.part), place)
    if any(int(col.get("outlineLevel") or 0) for col in columns):
        raise NotInPlace("the columns beside the criteria are part of a group")
    if any(col.get("hidden") in ("1", "true") for col in columns):
        raise NotInPlace("the columns beside the criteria are hidden")
    looking = what_looks_at(package, place.sheet, ours)
    if looking:
        raise NotInPlace(f"{looking}, where the new columns would be")


def _columns_under(root: etree._Element, place: Place) -> list[etree._Element]:
    return [
        col
        for col in root.iterfind(f"{main('cols')}/{main('col')}")
        if int(col.get("min") or 0) <= place.last_column and int(col.get("max") or 0) >= place.first_column
    ]
