"""Streams one sheet's XML for what a reader of values cannot see; returns no values itself.

That is: error cells, formulas that were never calculated, hidden rows, and how far the values reach. A sheet can
have a million blank cells and a row of any length, so nothing is kept of what has been read.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from grader.errors import InputError
from grader.inputs.package_intake import IntakeLimits

_ROW_GAP, _COLUMN_GAP = 1_000, 100
"""A value further away than this from all before it does not belong to the table."""

_MERGE_LIMIT = 100_000

_LAST_ROW, _LAST_COLUMN = 1_048_576, 16_384
_CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")


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
    shared_count: int = 0
    """Cells whose text stands in the workbook's table of texts."""
    formula_count: int = 0
    is_styled: bool = False
    """Whether a value has a style, which is what makes a date of a number."""
    is_disordered: bool = False
    """Whether a cell stands in front of one that it belongs behind, or comes twice."""
    zero_widths: dict[tuple[int, int], int] = field(default_factory=dict)
    """How many digits a number is filled up to with zeros."""
    notes: list[str] = field(default_factory=list)
    """What is to be said of the sheet, without its place."""


def scan_sheet(
    path: Path, part: str, sheet: str, limits: IntakeLimits, *, zero_widths: Mapping[str, int] | None = None
) -> SheetScan:
    """Stream the sheet's part; `InputError` where its XML is broken or it has too many cells.

    `zero_widths` are the styles, by number, that fill numbers up with zeros.
    """
    scan = SheetScan()
    parser = expat.ParserCreate()
    parser.StartElementHandler = _Scanner(parser, scan, limits, zero_widths or {}).start
    try:
        with zipfile.ZipFile(path) as package:
            _refuse_at_a_glance(package, part, limits)
            with package.open(part) as stream:
                parser.ParseFile(stream)
    except expat.ExpatError as error:
        raise InputError(
            f"the sheet is damaged (its XML is broken: {error})",
            path=path,
            sheet=sheet,
            hint="Excel's Open and Repair may help; or ask for the file again",
        ) from error
    except _NoSuchCell as error:
        raise InputError(
            f"the sheet is damaged: it names a place '{error}', and a sheet has none such",
            path=path,
            sheet=sheet,
            hint="Excel's Open and Repair may help; or ask for the file again",
        ) from None
    except _TooMuch as error:
        raise InputError(
            f"the sheet has {error}, too many to read safely",
            path=path,
            sheet=sheet,
            hint="Keep only the table, in a new workbook; large sets of answers are better kept as JSONL",
        ) from None
    return scan


def _refuse_at_a_glance(package: zipfile.ZipFile, part: str, limits: IntakeLimits) -> None:
    """Count the ends of values in a large part, which takes a hundredth of the time of parsing it."""
    if package.getinfo(part).file_size < limits.cell_count * len("</v>"):
        return
    count, rest = 0, b""
    with package.open(part) as stream:
        while piece := stream.read(1 << 20):
            joined = rest + piece
            count += max(joined.count(b"</v>") - rest.count(b"</v>"), 0) + joined.count(b":v>") // 2
            if count > limits.cell_count:
                raise _TooMuch(f"more than {limits.cell_count:,} filled cells")
            rest = joined[-3:]


class _TooMuch(Exception):
    """A limit was met; the text says which."""


class _NoSuchCell(Exception):
    """A cell's name is none; the text is the name. The library that reads values aborts the program at such a name."""


class _Scanner:
    """Fills a `SheetScan` from the start of each element; text and ends are heard only where they matter."""

    def __init__(
        self, parser: expat.XMLParserType, scan: SheetScan, limits: IntakeLimits, widths: Mapping[str, int]
    ) -> None:
        self.parser = parser
        self.scan = scan
        self.limits = limits
        self.zero_widths = widths
        self.kinds: dict[str, str] = {}
        """Element names without their prefix, and `columns` positions of column letters, as both come often."""
        self.columns: dict[str, int] = {}
        self.row, self.row_number = -1, ""
        """The last row, and its number as it stands there."""
        self.reference = ""
        """The last cell name in this row, and `after` how many cells without a name have followed."""
        self.after = 0
        self.cell: dict[str, str] = {}
        self.place = (-1, -1)
        """Where the last cell with a value stood."""
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
        elif kind == "dimension":
            _check_range(attributes.get("ref", ""))
        elif kind == "mergeCell":
            _check_range(attributes.get("ref", ""))
            self.scan.merge_count += 1
            if self.scan.merge_count > _MERGE_LIMIT:
                raise _TooMuch(f"more than {_MERGE_LIMIT:,} merged ranges")
        else:
            self.is_in_cell = False  # what follows the table may have `f` elements of its own

    def _start_row(self, attributes: dict[str, str]) -> None:
        number = attributes.get("r", "")
        self.row = _row_index(number) if number.isascii() and number.isdigit() else self.row + 1
        self.row_number = number
        self.reference, self.after = "", -1
        if attributes.get("hidden") in ("1", "true"):
            self.scan.hidden_rows.add(self.row)

    def _start_cell(self, attributes: dict[str, str]) -> None:
        self.cell, self.is_in_cell, self.has_value = attributes, True, False
        if attributes.get("t") == "s":
            self.scan.shared_count += 1
        reference = attributes.get("r")
        if reference is None:
            self.after += 1
            return
        self.reference, self.after = reference, 0
        if not _CELL.fullmatch(reference):
            raise _NoSuchCell(reference[:40])

    def _start_content(self, kind: str) -> None:
        if not self.has_value:
            self.has_value = True
            if self.cell.get("s", "0") != "0":
                self.scan.is_styled = True
            self._count()
        if kind == "f":
            self.scan.formula_count += 1
        if kind == "f" or self.cell.get("t") == "e" or self.parser.EndElementHandler is not None:
            if self.parser.EndElementHandler is None:
                self.text = {}
                self.parser.EndElementHandler = self._end
            self.text[kind] = ""
            self.parser.CharacterDataHandler = lambda text: self._hear(kind, text)

    def _count(self) -> None:
        scan, place = self.scan, self._place()
        scan.cell_count += 1
        if scan.cell_count > self.limits.cell_count:
            raise _TooMuch(f"more than {self.limits.cell_count:,} filled cells")
        if place <= self.place:
            scan.is_disordered = True
        self.place = row, column = place
        if self.zero_widths and (width := self.zero_widths.get(self.cell.get("s", ""))):
            scan.zero_widths[place] = width
        if row > scan.last_row:
            scan.last_row = row
        if column > scan.last_column:
            scan.last_column = column
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
        row = self.row if number == self.row_number else _row_index(number)
        return row, column + self.after


def _fault(cell_type: str, formula: str | None, value: str | None) -> str | None:
    if cell_type == "e":
        return f"the cell shows the error {value or 'of a failed formula'}"
    # A formula that gives an empty text is stored as an empty value of type str.
    if formula is None or value or (value == "" and cell_type == "str"):
        return None
    return f"the formula ={formula or '…'} has no stored result"


def _row_index(number: str) -> int:
    if len(number) > 9 or not 1 <= int(number) <= _LAST_ROW:
        raise _NoSuchCell(f"row {number[:40]}")
    return int(number) - 1


def _column_index(letters: str) -> int:
    index = 0
    for letter in letters.upper():
        index = index * 26 + ord(letter) - 64
    if index > _LAST_COLUMN:
        raise _NoSuchCell(letters)
    return index - 1


def _check_range(reference: str) -> None:
    for cell in reference.split(":") if reference else ():
        match = _CELL.fullmatch(cell)
        if match is None:
            raise _NoSuchCell(cell[:40])
        _column_index(match[1])
        _row_index(match[2])
