"""Shrinks the expert's tables and filters back over our columns; a table's cells are not its concern."""

from __future__ import annotations

from lxml import etree

from grader.outputs.graded_workbook.area import Area, parse_area
from grader.outputs.graded_workbook.defined_names import areas, defined_names
from grader.outputs.graded_workbook.ooxml import children, local_name, main
from grader.outputs.graded_workbook.package import Package

_FILTER_NAME = "_xlnm._filterdatabase"


def can_shrink(element: etree._Element, area: Area) -> bool:
    """Return whether our columns, where they lie in a table or filter at all, are its last ones and not its only."""
    place = parse_area(element.get("ref") or "")
    if place is None or not place.meets(area):
        return True
    return place.first_column < area.first_column and place.last_column <= area.last_column


def shrink_table(package: Package, table: str, area: Area) -> None:
    """Make a table end before our columns."""
    root = package.tree(table)
    before = parse_area(root.get("ref") or "")
    if before is None or not before.meets(area):
        return
    package.touch(table)
    count = area.first_column - before.first_column
    root.set("ref", _shrunk(before, area))
    for columns in root.iterchildren(main("tableColumns")):
        for column in children(columns)[count:]:
            columns.remove(column)
        columns.set("count", str(len(children(columns))))
    for own_filter in root.iterchildren(main("autoFilter")):
        _shrink(own_filter, area)
    _remove_sorting(root, area)


def shrink_filter(package: Package, part: str, own_filter: etree._Element, area: Area) -> None:
    """Make a sheet's filter end before our columns, and the hidden name that says the same."""
    before = parse_area(own_filter.get("ref") or "")
    if before is None or not before.meets(area):
        return
    sheet = package.tree(part)
    had_criteria = bool(children(own_filter))
    _shrink(own_filter, area)
    _remove_sorting(sheet, area)
    if had_criteria and own_filter.find(main("filterColumn")) is None:
        _show_rows(sheet, before)
    _shrink_name(package, part, area)


def _shrink(own_filter: etree._Element, area: Area) -> None:
    before = parse_area(own_filter.get("ref") or "")
    if before is None or not before.meets(area):
        return
    own_filter.set("ref", _shrunk(before, area))
    for column in list(own_filter.iterchildren(main("filterColumn"))):
        if int(column.get("colId") or 0) >= area.first_column - before.first_column:
            own_filter.remove(column)
    _remove_sorting(own_filter, area)


def _remove_sorting(parent: etree._Element, area: Area) -> None:
    """Remove what is said of sorting by our columns; the rows stay in their order."""
    for state in list(parent.iterchildren(main("sortState"))):
        for condition in children(state):
            place = parse_area(condition.get("ref") or "")
            if local_name(condition) == "sortCondition" and place is not None and place.meets(area):
                state.remove(condition)
        whole = parse_area(state.get("ref") or "")
        if not children(state):
            parent.remove(state)
        elif whole is not None and whole.meets(area):
            state.set("ref", _shrunk(whole, area))


def _show_rows(sheet: etree._Element, filtered: Area) -> None:
    """Show the rows that a filter on our columns hid: with the filter gone nothing would say why they are hidden."""
    for row in sheet.iterfind(f"{main('sheetData')}/{main('row')}"):
        if filtered.first_row < int(row.get("r") or 0) <= filtered.last_row:
            row.attrib.pop("hidden", "")


def _shrink_name(package: Package, part: str, area: Area) -> None:
    sheets = list(package.sheets().items())
    for name in defined_names(package):
        if (name.get("name") or "").casefold() != _FILTER_NAME:
            continue
        number = name.get("localSheetId") or ""
        if not number.isdigit() or int(number) >= len(sheets) or sheets[int(number)][1] != part:
            continue
        for _, reference in areas(name.text or ""):
            place = parse_area(reference)
            if place is not None and place.meets(area):
                package.touch(package.workbook)
                sheet = (name.text or "").rpartition("!")[0]
                name.text = f"{sheet}!{_absolute(_shrunk(place, area))}"


def _shrunk(before: Area, area: Area) -> str:
    text = str(Area(before.first_row, before.last_row, before.first_column, area.first_column - 1))
    return text if ":" in text else f"{text}:{text}"


def _absolute(reference: str) -> str:
    corners = reference.split(":")
    return ":".join(
        f"${corner.rstrip('0123456789')}${corner.lstrip('ABCDEFGHIJKLMNOPQRSTUVWXYZ')}" for corner in corners
    )
