"""Finds out how a text file is encoded and looks it over, a part at a time; knows nothing of tables."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.errors import InputError

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_EXPORTED_BY_EXCEL = ["cp1252", "cp932", "gb18030"]
_SHOWN_AS = {"cp932": "shift_jis"}
_PART_BYTES = 2**20
_START_CHARS = 200_000
_LONE_CR = re.compile(r"\r(?!\n)")
_HINT_ENCODING = "Say which encoding it is (--encoding cp1252), or save it as UTF-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileText:
    """What is known of a text file that has been looked over; the whole of it can be decoded."""

    path: Path
    encoding: str
    start: str
    """Its first characters."""
    is_blank: bool
    ends_lines_with_cr: bool
    """Whether rows end as on an old Macintosh, so that a line feed is part of a cell."""
    notes: tuple[str, ...] = ()
    """What should be said about its encoding."""


def look_over(path: Path, encoding: str | None = None) -> FileText:
    """Return what there is to know of a text file.

    `encoding` is used only where the file is not UTF-8 and has no byte order mark. `InputError` where it cannot be
    decoded, and where it has a NUL character.
    """
    with path.open("rb") as stream:
        start = stream.read(1000)
    for bom, name in _BOMS:
        if start.startswith(bom):
            return _decoded(path, name)
    if b"\0" in start and (guess := _utf16_without_bom(start)):
        return _decoded(path, guess, f"{path}: read as UTF-16, which it does not say itself")
    try:
        return _looked_over(path, "utf-8", ())
    except UnicodeDecodeError:
        return _decoded(path, encoding) if encoding is not None else _detected(path)


def _decoded(path: Path, encoding: str, *notes: str) -> FileText:
    try:
        return _looked_over(path, encoding, notes)
    except LookupError:
        raise InputError(f"there is no encoding called '{encoding}'", path=path, hint=_HINT_ENCODING) from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"the file is not {encoding}: byte {error.start:,} cannot be read", path=path, hint=_HINT_ENCODING
        ) from None


def _utf16_without_bom(start: bytes) -> str | None:
    if start[1::2].count(0) > len(start) // 3:
        return "utf-16-le"
    return "utf-16-be" if start[0::2].count(0) > len(start) // 3 else None


def _detected(path: Path) -> FileText:
    from charset_normalizer import from_bytes

    best = from_bytes(path.read_bytes(), cp_isolation=_EXPORTED_BY_EXCEL).best()
    if best is None:
        raise InputError("the file is not UTF-8, and its encoding is not clear", path=path, hint=_HINT_ENCODING)
    shown = _SHOWN_AS.get(best.encoding, best.encoding)
    note = f"{path}: not UTF-8; read as {shown}, which is a guess (--encoding NAME says otherwise)"
    return _decoded(path, best.encoding, note)


def _looked_over(path: Path, encoding: str, notes: tuple[str, ...]) -> FileText:
    start, last_line, line_count = "", "", 1
    is_blank, has_lone_cr, has_crlf = True, False, False
    for part in _parts(path, encoding):
        if "\0" in part:
            raise _has_nul(path, line_count + part[: part.index("\0")].count("\n"))
        if len(start) < _START_CHARS:
            start += part[:_START_CHARS]
        line_count += part.count("\n")
        is_blank = is_blank and not part.strip()
        has_lone_cr = has_lone_cr or _LONE_CR.search(part) is not None
        has_crlf = has_crlf or "\r\n" in part
        last_line = (last_line + part).rstrip(" \t")[-1:] if part.strip(" \t") else last_line
    return FileText(
        path=path,
        encoding=encoding,
        start=start[:_START_CHARS],
        is_blank=is_blank,
        ends_lines_with_cr=has_lone_cr and not has_crlf and last_line == "\r",
        notes=notes,
    )


def _parts(path: Path, encoding: str) -> Iterator[str]:
    """Yield the text in parts, none of which ends between CR and LF; `UnicodeDecodeError` with the file's own byte."""
    decoder = codecs.getincrementaldecoder(encoding)()
    position, held = 0, ""
    with path.open("rb") as stream:
        while True:
            data = stream.read(_PART_BYTES)
            position += len(data)
            try:
                part = held + decoder.decode(data, final=not data)
            except UnicodeDecodeError as error:
                error.start += position - len(error.object)  # of which the end is the end of what was read
                raise
            held = "\r" if data and part.endswith("\r") else ""
            if part := part.removesuffix(held):
                yield part
            if not data:
                return


def _has_nul(path: Path, line: int) -> InputError:
    return InputError(
        "the file has a NUL character, so it is no proper text table",
        path=path,
        cell=f"line {line}",
        hint="Export it again, or as .xlsx",
    )
