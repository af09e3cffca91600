"""Checks that our columns changed nothing else on the expert's sheet, cell by cell; repairs nothing."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from grader.outputs.graded_workbook.in_place.grid import numbered_cells
from grader.outputs.graded_workbook.in_place.place import Place
from grader.outputs.graded_workbook.ooxml import children, local_name, main, parse_xml
from grader.outputs.graded_workbook.package import Package

_MAY_CHANGE = frozenset({"dimension", "cols", "sheetData", "autoFilter", "sortState", "legacyDrawing"})
_COL_ATTRIBUTES = ("width", "style", "hidden", "outlineLevel", "collapsed", "customWidth", "bestFit")
_ROW = main("row")


def changed_beside_ours(before: bytes, copy: Package, place: Place) -> list[str]:
    """Return what differs on the expert's sheet outside our columns, from what it was; nothing, as it should be."""
    old, new = parse_xml(before), copy.tree(place.part)
    problems = [f"{name} of the sheet {place.sheet} changed" for name in _changed_sections(old, new)]
    if _widths(old, place) != _widths(new, place):
        problems.append(f"columns of the sheet {place.sheet} changed")
    return problems + list(_changed_rows(old, new, place))[:3]


def _changed_sections(old: etree._Element, new: etree._Element) -> Iterator[str]:
    sections = [
        [(local_name(part), etree.tostring(part, method="c14n")) for part in children(root) if _stays(part)]
        for root in (old, new)
    ]
    if sections[0] != sections[1]:
        names = [name for name, _ in set(sections[0]) ^ set(sections[1])]
        yield from sorted(set(names)) or ["the order"]


def _stays(part: etree._Element) -> bool:
    return local_name(part) not in _MAY_CHANGE


def _widths(root: etree._Element, place: Place) -> dict[int, tuple[str | None, ...]]:
    """Return the format of each column but ours, the many behind them as one."""
    widths = {}
    for col in root.iterfind(f"{main('cols')}/{main('col')}"):
        first, last = int(col.get("min") or 0), int(col.get("max") or 0)
        look = tuple(col.get(name) for name in _COL_ATTRIBUTES)
        for column in range(first, min(last, place.last_column + 1) + 1):
            if not place.first_column <= column <= place.last_column:
                widths[column] = look
        if last > place.last_column:
            widths[-last] = look
    return widths


def _changed_rows(old: etree._Element, new: etree._Element, place: Place) -> Iterator[str]:
    """Yield the rows whose cells outside our columns differ, or that have gone or come with more than our cells."""
    theirs, now = _rows(old), _rows(new)
    for number in theirs.keys() | now.keys():
        row, there = theirs.get(number), now.get(number)
        if _content(row, place) != _content(there, place):
            yield f"row {number} of the sheet {place.sheet} changed"


def _rows(root: etree._Element) -> dict[str, etree._Element]:
    return {row.get("r") or "": row for row in root.iter(_ROW)}


def _content(row: etree._Element | None, place: Place) -> tuple[object, ...]:
    if row is None:
        return ((), ())
    attributes = tuple(sorted((name, value) for name, value in row.items() if name not in ("spans", "r")))
    number = int(row.get("r") or 0)
    is_graded = place.header_row <= number <= place.last_row
    ours = range(place.first_column, place.last_column + 1) if is_graded else ()
    return attributes, tuple(_cell(cell) for column, cell in numbered_cells(row, number) if column not in ours)


def _cell(cell: etree._Element) -> tuple[object, ...]:
    """Return a cell's address, style and all that is in it."""
    parts = tuple(
        (part.tag, part.text, tuple(part.attrib.items()), etree.tostring(part) if len(part) else b"") for part in cell
    )
    return tuple(cell.attrib.items()), parts
