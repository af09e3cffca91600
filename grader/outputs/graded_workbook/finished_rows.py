"""Renders whole rows as a worksheet's XML and puts them into XlsxWriter's file; knows no table's columns or looks.

A row is what XlsxWriter would make of it cell by cell, with its texts inside the cells, in a fraction of the time.
"""

from __future__ import annotations

import math
import re
import shutil
import weakref
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Any, NamedTuple
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from grader.outputs.graded_workbook.review_columns import ROW, column_letters
from grader.outputs.graded_workbook.text import CELL_LIMIT, is_plain

_MOST_BYTES_IN_MEMORY = 16 * 1024**2
_CHUNK_BYTES = 1024**2
_USUAL_PIXELS = 20

_LIKE_AN_ESCAPE = re.compile("_(?=x[0-9a-fA-F]{4}_)")
_ROW_OR_END = re.compile(rb'(?=<row r="[0-9]+"|</sheetData>)')
_ROW_NUMBER = re.compile(rb'<row r="([0-9]+)"')
_DIMENSION = re.compile(rb'(<dimension ref="A1:[A-Z]+)([0-9]+)')


class Live(NamedTuple):
    """A live formula in a row: its XML around the row's number, and its value."""

    parts: Sequence[str]
    value: float | str | None


class RowFormula:
    """A formula that differs from row to row by the row's number only, for which `ROW` stands in it."""

    def __init__(self, formula: str) -> None:
        self._parts = escape(formula.removeprefix("=")).split(ROW)

    def with_value(self, value: float | str | None) -> Live:
        """Return it with its true value of this moment in one row; `None` is shown as empty text."""
        return Live(self._parts, value)


CellValue = str | float | Live | None


class StyleNumbers(dict[Any, int]):
    """The number of each of XlsxWriter's formats in its file.

    XlsxWriter gives them when it writes the file, cell by cell; here they are given in the same order, but at once.
    """

    def __missing__(self, style: Any) -> int:
        self[style] = number = int(style._get_xf_index())
        return number

    def give(self, *styles: Any) -> None:
        """Number the formats of cells that XlsxWriter will write."""
        for style in styles:
            self[style]


class FinishedRows:
    """Rows that follow one another, kept as text until the file is written: on disk where there are many."""

    def __init__(self, columns: range, *, styles: StyleNumbers, fitted: Callable[[str], str], has_spans: bool) -> None:
        """Begin without any.

        Args:
            columns: The columns of each row's cells, from 0.
            styles: The book's.
            fitted: Makes a text fit for a cell.
            has_spans: Whether rows say which columns they have, as XlsxWriter's do where it does not stream.
        """
        self._starts = [f'<c r="{column_letters(column)}' for column in columns]
        self._styles = styles
        self._fitted = fitted
        self._spans = f' spans="{columns.start + 1}:{columns.stop}"' if has_spans else ""
        self._file: IO[bytes] = SpooledTemporaryFile(_MOST_BYTES_IN_MEMORY)  # noqa: SIM115  # `copy_to` closes it
        weakref.finalize(self, self._file.close)  # of a book that is never written
        self.first_row = self.last_row = 0
        """As the file counts, from 1; 0 before there is one."""

    def add(self, row: int, points: float, values: Sequence[CellValue], styles: Sequence[Any]) -> None:
        """Add the row behind the last one (`row` counts from 0): its height, each column's value and format."""
        self.last_row = row + 1
        self.first_row = self.first_row or self.last_row
        number = str(self.last_row)
        cells = [
            f'{start}{number}" s="{self._styles[style]}"{self._content(value, number)}'
            for start, value, style in zip(self._starts, values, styles, strict=True)
        ]
        self._file.write(f'<row r="{number}"{self._spans}{_height(points)}>{"".join(cells)}</row>'.encode())

    def _content(self, value: CellValue, number: str) -> str:
        """Return a cell's XML behind its style."""
        if value is None or value == "":
            return "/>"
        if isinstance(value, str):
            is_short = len(value) <= CELL_LIMIT // 2
            text = _element(value) if is_short and is_plain(value) else text_element(self._fitted(value))
            return f' t="inlineStr"><is>{text}</is></c>'
        if isinstance(value, Live):
            return _formula(value, number)
        if not math.isfinite(value):
            raise ValueError(f"{value} is no number that a cell can hold")
        return f"><v>{value:.16G}</v></c>"

    @property
    def size(self) -> int:
        """How many bytes they take."""
        return self._file.seek(0, 2)

    def copy_to(self, file: IO[bytes]) -> None:
        """Write them all, and forget them."""
        self._file.seek(0)
        shutil.copyfileobj(self._file, file, _CHUNK_BYTES)
        self._file.close()


def text_element(text: str) -> str:
    """Return a safe text as a cell or a note has it in XML."""
    return _element(text if is_plain(text) else escape(_LIKE_AN_ESCAPE.sub("_x005F_", text)))


def _element(escaped: str) -> str:
    has_blanks = escaped[0].isspace() or escaped[-1].isspace()
    return f'<t xml:space="preserve">{escaped}</t>' if has_blanks else f"<t>{escaped}</t>"


def _formula(live: Live, number: str) -> str:
    value = live.value
    if isinstance(value, str) and value:
        return f' t="str"><f>{number.join(live.parts)}</f><v>{escape(value)}</v></c>'
    return f"><f>{number.join(live.parts)}</f><v>{'' if value is None else value}</v></c>"


def _height(points: float) -> str:
    """Return a row's height in whole pixels, and nothing for the usual one."""
    pixels = int(points * 4 / 3 + 0.5)
    return "" if pixels == _USUAL_PIXELS else f' ht="{pixels * 0.75:.16g}" customHeight="1"'


def insert_rows(book: Path | BytesIO, sheets: Mapping[int, Sequence[FinishedRows]]) -> None:
    """Put rows among those that a workbook's sheets, counted from 1, have; XlsxWriter has just written it.

    Raises:
        OSError: as the disk says.
    """
    is_donor = isinstance(book, BytesIO)  # it is read again at once, and nobody waits for it to be small
    source = BytesIO(book.getvalue() if isinstance(book, BytesIO) else book.read_bytes())
    if isinstance(book, BytesIO):
        book.seek(0)
        book.truncate()
    parts = {f"xl/worksheets/sheet{number}.xml": rows for number, rows in sheets.items()}
    with ZipFile(source) as made, ZipFile(book, "w", ZIP_STORED if is_donor else ZIP_DEFLATED) as target:
        for name in made.namelist():
            _copy_part(target, name, made.read(name), parts.get(name, ()))


def _copy_part(target: ZipFile, name: str, data: bytes, rows: Sequence[FinishedRows]) -> None:
    entry = ZipInfo(name)
    entry.compress_type = target.compression
    entry.file_size = len(data) + sum(each.size for each in rows)  # large files have a format of their own
    with target.open(entry, "w") as file:
        waiting = list(rows)
        for piece in _ROW_OR_END.split(_with_dimension(data, rows)) if rows else [data]:
            number = _ROW_NUMBER.match(piece)
            is_end = piece.startswith(b"</sheetData>")
            while waiting and (is_end or (number and waiting[0].first_row < int(number[1]))):
                waiting.pop(0).copy_to(file)
            file.write(piece)
    assert not waiting, "a sheet has a row of XlsxWriter's, a header at least, and so an end of its rows"


def _with_dimension(data: bytes, rows: Sequence[FinishedRows]) -> bytes:
    """Return a sheet that says how far its rows reach."""
    last = rows[-1].last_row
    return _DIMENSION.sub(lambda match: b"%b%d" % (match[1], max(int(match[2]), last)), data, count=1)
