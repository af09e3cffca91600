"""Measures how far the values of an OpenDocument spreadsheet reach before it is read; reads no value.

A cell there can say that it is repeated 16,384 times, in a row repeated a million times.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.parsers import expat

from grader.errors import InputError
from grader.inputs.package_intake import IntakeLimits


def check_ods_area(path: Path, limits: IntakeLimits) -> None:
    """Raise `InputError` where a sheet's values reach over more cells than `limits.area`, or its XML is broken."""
    parser = expat.ParserCreate()
    extent = _Extent(limits.area)
    parser.StartElementHandler = extent.start
    try:
        with zipfile.ZipFile(path) as package, package.open("content.xml") as stream:
            parser.ParseFile(stream)
    except (expat.ExpatError, KeyError) as error:
        raise InputError(f"the workbook is damaged: {error}", path=path, hint="Save it again as .xlsx") from error
    except _TooFar as error:
        raise InputError(
            f"a sheet's values reach over {error} cells, too many to read safely",
            path=path,
            hint="Delete what stands far below or to the right of the table, and save",
        ) from None


class _TooFar(Exception):
    """The limit was met; the text says how many cells there are."""


class _Extent:
    """Follows the position through tables, rows and cells."""

    def __init__(self, area: int) -> None:
        self.area = area
        self.row = self.next_row = self.next_column = self.last_column = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        kind = name.rpartition(":")[2]
        if kind == "table":
            self.row = self.next_row = self.last_column = 0
        elif kind == "table-row":
            self.row = self.next_row
            self.next_row += _repeated(attributes, "table:number-rows-repeated")
            self.next_column = 0
        elif kind in ("table-cell", "covered-table-cell"):
            self.next_column += _repeated(attributes, "table:number-columns-repeated")
            if any(key.endswith((":value-type", ":formula")) for key in attributes):
                self.last_column = max(self.last_column, self.next_column)
                if self.next_row * self.last_column > self.area:
                    raise _TooFar(f"{self.next_row * self.last_column:,}")


def _repeated(attributes: dict[str, str], key: str) -> int:
    number = attributes.get(key, "1")
    return int(number) if number.isascii() and number.isdigit() else 1
