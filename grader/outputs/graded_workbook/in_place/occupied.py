"""Finds what stands on given cells of the expert's sheet beside values: pictures, notes, rules; moves none of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from grader.outputs.graded_workbook.area import MOST_ROWS, Area, parse_areas
from grader.outputs.graded_workbook.ooxml import local_name, main
from grader.outputs.graded_workbook.package import Package

_ON_CELLS = {
    "mergeCell": ("ref", "merged cells"),
    "hyperlink": ("ref", "a link"),
    "conditionalFormatting": ("sqref", "a conditional format"),
    "dataValidation": ("sqref", "a data validation"),
}
_X14_WORDS = {"sparkline": "a sparkline", "conditionalFormatting": "a conditional format"}
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_COLUMN_EMU = 609_600
"""How wide a column of the usual width is, in the unit of drawings."""

_SHAPE = re.compile(r"<v:shape\b.*?</v:shape>", re.DOTALL)
_ANCHOR = re.compile(r"<x:Anchor>([^<]*)</x:Anchor>")


def what_stands_on(package: Package, part: str, area: Area) -> str | None:
    """Return in words what stands on cells of `area` on a sheet, the first that is found; `None` for nothing."""
    for words, taken in _standing(package, part):
        if taken.meets(area):
            return f"{words} at {taken}" if taken.last_row < MOST_ROWS else words
    return None


def _standing(package: Package, part: str) -> Iterator[tuple[str, Area]]:
    root = package.tree(part)
    for section in root:
        if section.tag != main("sheetData"):
            yield from _on_cells(section)
    for relation in package.relations(part):
        if not relation.is_external and package.find(relation.target):
            kind = relation.kind.casefold()
            if kind == "comments":
                yield from _notes(package.tree(relation.target))
            elif kind == "drawing":
                yield from _drawings(package.tree(relation.target))
            elif kind == "vmldrawing":
                yield from _controls(package.written(relation.target))


def _on_cells(section: etree._Element) -> Iterator[tuple[str, Area]]:
    for element in section.iter("*"):
        name = local_name(element)
        if name in _ON_CELLS and element.get(_ON_CELLS[name][0]):
            attribute, words = _ON_CELLS[name]
            yield from ((words, area) for area in parse_areas(element.get(attribute) or ""))
        elif name == "sqref" and element.text and (parent := element.getparent()) is not None:
            words = _X14_WORDS.get(local_name(parent), "a data validation")
            yield from ((words, area) for area in parse_areas(element.text))


def _notes(comments: etree._Element) -> Iterator[tuple[str, Area]]:
    for comment in comments.iter(main("comment")):
        yield from (("a note", area) for area in parse_areas(comment.get("ref") or ""))


def _drawings(drawing: etree._Element) -> Iterator[tuple[str, Area]]:
    """Yield the columns that pictures, charts and shapes lie over, by their corners or their size."""
    for anchor in drawing:
        start, end = (_corner(anchor.find(f"{_DRAWING}{corner}")) for corner in ("from", "to"))
        size = anchor.find(f"{_DRAWING}ext")
        if size is not None and end is None:
            row, column = start or (1, 1)
            # No row is lower than a column is narrow: a rough size, and rather too large.
            end = (row + int(size.get("cy") or 0) // 127_000 + 1, column + int(size.get("cx") or 0) // _COLUMN_EMU + 1)
        if end is not None:
            row, column = start or (1, 1)
            yield "a picture, chart or shape", Area(row, end[0], column, end[1])


def _corner(element: etree._Element | None) -> tuple[int, int] | None:
    if element is None:
        return None
    row, column = (int(element.findtext(f"{_DRAWING}{name}") or 0) + 1 for name in ("row", "col"))
    return row, column


def _controls(vml: bytes) -> Iterator[tuple[str, Area]]:
    """Yield the cells under form controls and under notes that are always shown."""
    for shape in _SHAPE.findall(vml.decode("utf-8", "replace")):
        is_hidden_note = 'ObjectType="Note"' in shape and "<x:Visible" not in shape
        anchor = _ANCHOR.search(shape)
        numbers = [int(each) for each in re.findall(r"-?[0-9]+", anchor[1])] if anchor else []
        if len(numbers) == 8 and not is_hidden_note:
            words = "a note that is always shown" if 'ObjectType="Note"' in shape else "a form control"
            yield words, Area(numbers[2] + 1, numbers[6] + 1, numbers[0] + 1, numbers[4] + 1)
