"""Puts the cells of a donor's sheet into one of the expert's, at the same addresses; no value is overwritten."""

from __future__ import annotations

import copy

from lxml import etree

from grader.outputs.graded_workbook.area import Area, parse_area
from grader.outputs.graded_workbook.in_place.grid import column_of, holds_something, numbered_cells
from grader.outputs.graded_workbook.in_place.place import Place
from grader.outputs.graded_workbook.merge.donor_cells import DonorCells, split_cells
from grader.outputs.graded_workbook.merge.growth import grow_filter, grow_tables
from grader.outputs.graded_workbook.merge.notes import merge_notes
from grader.outputs.graded_workbook.merge.styles import StyleMap, merge_styles
from grader.outputs.graded_workbook.ooxml import WORKSHEET_ORDER, child_in_order, children, main, parse_xml
from grader.outputs.graded_workbook.package import Package, Unpatchable


def merge_columns(target: Package, donor: Package, place: Place, headers: tuple[str, ...]) -> tuple[str, ...]:
    """Add the donor's cells and notes to the expert's sheet, and let its tables and filter grow over them.

    Returns:
        What could not be carried over beside the cells, a sentence each.

    Raises:
        Unpatchable: a cell is not free after all, or the sheet is damaged.
    """
    source = next(iter(donor.sheets().values()))
    root = target.touch(place.part)
    ours = _carried_sheet(donor, source, merge_styles(target, donor))
    _merge_cells(root, ours, place)
    _merge_widths(root, ours)
    _grow_dimension(root, place)
    grow_tables(target, place, headers)
    grow_filter(target, place)
    return merge_notes(target, donor, place.part, source)


def _carried_sheet(donor: Package, part: str, styles: StyleMap) -> etree._Element:
    """Return the donor's sheet with its texts inside its cells, and with its cells' styles as the target counts."""
    before, cells, behind = split_cells(donor.data(part))
    return parse_xml(b"".join((before, *DonorCells(donor, styles).carried(cells), behind)))


def _merge_cells(root: etree._Element, ours: etree._Element, place: Place) -> None:
    data = child_in_order(root, "sheetData", WORKSHEET_ORDER)
    there = {int(row.get("r") or 0): row for row in data.iterchildren(main("row"))}
    rows = {int(row.get("r") or 0): row for row in ours.iter(main("row"))}
    previous: etree._Element | None = None
    for number in sorted({*there, *rows}):
        row = there.get(number)
        if row is None:
            row = etree.Element(main("row"), r=str(number))
            if previous is None:
                data.insert(0, row)
            else:
                previous.addnext(row)
        if number in rows:
            _merge_row(row, number, rows[number], place)
        previous = row


def _merge_row(row: etree._Element, number: int, ours: etree._Element, place: Place) -> None:
    row.attrib.pop("spans", "")  # a hint on which columns are used, which is not true any more
    if _ends_before(row, number, place.first_column):
        row.extend(ours)
        return
    theirs = dict(numbered_cells(row, number))
    for column, cell in list(numbered_cells(ours, number)):
        old = theirs.get(column)
        if old is not None:
            if holds_something(old):
                raise Unpatchable(f"{cell.get('r')} is not empty")
            row.replace(old, cell)
        else:
            row.insert(sum(other < column for other in theirs), cell)
        theirs[column] = cell


def _ends_before(row: etree._Element, number: int, column: int) -> bool:
    """Return whether the last that stands in a row, whose cells are in order, is a cell before `column`."""
    return not len(row) or 0 < column_of(row[-1], number) < column


def _merge_widths(root: etree._Element, donor: etree._Element) -> None:
    """Give our columns their widths, and leave all other columns the widths and formats they have."""
    ours = {
        number: col
        for col in donor.iterfind(f"{main('cols')}/{main('col')}")
        for number in range(int(col.get("min") or 0), int(col.get("max") or 0) + 1)
    }
    cols = child_in_order(root, "cols", WORKSHEET_ORDER)
    pieces: list[etree._Element] = []
    formats: dict[int, str] = {}
    first, last = min(ours), max(ours)
    for col in children(cols):
        start, end = int(col.get("min") or 0), int(col.get("max") or 0)
        cols.remove(col)
        pieces += [_piece(col, *each) for each in ((start, min(end, first - 1)), (max(start, last + 1), end))]
        formats |= {number: col.get("style") or "" for number in ours if start <= number <= end}
    for number, col in ours.items():
        piece = _piece(col, number, number)
        piece.attrib.pop("style", "")
        if formats.get(number):
            piece.set("style", formats[number])
        pieces.append(piece)
    kept = (piece for piece in pieces if int(piece.get("min") or 0) <= int(piece.get("max") or 0))
    cols.extend(sorted(kept, key=lambda piece: int(piece.get("min") or 0)))


def _piece(col: etree._Element, start: int, end: int) -> etree._Element:
    piece = copy.deepcopy(col)
    piece.tail = None
    piece.set("min", str(start))
    piece.set("max", str(end))
    return piece


def _grow_dimension(root: etree._Element, place: Place) -> None:
    """Say that the sheet reaches over our columns; where what it says cannot be read, say nothing, as is allowed."""
    dimension = root.find(main("dimension"))
    if dimension is None:
        return
    area = parse_area(dimension.get("ref") or "")
    if area is None:
        root.remove(dimension)
        return
    grown = Area(
        min(area.first_row, place.header_row),
        max(area.last_row, place.last_row),
        min(area.first_column, place.first_column),
        max(area.last_column, place.last_column),
    )
    dimension.set("ref", str(grown))
