"""Looks over a zipped workbook before anything parses it, and refuses what would hurt; reads no cell.

The limits are those of RELIABILITY 20: sizes, counts and names of the parts, and no document type declaration,
which is how XML bombs and file-stealing entities come in.
"""

from __future__ import annotations

import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from xml.parsers import expat

from grader.errors import InputError

_CHUNK = 1 << 18
_MIB = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeLimits:
    """How much a workbook may hold before it is refused; raise a limit for a file you trust."""

    file_bytes: int = 100 * _MIB
    """Size of the file as it lies on the disk, which is compressed where it is a package."""
    total_bytes: int = 200 * _MIB
    """Uncompressed size of all parts together."""
    ratio: int = 100
    """How many times a part of more than 1 MB may grow when it is unpacked."""
    part_count: int = 5_000
    cell_count: int = 600_000
    """Cells with a value, in one sheet."""
    area: int = 3_000_000
    """Cells between a sheet's first and last value, blank ones included; in a text table as well."""
    text_length: int = 100_000_000
    """Characters in one sheet's cells that refer to the workbook's table of texts."""

    cell_length: int = 1_000_000
    """Characters in one cell."""

    def times(self, factor: float) -> IntakeLimits:
        """Return limits as many times as high."""
        return IntakeLimits(**{each.name: int(getattr(self, each.name) * factor) for each in fields(self)})


DEFAULT_LIMITS = IntakeLimits()


def check_file_size(path: Path, limits: IntakeLimits = DEFAULT_LIMITS) -> None:
    """Raise `InputError` where the workbook at `path`, of whatever kind, is too large a file."""
    size = path.stat().st_size
    if size > limits.file_bytes:
        raise _refused(path, f"it has {size // _MIB:,} MB, and the limit is {limits.file_bytes // _MIB:,} MB")


def check_package(path: Path, limits: IntakeLimits = DEFAULT_LIMITS) -> None:
    """Raise `InputError` where the zip at `path` is oversized, ambiguous, booby-trapped or damaged."""
    try:
        check_file_size(path, limits)
        with zipfile.ZipFile(path) as package:
            parts = [info for info in package.infolist() if not info.is_dir()]
            _check_names(path, parts, limits)
            _check_sizes(path, parts, limits)
            for info in parts:
                _check_content(path, package, info)
    except RuntimeError as error:
        raise InputError(
            "the workbook is protected by a password", path=path, hint="Save a copy without a password and use that"
        ) from error
    except (zipfile.BadZipFile, NotImplementedError, OSError, EOFError, zlib.error) as error:
        raise _damaged(path, error) from error


def _check_names(path: Path, parts: list[zipfile.ZipInfo], limits: IntakeLimits) -> None:
    if len(parts) > limits.part_count:
        raise _refused(path, f"it has {len(parts):,} parts, and a workbook has at most {limits.part_count:,}")
    names = [info.filename.replace("\\", "/") for info in parts]
    for name in names:
        if ".." in name.split("/") or name.startswith("/") or ":" in name.split("/")[0]:
            raise _refused(path, f"a part inside it is called '{name}', which points outside the workbook")
    twice = [name for name, count in Counter(name.lower() for name in names).items() if count > 1]
    if twice:
        raise _refused(path, f"the part '{twice[0]}' is in it twice, so programs would read different things")


def _check_sizes(path: Path, parts: list[zipfile.ZipInfo], limits: IntakeLimits) -> None:
    total = sum(info.file_size for info in parts)
    if total > limits.total_bytes:
        size, most = total // _MIB, limits.total_bytes // _MIB
        raise _refused(path, f"it unpacks to {size:,} MB, and the limit is {most:,} MB")
    for info in parts:
        if info.file_size > _MIB and info.file_size > limits.ratio * max(1, info.compress_size):
            growth = info.file_size // max(1, info.compress_size)
            raise _refused(path, f"its part '{info.filename}' grows {growth:,} times when unpacked")


def _check_content(path: Path, package: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
    """Unpack a part once, in pieces: a part larger than it says fails its checksum here and goes no further."""
    with package.open(info) as part:
        pieces = iter(lambda: part.read(_CHUNK), b"")
        try:
            has_doctype = _declares_document_type(pieces)
        except (LookupError, ValueError) as error:  # an encoding that is none, or that the parser does not take
            raise _refused(path, f"its part '{info.filename}' is in an encoding that no workbook has") from error
        if has_doctype:
            raise _refused(path, f"its part '{info.filename}' has a document type declaration (DOCTYPE)")
        for _ in pieces:
            pass


def _declares_document_type(pieces: Iterator[bytes]) -> bool:
    """Read an XML part up to its first element, in front of which alone a DOCTYPE can stand."""
    found: list[str] = []
    parser = expat.ParserCreate()

    def find(kind: str) -> None:
        found.append(kind)
        parser.StartDoctypeDeclHandler = parser.StartElementHandler = None  # a part can have a million elements

    parser.StartDoctypeDeclHandler = lambda *_: find("doctype")
    parser.StartElementHandler = lambda *_: find("element")
    for piece in pieces:
        try:
            parser.Parse(piece, False)
        except expat.ExpatError:
            break  # not well-formed, or not XML at all: whoever reads the part says so
        if found:
            break
    return "doctype" in found[:1]


def too_large(path: Path, reason: str) -> InputError:
    """Return the error of a workbook whose sheets, as `reason` tells, reach too far to be laid out."""
    return InputError(
        f"{reason} to read safely",
        path=path,
        hint="Delete what stands far below or to the right of the table, and save it as .xlsx; "
        "a file that is only large is read with --read-limit 10",
    )


def _refused(path: Path, reason: str) -> InputError:
    return InputError(
        f"the workbook is refused as unsafe: {reason}",
        path=path,
        hint="If you trust it, open it in Excel or LibreOffice and save it again as .xlsx; "
        "a file that is only large is read with --read-limit 10",
    )


def _damaged(path: Path, error: BaseException) -> InputError:
    return InputError(
        f"the workbook is damaged: {error}",
        path=path,
        hint="Copy or download it again; Excel's Open and Repair may also help",
    )
