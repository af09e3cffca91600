"""Reads .csv, .tsv and .txt tables with true addresses, whatever program exported them; not for workbooks."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from grader.errors import InputError
from grader.inputs.file_text import FileText, look_over
from grader.inputs.package_intake import DEFAULT_LIMITS, IntakeLimits
from grader.inputs.sheet import Sheet, cell_name, too_long
from grader.inputs.spool import Form, Spool, Spooled
from grader.records import CellRef

_SEP_LINE = re.compile(r"\s*\"?sep=(.)\"?[^\S\r\n]*(?:\r\n|\r|\n)", re.IGNORECASE)
_DELIMITERS = ",;\t|"
_ROWS_AT_ONCE = 2_000
_HINT_LARGE = "Keep only the table, or save it as JSONL; a file that you trust is read with --read-limit 10"


def read_delimited(
    path: Path, *, encoding: str | None = None, limits: IntakeLimits = DEFAULT_LIMITS, spool: Spool | None = None
) -> Sheet:
    """Return the whole text table; every value is text, so `00123` stays as it is.

    `encoding` is used only where the file is not UTF-8 and has no byte order mark. Rows that `spool` has no room for
    are read from it as they are taken. `InputError` where the file cannot be decoded, its quotes do not match up, or
    it is larger than `limits`.
    """
    _check_size(path, limits)
    text = look_over(path, encoding)
    if text.is_blank:
        raise InputError("the file has nothing in it", path=path, hint="Export or copy it again")
    sep_line = _SEP_LINE.match(text.start)  # Excel's `sep=;`, which it does not show and does not count as a row
    table = _TableText(text, skipped=sep_line.end() if sep_line else 0)
    delimiter = sep_line[1] if sep_line else _delimiter(text.start)
    width = _width(table, delimiter, limits)
    rows = Spooled(_ROW_FORM, spool or Spool(), _parse_rows(table, delimiter, width))
    return Sheet(path=str(path), rows=rows, notes=text.notes)


_ROW_FORM: Form[list[str], None] = Form(
    pack=tuple, unpack=list, weigh=lambda row: 100 + sum(50 + len(value) for value in row), key=lambda _: None
)


@dataclass(frozen=True, slots=True)
class _TableText:
    """A file's text from its table on."""

    text: FileText
    skipped: int
    """Characters in front of the table."""

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.text.path

    @contextmanager
    def opened(self) -> Iterator[TextIO]:
        """Open it, for the lines as they are."""
        with self.path.open(encoding=self.text.encoding, newline="") as stream:
            stream.read(self.skipped)
            yield stream


def _check_size(path: Path, limits: IntakeLimits) -> None:
    size = path.stat().st_size
    if size > limits.total_bytes:
        shown = f"{size / 2**20:,.0f} MB, and the limit is {limits.total_bytes / 2**20:,.0f} MB"
        raise InputError(f"the file has {shown}", path=path, hint=_HINT_LARGE)


def _width(table: _TableText, delimiter: str, limits: IntakeLimits) -> int:
    """Return the cells of the widest row; `InputError` where the rows, all made so wide, would be too much."""
    height, width = 0, 1
    before = csv.field_size_limit(sys.maxsize)
    try:
        with table.opened() as stream:
            for row in csv.reader(stream, delimiter=delimiter):
                height, width = height + 1, max(width, len(row))
                longest = max(row, key=len, default="")
                if len(longest) > limits.cell_length:
                    cell = cell_name(height - 1, row.index(longest))
                    raise too_long(longest, CellRef(path=str(table.path), cell=cell))
                if height * width > limits.area:
                    raise InputError(
                        f"the table reaches over {height:,} rows and {width:,} columns or more, too far to read safely",
                        path=table.path,
                        cell=f"row {height}",
                        hint=_HINT_LARGE,
                    )
    except csv.Error:
        pass  # the other reader says what is wrong
    finally:
        csv.field_size_limit(before)
    return width


def _delimiter(start: str) -> str:
    """Return the delimiter that splits most of the first rows into the same number of cells."""
    scores: dict[str, tuple[float, int]] = {}
    for delimiter in _DELIMITERS:
        try:
            reader = csv.reader(io.StringIO(start, newline=""), delimiter=delimiter)
            widths = Counter(len(row) for row, _ in zip(reader, range(50), strict=False) if row)
        except csv.Error:
            continue
        width, count = max(((w, n) for w, n in widths.items() if w > 1), key=lambda wn: (wn[1], wn[0]), default=(1, 0))
        scores[delimiter] = (count / max(1, widths.total()), width)
    return max(scores, key=lambda delimiter: scores[delimiter], default=",")


def _parse_rows(table: _TableText, delimiter: str, width: int) -> Iterator[list[str]]:
    import pandas as pd

    try:
        with (
            table.opened() as stream,
            pd.read_csv(
                stream,
                sep=delimiter,
                header=None,
                names=range(width),  # as wide as the widest row, so that a title above the header is no error
                dtype=str,
                keep_default_na=False,
                skip_blank_lines=False,
                engine="c",
                low_memory=False,
                lineterminator="\r" if table.text.ends_lines_with_cr else None,
                chunksize=_ROWS_AT_ONCE,
            ) as chunks,
        ):
            for chunk in chunks:
                yield from chunk.fillna("").to_numpy(dtype=object).tolist()
    except (pd.errors.ParserError, pd.errors.EmptyDataError, ValueError) as error:
        raise InputError(
            f"the file is no proper text table: {_pandas_reason(error)}",
            path=table.path,
            hint="Look for a quote mark that is opened and not closed; export it again, or as .xlsx",
        ) from error


def _pandas_reason(error: Exception) -> str:
    """Return the reason in words; pandas counts its rows from 0."""
    unclosed = re.search(r"EOF inside string starting at row ([0-9]+)", str(error))
    if unclosed:
        return f"the quote opened in row {int(unclosed[1]) + 1} is never closed"
    return str(error).strip()
