"""Digests of what stands in a workbook's sheets, by which a change made by hand is noticed; compares no cell's place.

Sorting, filtering and saving by another program change no digest: it is that of all cells together, in no order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from typing import Final

from lxml import etree

from grader.outputs.graded_workbook.keys import plain_value
from grader.outputs.graded_workbook.ooxml import main
from grader.outputs.graded_workbook.package import Package
from grader.outputs.graded_workbook.removal.ranges import LAST_ROW, Range, parse_range
from grader.outputs.graded_workbook.removal.recognising import Ours, Texts

PROPERTY: Final = "cells"
"""The name, behind the prefix that marks it as ours, of the property that keeps the digests."""

THEIRS: Final = "theirs"
COLUMNS: Final = "columns"
_DIGEST_BITS = 64
_FORMULA = "=formula"
_EXPERTS = ("Expert score", "Expert verdict", "Expert comment")
_KEYS = {"Key", "Text hash"}


def cell_digests(package: Package, ours: Ours) -> dict[str, str]:
    """Return a digest for each kind of our sheets, for our columns in the expert's, and for all else of theirs."""
    sums: dict[str, int] = {}
    texts = Texts(package)
    kinds = {name: kind for kind, name in ours.sheets}
    for name, part in package.sheets().items():
        if package.find(part):
            areas = [place for sheet, reference in ours.columns if sheet == name and (place := _area(reference))]
            for kind, value in _values(texts, part, kinds.get(name), areas):
                number = int.from_bytes(hashlib.blake2b(value.encode("utf-8", "replace"), digest_size=8).digest())
                sums[kind] = (sums.get(kind, 0) + number) % 2**_DIGEST_BITS
    return {kind: f"{total:016x}" for kind, total in sums.items()}


def render_digests(digests: dict[str, str]) -> str:
    """Return digests as the one line that a document property holds."""
    return " ".join(f"{kind}:{digest}" for kind, digest in digests.items())


def parse_digests(text: str) -> dict[str, str]:
    """Return the digests of `render_digests`."""
    pairs = (word.partition(":") for word in text.split())
    return {kind: digest for kind, _, digest in pairs if digest}


def _area(reference: str) -> Range | None:
    header = parse_range(reference)
    return header and Range(header.left, header.top, header.right, LAST_ROW)


def _values(texts: Texts, part: str, kind: str | None, areas: Collection[Range]) -> Iterator[tuple[str, str]]:
    """Yield for each cell whose it is and what stands in it; the expert's own cells on our sheets do not count."""
    root = texts.package.passing_tree(part)
    experts: set[str] = set()
    for row in root.iterfind(f"{main('sheetData')}/{main('row')}"):
        values = list(_row_values(texts, row))
        if kind is not None and not experts and {value for _, value in values} >= _KEYS:
            experts = {reference.rstrip("0123456789") for reference, value in values if value in _EXPERTS}
        for reference, value in values:
            if reference.rstrip("0123456789") in experts and value not in _EXPERTS:
                continue
            yield kind or _owner(reference, areas), value


def _row_values(texts: Texts, row: etree._Element) -> Iterator[tuple[str, str]]:
    for cell in row.iterchildren(main("c")):
        value = _FORMULA if cell.find(main("f")) is not None else plain_value(texts.text(cell))
        if value:
            yield cell.get("r", ""), value


def _owner(reference: str, areas: Collection[Range]) -> str:
    place = parse_range(reference) if areas else None
    return COLUMNS if place is not None and any(area.holds(place) for area in areas) else THEIRS
