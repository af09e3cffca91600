"""Finds the styles that fill a number up with zeros, as 123 shown as 00123; reads no cell.

An id is the text that the workbook shows (CONTRACT), and this is the one number format that people give to ids.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from xml.etree.ElementTree import ParseError, iterparse  # of packages that have been checked to have no DTD

_ZEROS = re.compile(r'(?:"")?(0{2,20})(?:;.*)?')


def zero_widths(path: Path, styles: str | None) -> dict[str, int]:
    """Return how many digits a style shows at least, by its number as cells have it; only styles that add zeros."""
    if styles is None:
        return {}
    formats: dict[str, int] = {}
    widths: dict[str, int] = {}
    index, is_cells = 0, False
    try:
        with zipfile.ZipFile(path) as package, package.open(styles) as stream:
            for event, element in iterparse(stream, events=("start", "end")):
                kind = element.tag.rpartition("}")[2]
                if kind == "cellXfs":
                    is_cells = event == "start"
                elif event == "start" and kind == "numFmt":
                    match = _ZEROS.fullmatch(element.get("formatCode", ""))
                    formats |= {element.get("numFmtId", ""): len(match[1])} if match else {}
                elif event == "start" and kind == "xf" and is_cells:
                    if width := formats.get(element.get("numFmtId", "")):
                        widths[str(index)] = width
                    index += 1
    except (ParseError, OSError, LookupError, ValueError, zipfile.BadZipFile):
        return {}  # damaged styles take nothing from the values
    return widths


def fill_zeros(rows: list[list[object]], widths: Mapping[tuple[int, int], int]) -> None:
    """Put texts such as "00123" in place of the whole numbers that are shown so, in the rows themselves."""
    for (row, column), width in widths.items():
        value = rows[row][column] if row < len(rows) and column < len(rows[row]) else None
        if isinstance(value, (int, float)) and not isinstance(value, bool) and float(value).is_integer() and value >= 0:
            rows[row][column] = f"{int(value):0{width}d}"
