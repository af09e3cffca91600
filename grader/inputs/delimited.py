"""Reads .csv, .tsv and .txt tables with true addresses, whatever program exported them; not for workbooks."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from pathlib import Path

from grader.errors import InputError
from grader.inputs.package_intake import DEFAULT_LIMITS, IntakeLimits
from grader.inputs.sheet import Sheet, cell_name, too_long
from grader.records import CellRef

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_EXPORTED_BY_EXCEL = ["cp1252", "cp932", "gb18030"]
_SHOWN_AS = {"cp932": "shift_jis"}
_SEP_LINE = re.compile(r"\s*\"?sep=(.)\"?[^\S\r\n]*(?:\r\n|\r|\n)", re.IGNORECASE)
_DELIMITERS = ",;\t|"
_SNIFFED_CHARS = 200_000
_HINT_LARGE = "Keep only the table, or save it as JSONL; a file that you trust is read with --read-limit 10"
_HINT_ENCODING = "Say which encoding it is (--encoding cp1252), or save it as UTF-8"


def read_delimited(path: Path, *, encoding: str | None = None, limits: IntakeLimits = DEFAULT_LIMITS) -> Sheet:
    """Return the whole text table; every value is text, so `00123` stays as it is.

    `encoding` is used only where the file is not UTF-8 and has no byte order mark. `InputError` where it
    cannot be decoded, its quotes do not match up, or it is larger than `limits`.
    """
    _check_size(path, limits)
    text, notes = decode(path.read_bytes(), path, encoding)
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise InputError(
            "the file has a NUL character, so it is no proper text table",
            path=path,
            cell=f"line {line}",
            hint="Export it again, or as .xlsx",
        )
    if not text.strip():
        raise InputError("the file has nothing in it", path=path, hint="Export or copy it again")
    text, delimiter = _without_sep_line(text)
    delimiter = delimiter or _delimiter(text)
    width = _width(path, text, delimiter, limits)
    return Sheet(path=str(path), rows=_parse_rows(path, text, delimiter, width), notes=notes)


def _check_size(path: Path, limits: IntakeLimits) -> None:
    size = path.stat().st_size
    if size > limits.total_bytes:
        shown = f"{size / 2**20:,.0f} MB, and the limit is {limits.total_bytes / 2**20:,.0f} MB"
        raise InputError(f"the file has {shown}", path=path, hint=_HINT_LARGE)


def _width(path: Path, text: str, delimiter: str, limits: IntakeLimits) -> int:
    """Return the cells of the widest row; `InputError` where the rows, all made so wide, would be too much."""
    height, width = 0, 1
    before = csv.field_size_limit(len(text) + 1)
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            height, width = height + 1, max(width, len(row))
            longest = max(row, key=len, default="")
            if len(longest) > limits.cell_length:
                raise too_long(longest, CellRef(path=str(path), cell=cell_name(height - 1, row.index(longest))))
            if height * width > limits.area:
                raise InputError(
                    f"the table reaches over {height:,} rows and {width:,} columns or more, too far to read safely",
                    path=path,
                    cell=f"row {height}",
                    hint=_HINT_LARGE,
                )
    except csv.Error:
        pass  # the other reader says what is wrong
    finally:
        csv.field_size_limit(before)
    return width


def decode(data: bytes, path: Path, encoding: str | None = None) -> tuple[str, tuple[str, ...]]:
    """Return the text of `data` and what should be said about its encoding."""
    for bom, name in _BOMS:
        if data.startswith(bom):
            return _decoded(data, name, path), ()
    if b"\0" in data[:1000] and (guess := _utf16_without_bom(data)):
        return _decoded(data, guess, path), (f"{path}: read as UTF-16, which it does not say itself",)
    try:
        return data.decode("utf-8"), ()
    except UnicodeDecodeError:
        if encoding is not None:
            return _decoded(data, encoding, path), ()
    return _detected(data, path)


def _decoded(data: bytes, encoding: str, path: Path) -> str:
    try:
        return data.decode(encoding)
    except LookupError:
        raise InputError(f"there is no encoding called '{encoding}'", path=path, hint=_HINT_ENCODING) from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"the file is not {encoding}: byte {error.start:,} cannot be read", path=path, hint=_HINT_ENCODING
        ) from None


def _utf16_without_bom(data: bytes) -> str | None:
    start = data[:1000]
    if start[1::2].count(0) > len(start) // 3:
        return "utf-16-le"
    return "utf-16-be" if start[0::2].count(0) > len(start) // 3 else None


def _detected(data: bytes, path: Path) -> tuple[str, tuple[str, ...]]:
    from charset_normalizer import from_bytes

    best = from_bytes(data, cp_isolation=_EXPORTED_BY_EXCEL).best()
    if best is None:
        raise InputError("the file is not UTF-8, and its encoding is not clear", path=path, hint=_HINT_ENCODING)
    shown = _SHOWN_AS.get(best.encoding, best.encoding)
    note = f"{path}: not UTF-8; read as {shown}, which is a guess (--encoding NAME says otherwise)"
    return _decoded(data, best.encoding, path), (note,)


def _without_sep_line(text: str) -> tuple[str, str | None]:
    """Cut Excel's `sep=;` line, which Excel does not show and does not count as a row."""
    match = _SEP_LINE.match(text)
    return (text[match.end() :], match[1]) if match else (text, None)


def _delimiter(text: str) -> str:
    """Return the delimiter that splits most of the first rows into the same number of cells."""
    start = text[:_SNIFFED_CHARS]
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


def _ends_lines_with_cr(text: str) -> bool:
    """Whether rows end as on an old Macintosh, so that a line feed is part of a cell."""
    return re.search(r"\r(?!\n)", text) is not None and "\r\n" not in text and text.rstrip(" \t").endswith("\r")


def _parse_rows(path: Path, text: str, delimiter: str, width: int) -> list[list[str]]:
    import pandas as pd

    try:
        table = pd.read_csv(
            io.StringIO(text),
            sep=delimiter,
            header=None,
            names=range(width),  # as wide as the widest row, so that a title above the header is no error
            dtype=str,
            keep_default_na=False,
            skip_blank_lines=False,
            engine="c",
            low_memory=False,
            lineterminator="\r" if _ends_lines_with_cr(text) else None,
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError, ValueError) as error:
        raise InputError(
            f"the file is no proper text table: {_pandas_reason(error)}",
            path=path,
            hint="Look for a quote mark that is opened and not closed; export it again, or as .xlsx",
        ) from error
    rows: list[list[str]] = table.fillna("").to_numpy(dtype=object).tolist()
    return rows


def _pandas_reason(error: Exception) -> str:
    """Return the reason in words; pandas counts its rows from 0."""
    unclosed = re.search(r"EOF inside string starting at row ([0-9]+)", str(error))
    if unclosed:
        return f"the quote opened in row {int(unclosed[1]) + 1} is never closed"
    return str(error).strip()
