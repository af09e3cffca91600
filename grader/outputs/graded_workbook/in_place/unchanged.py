"""Checks that our columns changed nothing else on the expert's sheet, cell by cell; repairs nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, zip_longest

from lxml import etree

from grader.outputs.graded_workbook.in_place.grid import numbered_cells
from grader.outputs.graded_workbook.in_place.place import Place
from grader.outputs.graded_workbook.ooxml import BrokenXml, children, local_name, main, passing_elements
from grader.outputs.graded_workbook.package import Package
from grader.outputs.graded_workbook.review_columns import column_letters
from grader.outputs.graded_workbook.sheet_rows import (
    TextRow,
    WrittenOtherwise,
    around_rows,
    text_cells,
    text_rows,
)

_MAY_CHANGE = frozenset({"dimension", "cols", "sheetData", "autoFilter", "sortState", "legacyDrawing"})
_COL_ATTRIBUTES = ("width", "style", "hidden", "outlineLevel", "collapsed", "customWidth", "bestFit")
_ROW = main("row")
_SPANS = re.compile(' spans="[^"]*"')
_NONE = hash(((), ()))
"""Of a row that has nothing but our cells, or is not there."""


def changed_beside_ours(before: bytes, copy: Package, place: Place) -> list[str]:
    """Return what differs on the expert's sheet outside our columns, from what it was; nothing, as it should be."""
    old, new = around_rows(before), copy.around_rows(place.part)
    problems = [f"{name} of the sheet {place.sheet} changed" for name in _changed_sections(old, new)]
    if _widths(old, place) != _widths(new, place):
        problems.append(f"columns of the sheet {place.sheet} changed")
    if _has_only_ours_added(before, copy.data(place.part), place):
        return problems
    theirs = _digests(passing_elements(before, _ROW), place)
    now = _digests(copy.passing_rows(place.part), place)
    changed = (number for number in {**theirs, **now} if theirs.get(number, _NONE) != now.get(number, _NONE))
    return problems + [f"row {number} of the sheet {place.sheet} changed" for number in islice(changed, 3)]


def _has_only_ours_added(before: bytes, after: bytes, place: Place) -> bool:
    """Return whether each row is, letter for letter, what it was with our cells behind; where not, cells must tell."""
    ours = tuple(column_letters(column - 1) for column in range(place.first_column, place.last_column + 1))
    pairs = zip_longest(text_rows(before, is_sound=True), text_rows(after), fillvalue=("", "", ""))
    try:
        return all(_is_row_with_ours(old, new, ours, place) for old, new in pairs)
    except (WrittenOtherwise, BrokenXml):
        return False


def _is_row_with_ours(old: TextRow, new: TextRow, ours: tuple[str, ...], place: Place) -> bool:
    number, attributes, theirs = old
    if new[0] != number or not new[2].startswith(theirs) or _SPANS.sub("", new[1]) != _SPANS.sub("", attributes):
        return False
    letters, digits, *_ = text_cells(new[2][len(theirs) :])
    if not letters:
        return True
    is_graded = place.header_row <= int(number) <= place.last_row
    return is_graded and letters == ours and {number}.issuperset(digits)


def _digests(rows: Iterator[etree._Element], place: Place) -> dict[str, int]:
    """Return by row what changes with all that is in it outside our columns: two sheets in full take much memory."""
    return {row.get("r") or "": hash(_content(row, place)) for row in rows}


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


def _content(row: etree._Element, place: Place) -> tuple[object, ...]:
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
