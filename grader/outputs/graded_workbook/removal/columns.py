"""Removes our columns from one of the expert's sheets: cells and all that lies on them; their own columns stay."""

from __future__ import annotations

import copy

from lxml import etree

from grader.outputs.graded_workbook.area import MOST_ROWS, Area, bounds, parse_area, trimmed
from grader.outputs.graded_workbook.ooxml import RELATION_ID, children, local_name, main
from grader.outputs.graded_workbook.package import Package
from grader.outputs.graded_workbook.removal.notes import remove_notes
from grader.outputs.graded_workbook.removal.tables import can_shrink, shrink_filter, shrink_table

_LISTS_OF_RANGES = ("conditionalFormatting", "dataValidation", "ignoredError", "protectedRange")
_WIDE = 1_024
"""LibreOffice describes the columns up to here, or to the last one, whether they are used or not."""


def remove_columns(package: Package, part: str, header: Area) -> bool:
    """Remove the columns of `header` from its row downwards; return whether they could be.

    They cannot, and stay, where a table or filter of the expert's goes on behind them.
    """
    area = Area(header.first_row, MOST_ROWS, header.first_column, header.last_column)
    tables = [relation.target for relation in package.relations(part) if relation.kind == "table"]
    tables = [table for table in tables if package.find(table)]
    sheet = package.tree(part)
    own_filter = sheet.find(main("autoFilter"))
    grown = [package.tree(table) for table in tables] + ([] if own_filter is None else [own_filter])
    if not all(can_shrink(element, area) for element in grown):
        return False
    package.touch(part)
    for table in tables:
        shrink_table(package, table, area)
    if own_filter is not None:
        shrink_filter(package, part, own_filter, area)
    _remove_cells(sheet, area)
    _remove_widths(sheet, area)
    _trim_lists_of_ranges(sheet, area)
    _remove_within(package, part, area)
    remove_notes(package, part, area)
    _set_dimension(sheet)
    return True


def cells_in(sheet: etree._Element, area: Area) -> list[etree._Element]:
    """Return the cells of a sheet that lie in an area, row by row."""
    found = []
    for row in sheet.iterfind(f"{main('sheetData')}/{main('row')}"):
        for cell in row.iterchildren(main("c")):
            place = parse_area(cell.get("r", ""))
            if place is not None and area.holds(place):
                found.append(cell)
    return found


def _remove_cells(sheet: etree._Element, area: Area) -> None:
    for cell in cells_in(sheet, area):
        row = cell.getparent()
        assert row is not None, "a cell stands in a row"
        row.remove(cell)
    for row in sheet.iterfind(f"{main('sheetData')}/{main('row')}"):
        spans = (row.get("spans") or "").split()
        kept = [span for span in (_cut_span(span, area) for span in spans) if span]
        if spans and kept != spans:
            row.attrib.pop("spans")  # it is only a hint, and Excel makes it anew


def _cut_span(span: str, area: Area) -> str:
    """Return a row's span unless it reaches into our columns."""
    _, _, last = span.partition(":")
    return "" if last.isdigit() and int(last) >= area.first_column else span


def _remove_widths(sheet: etree._Element, area: Area) -> None:
    """Cut our columns out of the list of widths, which counts from 1."""
    widths = sheet.find(main("cols"))
    first, last = area.first_column, area.last_column
    for entry in [] if widths is None else children(widths):
        low, high = int(entry.get("min") or 0), int(entry.get("max") or 0)
        if low == last + 1 and high >= _WIDE:
            entry.set("min", str(first))  # the rest of the sheet: our columns were a part of it
        elif low <= last and high >= first:
            _cut_width(entry, low, high, first, last)
    if widths is not None and not children(widths):
        sheet.remove(widths)


def _cut_width(entry: etree._Element, low: int, high: int, first: int, last: int) -> None:
    parent = entry.getparent()
    assert parent is not None, "a width stands in the list of widths"
    if high > last and high < _WIDE:
        behind = copy.copy(entry)
        behind.set("min", str(last + 1))
        entry.addnext(behind)
    if high >= _WIDE:
        return  # one width for the whole sheet, ours included
    if low < first:
        entry.set("max", str(first - 1))
    else:
        parent.remove(entry)


def _trim_lists_of_ranges(sheet: etree._Element, area: Area) -> None:
    """Take our columns out of rules, validations and their like; what lay on them alone goes."""
    for element in [each for each in sheet.iter("*") if local_name(each) in _LISTS_OF_RANGES]:
        extended = next((child for child in element if local_name(child) == "sqref"), None)
        before = element.get("sqref") if extended is None else extended.text
        after = trimmed(before or "", area)
        if after == before or not before:
            continue
        if not after:
            _remove_with_empty_parents(element)
        elif extended is not None:
            extended.text = after
        else:
            element.set("sqref", after)


def _remove_with_empty_parents(element: etree._Element) -> None:
    """Remove an element, and the list it stood in where it was the last; counts are kept right."""
    parent = element.getparent()
    if parent is None:
        return
    parent.remove(element)
    if local_name(parent) == "worksheet":
        return
    if not children(parent):
        _remove_with_empty_parents(parent)
    elif "count" in parent.attrib:
        parent.set("count", str(len(children(parent))))


def _remove_within(package: Package, part: str, area: Area) -> None:
    """Remove links and merges that lie in our columns alone."""
    sheet = package.tree(part)
    for tag in ("hyperlink", "mergeCell"):
        for element in list(sheet.iter(main(tag))):
            place = parse_area(element.get("ref") or "")
            if place is not None and area.holds(place):
                _unrelate(package, part, element.get(RELATION_ID))
                _remove_with_empty_parents(element)


def _unrelate(package: Package, part: str, relation_id: str | None) -> None:
    for relation in package.relations(part):
        if relation_id is not None and relation.id == relation_id:
            package.unrelate(part, relation)


def _set_dimension(sheet: etree._Element) -> None:
    """Set the range of all cells anew, where the sheet says it."""
    dimension = sheet.find(main("dimension"))
    references = (cell.get("r", "") for cell in sheet.iter(main("c")))
    places = [place for place in map(parse_area, references) if place is not None]
    whole = bounds(places)
    if dimension is not None and whole is not None:
        dimension.set("ref", str(whole))
