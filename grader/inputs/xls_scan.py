"""Measures how far the values of an old workbook (.xls) reach before it is read; reads no value.

The library that reads it lays out every cell of every sheet up to the last value as soon as it opens the file, and ends
the whole program where there is no memory for them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from grader.errors import InputError
from grader.inputs.ole_streams import read_streams
from grader.inputs.package_intake import IntakeLimits, too_large

_END_OF_FILE, _PASSWORD, _SHEET, _TEXTS, _DIMENSIONS, _NUMBERS = 0x0A, 0x2F, 0x85, 0xFC, 0x200, 0xBD
_VALUES = frozenset((0x06, 0xD6, 0xFD, 0x203, 0x204, 0x205, 0x27E, _NUMBERS))
"""The records that begin with a row and a column and hold values (MS-XLS 2.3)."""
_ROWS, _COLUMNS = 65_536, 256


def check_xls_area(path: Path, limits: IntakeLimits) -> None:
    """Raise `InputError` where the sheets' values reach over more than `limits.area` cells together, or it is damaged.

    All sheets together may have as many records as that, so that counting them takes seconds.
    """
    try:
        for stream in read_streams(path.read_bytes()):
            _check_stream(path, stream, limits.area)
    except (struct.error, IndexError, ValueError) as error:
        raise InputError(
            "the workbook is damaged", path=path, hint="Open it in Excel or LibreOffice and save it as .xlsx"
        ) from error


def _check_stream(path: Path, stream: bytes, most: int) -> None:
    area = count = 0
    for kind, start, size in _records(stream, 0):
        count += 1
        if kind == _PASSWORD and any(stream[start : start + 2]):
            return  # what follows is in cipher, and is refused by whoever reads it
        if kind == _TEXTS and size >= 8 and struct.unpack_from("<I", stream, start + 4)[0] > len(stream):
            raise ValueError("it says that it has more texts than bytes")
        if kind == _SHEET and size >= 4:
            height, width, records = _extent(stream, *struct.unpack_from("<I", stream, start), most=most - count)
            area, count = area + height * width, count + records
        if area > most:
            raise too_large(path, f"the sheets' values reach over {area:,} cells, too many")
        if count > most:
            raise too_large(path, "the workbook has too many records")


def _extent(stream: bytes, start: int, *, most: int) -> tuple[int, int, int]:
    """Return how many rows and columns the values of the sheet at `start` reach over, and how many records it has."""
    height = width = count = 0
    for kind, place, size in _records(stream, start):
        count += 1
        if kind == _END_OF_FILE or count > most:
            break
        if kind == _DIMENSIONS:
            _check_dimensions(stream[place : place + size])
        if kind in _VALUES and size >= 4:
            row, column = struct.unpack_from("<HH", stream, place)
            if kind == _NUMBERS:
                column = max(column, *struct.unpack_from("<H", stream, place + size - 2))
            height, width = max(height, row + 1), max(width, column + 1)
    return height, width, count


def _check_dimensions(record: bytes) -> None:
    form = "<IIHH" if len(record) >= 14 else "<HHHH"
    top, bottom, left, right = struct.unpack_from(form, record)
    if not top <= bottom <= _ROWS or not left <= right <= _COLUMNS:
        raise ValueError("a sheet is larger than any can be")


def _records(stream: bytes, place: int) -> Iterator[tuple[int, int, int]]:
    """Yield each record's kind, the place of its content and its size, up to where the stream breaks off."""
    while place + 4 <= len(stream):
        kind, size = struct.unpack_from("<HH", stream, place)
        yield kind, place + 4, size
        place += 4 + size
