"""Measures how far the values of a binary workbook (.xlsb) reach before it is read; reads no value.

The library that reads it lays out every cell up to the last value, and ends the whole program where there is no memory
for them. Every part is measured as if it were a sheet, since names and relations may say otherwise.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

from grader.inputs.package_intake import IntakeLimits, too_large

_ROW, _SHEET_DATA = 0, 145
_VALUES = range(2, 12)
"""The records of one value each, which begin with its column (MS-XLSB 2.3: BrtCellRk to BrtFmlaError)."""
_LONGEST = 4
"""Bytes of a record's size, seven bits in each."""


def check_xlsb_area(path: Path, limits: IntakeLimits) -> None:
    """Raise `InputError` where a sheet's values reach over more cells than `limits.area`, or there are too many.

    All parts together may have as many records as that, so that counting them takes seconds.
    """
    left = limits.area
    with zipfile.ZipFile(path) as package:
        for info in package.infolist():
            left -= _check_part(path, package.read(info), limits, left)


def _check_part(path: Path, data: bytes, limits: IntakeLimits, most: int) -> int:
    """Return how many records a part has, read as a sheet; no other part has the record that values stand behind."""
    count = row = height = width = values = 0
    in_data = False
    for count, (kind, number) in enumerate(_records(data), start=1):
        if count > most:
            raise too_large(path, "the workbook has too many records")
        if kind == _SHEET_DATA:
            in_data = True
        elif kind == _ROW:
            row = number
        elif in_data and kind in _VALUES:
            values += 1
            height, width = max(height, row + 1), max(width, number + 1)
            if height * width > limits.area:
                raise too_large(path, f"a sheet's values reach over {height:,} rows and {width:,} columns, too far")
            if values > limits.cell_count:
                raise too_large(path, f"a sheet has more than {limits.cell_count:,} filled cells, too many")
    return count


def _records(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield each record's kind and the number it begins with, up to where the data break off."""
    place, end = 0, len(data)
    while place < end:
        kind = data[place]
        place += 1
        if kind > 0x7F:  # in two bytes, of which the second may be 0
            kind = kind & 0x7F | (data[place] & 0x7F) << 7 if place < end else -1
            place += 1
        size = 0
        for shift in range(0, 7 * _LONGEST, 7):
            byte = data[place] if place < end else 0
            place += 1
            size |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
        yield kind, int.from_bytes(data[place : min(place + 4, place + size)], "little")
        place += size
