"""Puts the cells of a donor's sheet into one of the expert's, at the same addresses; no value is overwritten."""

from __future__ import annotations

import copy

from lxml import etree

from grader.outputs.graded_workbook.area import Area, parse_area
from grader.outputs.graded_workbook.in_place.grid import holds_something, numbered_cells
from grader.outputs.graded_workbook.in_place.place import Place
from grader.outputs.graded_workbook.merge.growth import grow_filter, grow_tables
from grader.outputs.graded_workbook.merge.notes import merge_notes
from grader.outputs.graded_workbook.merge.styles import StyleMap, merge_styles
from grader.outputs.graded_workbook.ooxml import WORKSHEET_ORDER, child_in_order, children, main
from grader.outputs.graded_workbook.package import Package, Unpatchable

_SHARED_STRINGS = "xl/sharedStrings.xml"


def merge_columns(target: Package, donor: Package, place: Place, headers: tuple[str, ...]) -> tuple[str, ...]:
    """Add the donor's cells and notes to the expert's sheet, and let its tables and filter grow over them.

    Returns:
        What could not be carried over beside the cells, a sentence each.

    Raises:
        Unpatchable: a cell is not free after all, or the sheet is damaged.
    """
    source = next(iter(donor.sheets().values()))
    root = target.touch(place.part)
    _merge_cells(root, _donor_rows(donor, source, merge_styles(target, donor)))
    _merge_widths(root, donor.tree(source))
    _grow_dimension(root, place)
    grow_tables(target, place, headers)
    grow_filter(target, place)
    return merge_notes(target, donor, place.part, source)


def _donor_rows(donor: Package, part: str, styles: StyleMap) -> dict[int, list[tuple[int, etree._Element]]]:
    """Return the donor's cells by row, each with its column, its text inside and its style as the target counts."""
    strings = list(donor.tree(_SHARED_STRINGS)) if donor.find(_SHARED_STRINGS) else []
    formats = {str(ours): str(theirs) for ours, theirs in styles.formats.items()}
    rows = {}
    for row in donor.tree(part).iter(main("row")):
        number = int(row.get("r") or 0)
        rows[number] = list(numbered_cells(row, number))
        for _, cell in rows[number]:
            cell.set("s", formats[cell.get("s") or "0"])
            if cell.get("t") == "s":
                _write_inline(cell, strings)
    return rows


def _write_inline(cell: etree._Element, strings: list[etree._Element]) -> None:
    """Write a cell's text into it, so that the expert's part of shared strings stays as it is."""
    value = cell.find(main("v"))
    if value is not None:
        inline = etree.Element(main("is"))
        inline.extend(copy.deepcopy(run) for run in strings[int(value.text or 0)])
        cell.replace(value, inline)
        cell.set("t", "inlineStr")


def _merge_cells(root: etree._Element, rows: dict[int, list[tuple[int, etree._Element]]]) -> None:
    data = child_in_order(root, "sheetData", WORKSHEET_ORDER)
    there = {int(row.get("r") or 0): row for row in data.iterchildren(main("row"))}
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
            _merge_row(row, number, rows[number])
        previous = row


def _merge_row(row: etree._Element, number: int, ours: list[tuple[int, etree._Element]]) -> None:
    row.attrib.pop("spans", "")  # a hint on which columns are used, which is not true any more
    theirs = dict(numbered_cells(row, number))
    for column, cell in ours:
        old = theirs.get(column)
        if old is not None:
            if holds_something(old):
                raise Unpatchable(f"{cell.get('r')} is not empty")
            row.replace(old, cell)
        else:
            row.insert(sum(other < column for other in theirs), cell)
        theirs[column] = cell


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
