"""Streams one sheet's XML for what a reader of values cannot see; returns no values itself.

That is: error cells, formulas that were never calculated, hidden rows, and how far the values reach. A sheet can
have a million blank cells and a row of any length, so nothing is kept of what has been read.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from grader.errors import InputError
from grader.inputs.package_intake import IntakeLimits

_ROW_GAP, _COLUMN_GAP = 1_000, 100
"""A value further away than this from all before it does not belong to the table."""

_MERGE_LIMIT = 100_000


@dataclass(slots=True)
class SheetScan:
    """What one sheet's XML says beside its values; rows and columns count from 0."""

    faults: dict[tuple[int, int], str] = field(default_factory=dict)
    """What is wrong with a cell, in words."""
    hidden_rows: set[int] = field(default_factory=set)
    cell_count: int = 0
    """Cells with a value."""
    last_row: int = -1
    last_column: int = -1
    table_row: int = -1
    """The last row and column without the values that stand far from all others."""
    table_column: int = -1
    far_cell: str = ""
    """Name of the first such value, "" where there is none."""
    merge_count: int = 0


def scan_sheet(path: Path, part: str, sheet: str, limits: IntakeLimits) -> SheetScan:
    """Stream the sheet's part; `InputError` where its XML is broken or it has too many cells."""
    scan = SheetScan()
    parser = expat.ParserCreate()
    parser.StartElementHandler = _Scanner(parser, scan, limits).start
    try:
        with zipfile.ZipFile(path) as package, package.open(part) as stream:
            parser.ParseFile(stream)
    except expat.ExpatError as error:
        raise InputError(
            f"the sheet is damaged (its XML is broken: {error})",
            path=path,
            sheet=sheet,
            hint="Excel's Open and Repair may help; or ask for the file again",
        ) from error
    except _TooMuch as error:
        raise InputError(
            f"the sheet has {error}, too many to read safely",
            path=path,
            sheet=sheet,
            hint="Keep only the table, in a new workbook; large sets of answers are better kept as JSONL",
        ) from None
    return scan


class _TooMuch(Exception):
    """A limit was met; the text says which."""


class _Scanner:
    """Fills a `SheetScan` from the start of each element; text and ends are heard only where they matter."""

    def __init__(self, parser: expat.XMLParserType, scan: SheetScan, limits: IntakeLimits) -> None:
        self.parser = parser
        self.scan = scan
        self.limits = limits
        self.kinds: dict[str, str] = {}
        """Element names without their prefix, and `columns` positions of column letters, as both come often."""
        self.columns: dict[str, int] = {}
        self.row = -1
        self.reference = ""
        """The last cell name in this row, and `after` how many cells without a name have followed."""
        self.after = 0
        self.cell: dict[str, str] = {}
        self.is_in_cell = False
        self.has_value = False
        self.text: dict[str, str] = {}
        """Text of the cell's formula and value, for a cell that may be at fault."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        kind = self.kinds.get(name)
        if kind is None:
            kind = self.kinds[name] = name.rpartition(":")[2]
        if kind == "c":
            self._start_cell(attributes)
        elif kind == "row":
            self._start_row(attributes)
        elif kind in ("v", "f", "is"):
            if self.is_in_cell:
                self._start_content(kind)
        elif kind == "mergeCell":
            self.scan.merge_count += 1
            if self.scan.merge_count > _MERGE_LIMIT:
                raise _TooMuch(f"more than {_MERGE_LIMIT:,} merged ranges")
        else:
            self.is_in_cell = False  # what follows the table may have `f` elements of its own

    def _start_row(self, attributes: dict[str, str]) -> None:
        number = attributes.get("r", "")
        self.row = int(number) - 1 if number.isascii() and number.isdigit() else self.row + 1
        self.reference, self.after = "", -1
        if attributes.get("hidden") in ("1", "true"):
            self.scan.hidden_rows.add(self.row)

    def _start_cell(self, attributes: dict[str, str]) -> None:
        self.cell, self.is_in_cell, self.has_value = attributes, True, False
        if "r" in attributes:
            self.reference, self.after = attributes["r"], 0
        else:
            self.after += 1

    def _start_content(self, kind: str) -> None:
        if not self.has_value:
            self.has_value = True
            self._count()
        if kind == "f" or self.cell.get("t") == "e" or self.parser.EndElementHandler is not None:
            if self.parser.EndElementHandler is None:
                self.text = {}
                self.parser.EndElementHandler = self._end
            self.text[kind] = ""
            self.parser.CharacterDataHandler = lambda text: self._hear(kind, text)

    def _count(self) -> None:
        self.scan.cell_count += 1
        if self.scan.cell_count > self.limits.cell_count:
            raise _TooMuch(f"more than {self.limits.cell_count:,} filled cells")
        row, column = self._place()
        scan = self.scan
        scan.last_row, scan.last_column = max(scan.last_row, row), max(scan.last_column, column)
        if row - scan.table_row <= _ROW_GAP and column - scan.table_column <= _COLUMN_GAP:
            scan.table_row, scan.table_column = max(scan.table_row, row), max(scan.table_column, column)
        else:
            scan.far_cell = scan.far_cell or self.reference or f"row {row + 1}"

    def _hear(self, kind: str, text: str) -> None:
        self.text[kind] = (self.text[kind] + text)[:200]

    def _end(self, name: str) -> None:
        self.parser.CharacterDataHandler = None
        if self.kinds.get(name) == "c":
            self.parser.EndElementHandler = None
            fault = _fault(self.cell.get("t", ""), self.text.get("f"), self.text.get("v"))
            if fault:
                self.scan.faults[self._place()] = fault

    def _place(self) -> tuple[int, int]:
        """Return the cell's position; its own name outranks the number of the row it stands in."""
        letters = self.reference.rstrip("0123456789")
        number = self.reference[len(letters) :]
        if not letters or not number:
            return self.row, self.after
        column = self.columns.get(letters)
        if column is None:
            column = self.columns[letters] = _column_index(letters)
        return int(number[:9]) - 1, column + self.after


def _fault(cell_type: str, formula: str | None, value: str | None) -> str | None:
    if cell_type == "e":
        return f"the cell shows the error {value or 'of a failed formula'}"
    # A formula that gives an empty text is stored as an empty value of type str.
    if formula is None or value or (value == "" and cell_type == "str"):
        return None
    return f"the formula ={formula or '…'} has no stored result"


def _column_index(letters: str) -> int:
    index = 0
    for letter in letters[:4].upper():
        index = index * 26 + ord(letter) - 64
    return index - 1
