"""Appends our cell formats to the expert's style sheet; every format of theirs keeps its number."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass

from lxml import etree

from grader.outputs.graded_workbook.ooxml import STYLES_ORDER, child_in_order, children, main
from grader.outputs.graded_workbook.package import Package, Unpatchable, office_relation

_STYLES_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"
_DONOR_STYLES = "xl/styles.xml"
_FIRST_OWN_NUMBER_FORMAT = 164
_MAX_FORMATS = 64_000
_USUAL_POINTS = 11.0
_APPLIED = ("applyNumberFormat", "applyFont", "applyFill", "applyBorder", "applyAlignment")


@dataclass(frozen=True, slots=True)
class StyleMap:
    """How the donor's style numbers read in the target."""

    formats: Mapping[int, int]
    """Cell formats (`cellXfs`), which cells, rows and columns name."""
    conditional_offset: int
    """What is added to the number of a conditional format (`dxfs`)."""


def width_unit(target: Package) -> float:
    """Return what one unit of column width is in the target, compared with Calibri 11: it is a digit's width there."""
    part = target.related_part("styles")
    fonts = target.tree(part).find(main("fonts")) if part else None
    size = fonts.find(f"{main('font')}/{main('sz')}") if fonts is not None else None
    try:
        points = float((size.get("val") if size is not None else None) or _USUAL_POINTS)
    except ValueError:
        points = _USUAL_POINTS
    return min(3.0, max(0.5, points / _USUAL_POINTS))


def merge_styles(target: Package, donor: Package) -> StyleMap:
    """Append the donor's styles to the target's.

    Raises:
        Unpatchable: the target's styles are damaged, or as many as Excel can take.
    """
    part = target.related_part("styles")
    if part is None:
        return _adopt(target, donor)
    root = target.touch(part)
    if root.tag != main("styleSheet"):
        raise Unpatchable(f"its part {part} is no style sheet")
    try:
        return _append(root, donor.tree(_DONOR_STYLES))
    except ValueError as error:
        raise Unpatchable(f"its part {part} is damaged") from error


def _adopt(target: Package, donor: Package) -> StyleMap:
    name = target.find(_DONOR_STYLES)
    name = target.free_name(_DONOR_STYLES) if name else _DONOR_STYLES
    target.add(name, donor.data(_DONOR_STYLES), _STYLES_TYPE)
    target.relate(target.workbook, office_relation("styles"), name)
    count = len(_collection(donor.tree(_DONOR_STYLES), "cellXfs"))
    return StyleMap({number: number for number in range(count)}, 0)


def _append(root: etree._Element, donor: etree._Element) -> StyleMap:
    formats = child_in_order(root, "cellXfs", STYLES_ORDER)
    if not children(formats):
        # Cells without a format use number 0: it has to stay plain.
        _append_formats(root, formats, _collection(donor, "cellXfs")[:1], donor)
    first = len(children(formats))
    ours = _collection(donor, "cellXfs")[1:]
    if first + len(ours) > _MAX_FORMATS:
        raise Unpatchable("it has as many cell formats as Excel can take")
    _append_formats(root, formats, ours, donor)
    conditional_offset = _append_all(root, donor, "dxfs")
    numbers = {number + 1: first + number for number in range(len(ours))}
    return StyleMap({0: 0, **numbers}, conditional_offset)


def _append_formats(
    root: etree._Element, formats: etree._Element, ours: list[etree._Element], donor: etree._Element
) -> None:
    number_formats = _append_number_formats(root, donor)
    offsets = {
        attribute: _append_all(root, donor, tag)
        for attribute, tag in (("fontId", "fonts"), ("fillId", "fills"), ("borderId", "borders"))
    }
    for original in ours:
        entry = copy.deepcopy(original)
        entry.set("xfId", "0")
        entry.set("numFmtId", number_formats.get(entry.get("numFmtId", "0"), entry.get("numFmtId", "0")))
        for attribute, offset in offsets.items():
            entry.set(attribute, str(int(entry.get(attribute, "0")) + offset))
        for attribute in _APPLIED:
            entry.set(attribute, "1")
        formats.append(entry)
    formats.set("count", str(len(children(formats))))


def _append_all(root: etree._Element, donor: etree._Element, tag: str) -> int:
    """Append the donor's fonts, fills …; return how many the target had, which is what our numbers grow by."""
    collection = child_in_order(root, tag, STYLES_ORDER)
    offset = len(children(collection))
    collection.extend(copy.deepcopy(entry) for entry in _collection(donor, tag))
    collection.set("count", str(len(children(collection))))
    return offset


def _append_number_formats(root: etree._Element, donor: etree._Element) -> dict[str, str]:
    ours = _collection(donor, "numFmts")
    if not ours:
        return {}
    collection = child_in_order(root, "numFmts", STYLES_ORDER)
    taken = (int(entry.get("numFmtId", "0")) for entry in children(collection))
    following = max((_FIRST_OWN_NUMBER_FORMAT - 1, *taken)) + 1
    renumbered = {}
    for number, original in enumerate(ours, start=following):
        entry = copy.deepcopy(original)
        entry.set("numFmtId", str(number))
        renumbered[original.get("numFmtId", "")] = str(number)
        collection.append(entry)
    collection.set("count", str(len(children(collection))))
    return renumbered


def _collection(root: etree._Element, tag: str) -> list[etree._Element]:
    found = root.find(main(tag))
    return [] if found is None else children(found)
