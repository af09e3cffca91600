"""Digests of what stands in a workbook's sheets, by which a change made by hand is noticed; compares no cell's place.

Sorting, filtering and saving by another program change no digest: it is that of all cells together, in no order.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping
from string import digits
from typing import Final

from lxml import etree

from grader.outputs.graded_workbook.area import Area, parse_area
from grader.outputs.graded_workbook.cell_texts import CellTexts
from grader.outputs.graded_workbook.keys import plain_value
from grader.outputs.graded_workbook.ooxml import main
from grader.outputs.graded_workbook.package import Package
from grader.outputs.graded_workbook.removal.recognising import Ours
from grader.outputs.graded_workbook.review_columns import column_letters

PROPERTY: Final = "cells"
"""The name, behind the prefix that marks it as ours, of the property that keeps the digests."""

THEIRS: Final = "theirs"
COLUMNS: Final = "columns"
_DIGEST_BITS = 64
_FORMULA = "=formula"
_EXPERTS = ("Expert score", "Expert verdict", "Expert comment")
_KEYS = {"Key", "Text hash"}
_Counts = defaultdict[str, Counter[str]]
_CELL, _FORMULA_TAG = main("c"), main("f")


def cell_digests(package: Package, ours: Ours) -> dict[str, str]:
    """Return a digest for each kind of our sheets, for our columns in the expert's, and for all else of theirs."""
    counts: _Counts = defaultdict(Counter)
    texts = CellTexts(package)
    kinds = {name: kind for kind, name in ours.sheets}
    for name, part in package.sheets().items():
        if package.find(part):
            areas = (parse_area(reference) for sheet, reference in ours.columns if sheet == name)
            columns = {letters: row for area in areas if area for letters, row in _first_rows(area).items()}
            _count_cells(package, texts, part, kinds.get(name), columns, counts)
    return {kind: _digest(each) for kind, each in counts.items() if any(map(plain_value, each))}


def _digest(counts: Counter[str]) -> str:
    """Return one digest of texts and how often each is there: most are there many times, and are looked at once."""
    total = 0
    for text, count in counts.items():
        value = plain_value(text)
        if value:
            digest = hashlib.blake2b(value.encode("utf-8", "replace"), digest_size=8).digest()
            total += count * int.from_bytes(digest)
    return f"{total % 2**_DIGEST_BITS:016x}"


def render_digests(digests: dict[str, str]) -> str:
    """Return digests as the one line that a document property holds."""
    return " ".join(f"{kind}:{digest}" for kind, digest in digests.items())


def parse_digests(text: str) -> dict[str, str]:
    """Return the digests of `render_digests`."""
    pairs = (word.partition(":") for word in text.split())
    return {kind: digest for kind, _, digest in pairs if digest}


def _first_rows(area: Area) -> dict[str, int]:
    """Return the header's row by the letters of each column of ours."""
    columns = range(area.first_column - 1, area.last_column)
    return {column_letters(column): area.first_row for column in columns}


def _count_cells(
    package: Package, texts: CellTexts, part: str, kind: str | None, ours: Mapping[str, int], counts: _Counts
) -> None:
    """Count for each whose it is what stands in the cells; the expert's own cells on our sheets do not count.

    `ours` are the header's rows by the letters of our columns on a sheet of the expert's.
    """
    experts: set[str] = set()
    for row in package.passing_rows(part):
        values = [(cell.get("r", ""), text) for cell in row.iterchildren(_CELL) if (text := _text(texts, cell))]
        if ours:
            number = row.get("r") or ""
            for reference, text in values:
                header = ours.get(reference.removesuffix(number))
                counts[THEIRS if header is None or int(number) < header else COLUMNS][text] += 1
            continue
        if kind is not None and not experts and {text for _, text in values} >= _KEYS:
            experts = {reference.rstrip(digits) for reference, text in values if text in _EXPERTS}
        elif experts:
            values = [each for each in values if each[0].rstrip(digits) not in experts or each[1] in _EXPERTS]
        counts[kind or THEIRS].update(text for _, text in values)


def _text(texts: CellTexts, cell: etree._Element) -> str:
    if len(cell) and cell[0].tag == _FORMULA_TAG:  # the format wants a formula first in its cell
        return _FORMULA
    return texts.text(cell)
