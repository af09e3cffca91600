"""Lets the expert's table and filter grow over our columns, so that sorting keeps results beside their rows."""

from __future__ import annotations

from lxml import etree

from grader.outputs.graded_workbook.area import Area, parse_area
from grader.outputs.graded_workbook.defined_names import defined_names
from grader.outputs.graded_workbook.in_place.place import Place
from grader.outputs.graded_workbook.names import quoted
from grader.outputs.graded_workbook.ooxml import children, main
from grader.outputs.graded_workbook.package import Package, Unpatchable
from grader.outputs.graded_workbook.review_columns import column_letters

_FILTER_NAME = "_xlnm._FilterDatabase"


def grow_tables(package: Package, place: Place, headers: tuple[str, ...]) -> None:
    """Add our columns to the tables that reach up to them."""
    for part in place.tables:
        table = package.touch(part)
        _grow(table, place)
        columns = table.find(main("tableColumns"))
        if columns is None:
            raise Unpatchable(f"its part {part} lists no columns")
        number = max(int(column.get("id") or 0) for column in children(columns))
        for header in headers:
            number += 1
            etree.SubElement(columns, main("tableColumn"), id=str(number), name=header)
        columns.set("count", str(len(children(columns))))
        for child in (table.find(main("autoFilter")), table.find(main("sortState"))):
            if child is not None:
                _grow_all(child, place)


def grow_filter(package: Package, place: Place) -> None:
    """Let the sheet's own filter, and the hidden name that stands for it, reach over our columns."""
    if not place.has_filter:
        return
    root = package.touch(place.part)
    for child in (root.find(main("autoFilter")), root.find(main("sortState"))):
        if child is not None:
            _grow_all(child, place)
    position = str(list(package.sheets()).index(place.sheet))
    for name in defined_names(package):
        if name.get("name") == _FILTER_NAME and name.get("localSheetId") == position:
            area = parse_area((name.text or "").rpartition("!")[2])
            if area is not None:
                package.touch(package.workbook)
                name.text = f"{quoted(place.sheet)}!{_absolute(_grown(area, place))}"


def _grow_all(element: etree._Element, place: Place) -> None:
    """Grow a filter and the sorting inside it; the columns that they go by stay theirs."""
    _grow(element, place)
    for state in element.iterchildren(main("sortState")):
        _grow(state, place)


def _grow(element: etree._Element, place: Place) -> None:
    area = parse_area(element.get("ref") or "")
    if area is not None and area.last_column == place.first_column - 1:
        element.set("ref", str(_grown(area, place)))


def _grown(area: Area, place: Place) -> Area:
    return Area(area.first_row, area.last_row, area.first_column, place.last_column)


def _absolute(area: Area) -> str:
    first, last = (column_letters(column - 1) for column in (area.first_column, area.last_column))
    return f"${first}${area.first_row}:${last}${area.last_row}"
