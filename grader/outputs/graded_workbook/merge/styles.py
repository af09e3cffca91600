"""Adds our cell formats to the expert's style sheet, each once; every format of theirs keeps its number."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass

from lxml import etree

from grader.outputs.graded_workbook.ooxml import STYLES_ORDER, child_in_order, children, local_name, main
from grader.outputs.graded_workbook.package import Package, Unpatchable, office_relation

_STYLES_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"
_DONOR_STYLES = "xl/styles.xml"
_FIRST_OWN_NUMBER_FORMAT = 164
_BUILT_IN = {"0": 1, "0.00": 2, "#,##0": 3, "#,##0.00": 4, "0%": 9, "0.00%": 10, "@": 49}
"""Codes that have a number without being listed (ECMA-376, part 1, 18.8.30); programs write them so in any case."""
_MAX_FORMATS = 64_000
_USUAL_POINTS = 11.0
_ZERO_IS_USUAL = ("xf", "alignment")
"""Where an attribute that is 0 says as much as none."""

_SWITCHES = ("b", "i", "strike", "outline", "shadow", "condense", "extend")

Meaning = tuple[str, tuple[tuple[str, str], ...], tuple[str, ...]]

_APPLIED = ("applyNumberFormat", "applyFont", "applyFill", "applyBorder", "applyAlignment")


@dataclass(frozen=True, slots=True)
class StyleMap:
    """How the donor's style numbers read in the target."""

    formats: Mapping[int, int]
    """Cell formats (`cellXfs`), which cells, rows and columns name."""
    conditional: Mapping[int, int]
    """Formats of conditional formatting (`dxfs`)."""


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
    """Add the donor's styles to the target's, those that it has not already.

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
        return _merge(root, donor.tree(_DONOR_STYLES))
    except ValueError as error:
        raise Unpatchable(f"its part {part} is damaged") from error


def _adopt(target: Package, donor: Package) -> StyleMap:
    name = target.find(_DONOR_STYLES)
    name = target.free_name(_DONOR_STYLES) if name else _DONOR_STYLES
    target.add(name, donor.data(_DONOR_STYLES), _STYLES_TYPE)
    target.relate(target.workbook, office_relation("styles"), name)
    counts = [len(_collection(donor.tree(_DONOR_STYLES), tag)) for tag in ("cellXfs", "dxfs")]
    formats, conditional = ({number: number for number in range(count)} for count in counts)
    return StyleMap(formats, conditional)


def _merge(root: etree._Element, donor: etree._Element) -> StyleMap:
    formats = child_in_order(root, "cellXfs", STYLES_ORDER)
    ours = _remapped_formats(root, donor)
    if not children(formats):
        # Cells without a format use number 0: it has to stay plain.
        formats.extend(ours[:1])
    numbers = {0: 0} | {number + 1: place for number, place in enumerate(_merge_entries(formats, ours[1:]))}
    if len(children(formats)) > _MAX_FORMATS:
        raise Unpatchable("it has as many cell formats as Excel can take")
    conditional = _merge_entries(child_in_order(root, "dxfs", STYLES_ORDER), _conditional_formats(root, donor))
    return StyleMap(numbers, dict(enumerate(conditional)))


def _remapped_formats(root: etree._Element, donor: etree._Element) -> list[etree._Element]:
    """Return the donor's cell formats, naming the target's fonts, fills, borders and number formats."""
    number_formats = _merge_number_formats(root, donor)
    places = {
        attribute: _merge_entries(child_in_order(root, tag, STYLES_ORDER), _collection(donor, tag))
        for attribute, tag in (("fontId", "fonts"), ("fillId", "fills"), ("borderId", "borders"))
    }
    formats = []
    for original in _collection(donor, "cellXfs"):
        entry = copy.deepcopy(original)
        entry.set("xfId", "0")
        entry.set("numFmtId", number_formats.get(entry.get("numFmtId", "0"), entry.get("numFmtId", "0")))
        for attribute, numbers in places.items():
            entry.set(attribute, str(numbers[int(entry.get(attribute, "0"))]))
        for attribute in _APPLIED:
            entry.set(attribute, "1")
        formats.append(entry)
    return formats


def _merge_entries(collection: etree._Element, ours: list[etree._Element]) -> list[int]:
    """Append those of our entries that the collection has not; return where each of ours stands in it."""
    # A workbook that is graded again and again would grow with every run, up to the most that Excel can take.
    known: dict[Meaning, int] = {}
    for place, entry in enumerate(children(collection)):
        known.setdefault(_meaning(entry), place)
    places, count = [], len(children(collection))
    for entry in ours:
        place = known.setdefault(_meaning(entry), count)
        if place == count:
            collection.append(copy.deepcopy(entry))
            count += 1
        places.append(place)
    collection.set("count", str(count))
    return places


def _meaning(entry: etree._Element) -> Meaning:
    """Return what two entries have in common that look the same, however a program has written them."""
    attributes = {str(name): _plain(str(value)) for name, value in entry.items()}
    tag = local_name(entry)
    if tag in _ZERO_IS_USUAL:
        attributes = {name: value for name, value in attributes.items() if value != "0" or name.startswith("apply")}
    # That a part of a format applies is said by some programs and understood by all.
    attributes = {name: value for name, value in attributes.items() if not _is_usual(tag, name, value)}
    return tag, tuple(sorted(attributes.items())), tuple(sorted(map(repr, map(_meaning, children(entry)))))


def _plain(value: str) -> str:
    """Return an attribute's value as most programs write it: openpyxl has an indent of `1.0`."""
    return {"true": "1", "false": "0"}.get(value, value.removesuffix(".0"))


def _is_usual(tag: str, attribute: str, value: str) -> bool:
    """Return whether an attribute says only what is so without it."""
    if tag == "xf":
        return value == "1" and attribute.startswith("apply")
    return (tag in _SWITCHES and (attribute, value) == ("val", "1")) or value == "none"


def _merge_number_formats(root: etree._Element, donor: etree._Element) -> dict[str, str]:
    ours = _collection(donor, "numFmts")
    if not ours:
        return {}
    collection = child_in_order(root, "numFmts", STYLES_ORDER)
    numbers = {entry.get("formatCode", ""): int(entry.get("numFmtId", "0")) for entry in children(collection)}
    numbers |= _BUILT_IN
    following = _next_number(root)
    renumbered = {}
    for original in ours:
        code = original.get("formatCode", "")
        if code not in numbers:
            numbers[code], following = following, following + 1
            entry = copy.deepcopy(original)
            entry.set("numFmtId", str(numbers[code]))
            collection.append(entry)
        renumbered[original.get("numFmtId", "")] = str(numbers[code])
    collection.set("count", str(len(children(collection))))
    return renumbered


def _conditional_formats(root: etree._Element, donor: etree._Element) -> list[etree._Element]:
    """Return the donor's formats of conditional formatting, whose number formats are numbered like those of cells."""
    numbers = {entry.get("formatCode", ""): entry.get("numFmtId", "0") for entry in root.iter(main("numFmt"))}
    following = _next_number(root)
    formats = [copy.deepcopy(entry) for entry in _collection(donor, "dxfs")]
    for entry in (entry for each in formats for entry in each.iter(main("numFmt"))):
        code = entry.get("formatCode", "")
        if code not in numbers:
            numbers[code], following = str(following), following + 1
        entry.set("numFmtId", numbers[code])
    return formats


def _next_number(root: etree._Element) -> int:
    """Return a number that neither cells' formats nor those of conditional formatting have."""
    taken = (int(entry.get("numFmtId", "0")) for entry in root.iter(main("numFmt")))
    return max((_FIRST_OWN_NUMBER_FORMAT - 1, *taken)) + 1


def _collection(root: etree._Element, tag: str) -> list[etree._Element]:
    found = root.find(main(tag))
    return [] if found is None else children(found)
