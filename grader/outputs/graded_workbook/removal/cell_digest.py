"""Digests of what stands in a workbook's sheets, by which a change made by hand is noticed; compares no cell's place.

Sorting, filtering and saving by another program change no digest: it is that of all cells together, in no order.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Final

from grader.outputs.graded_workbook.area import parse_area
from grader.outputs.graded_workbook.cell_texts import CellTexts
from grader.outputs.graded_workbook.keys import plain_value
from grader.outputs.graded_workbook.package import Package
from grader.outputs.graded_workbook.removal.recognising import Ours
from grader.outputs.graded_workbook.review_columns import column_letters
from grader.outputs.graded_workbook.sheet_rows import SheetRow

PROPERTY: Final = "cells"
"""The name, behind the prefix that marks it as ours, of the property that keeps the digests."""

THEIRS: Final = "theirs"
COLUMNS: Final = "columns"
_DIGEST_BITS = 64
_EXPERTS = ("Expert score", "Expert verdict", "Expert comment")
_KEYS = {"Key", "Text hash"}
_Counts = defaultdict[str, Counter[str]]
_Rows = Iterable[tuple[SheetRow, list[str]]]
"""Rows with their texts."""


def cell_digests(
    package: Package, ours: Ours, rows_of: Callable[[str], Iterator[SheetRow]] | None = None
) -> dict[str, str]:
    """Return a digest for each kind of our sheets, for our columns in the expert's, and for all else of theirs.

    `rows_of` reads a sheet's rows, where somebody else looks at them too.
    """
    counts: _Counts = defaultdict(Counter)
    shared = CellTexts(package).shared
    kinds = {name: kind for kind, name in ours.sheets}
    for name, part in package.sheets().items():
        if package.find(part):
            rows = ((row, row.texts(shared)) for row in (rows_of or package.rows)(part))
            headers = _header_rows(ours, name)
            if headers:
                _count_by_column(rows, headers, counts)
            elif name in kinds:
                counts[kinds[name]].update(chain.from_iterable(_without_entries(rows)))
            else:
                counts[THEIRS].update(chain.from_iterable(texts for _, texts in rows))
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


def _header_rows(ours: Ours, sheet: str) -> dict[str, int]:
    """Return the header's row by the letters of each column of ours on a sheet of the expert's."""
    areas = [area for name, reference in ours.columns if name == sheet and (area := parse_area(reference))]
    return {
        column_letters(column - 1): area.first_row
        for area in areas
        for column in range(area.first_column, area.last_column + 1)
    }


def _count_by_column(rows: _Rows, headers: Mapping[str, int], counts: _Counts) -> None:
    """Count for each whose it is what stands in a sheet of the expert's; `headers` are those of our columns."""
    for row, texts in rows:
        for letters, digits, text in zip(row.letters, row.digits, texts, strict=True):
            header = headers.get(letters) if digits == row.number else None
            counts[THEIRS if header is None or int(digits) < header else COLUMNS][text] += 1


def _without_entries(rows: _Rows) -> Iterator[list[str]]:
    """Yield what stands in the rows of a sheet of ours, but for the expert's own cells."""
    experts: set[str] = set()
    for row, texts in rows:
        if experts:
            cells = zip(row.letters, texts, strict=True)
            yield [text for letters, text in cells if letters not in experts or text in _EXPERTS]
        else:
            if _KEYS.issubset(texts):
                experts = {letters for letters, text in zip(row.letters, texts, strict=True) if text in _EXPERTS}
            yield texts
