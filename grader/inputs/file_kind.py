"""Tells what a file really is by its first bytes, never by its name; opens nothing further."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Literal

from grader.errors import InputError

FileKind = Literal["xlsx", "ods", "xlsb", "xls", "text"]

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_UTF16_OR_32 = (b"\xff\xfe", b"\xfe\xff")
_SAVE_AS = "Open it in Excel or LibreOffice and save it as .xlsx"


def file_kind(path: Path) -> FileKind:
    """Return what `path` holds; `InputError` where it is nothing that can be read as a table."""
    start = _first_bytes(path)
    if start.startswith(b"PK"):
        return _package_kind(path)
    if start.startswith(_OLE):
        return "xls"
    _refuse_unreadable(path, start)
    return "text"


def _first_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            start = file.read(4096)
    except FileNotFoundError:
        raise InputError("there is no such file", path=path, hint=_neighbour_hint(path)) from None
    except IsADirectoryError:
        raise InputError("this is a folder, not a file", path=path, hint="Name a file inside it") from None
    except OSError as error:
        raise InputError(f"the file cannot be opened: {error.strerror}", path=path) from error
    if path.name.startswith("~$"):
        raise InputError(
            "this is the lock file that Excel leaves while a workbook is open, not the workbook",
            path=path,
            hint=f"Use {path.name[2:]} instead",
        )
    if not start:
        raise InputError("the file is empty (0 bytes)", path=path, hint="Export or copy it again")
    return start


def _neighbour_hint(path: Path) -> str:
    from grader.inputs.columns import closest

    try:
        names = [entry.name for entry in path.parent.iterdir()][:1000]
    except OSError:
        return "Check the path"
    close = closest(names, [path.name])
    return f"Check the path; the folder has '{close}'" if close else "Check the path"


def _package_kind(path: Path) -> FileKind:
    try:
        with zipfile.ZipFile(path) as package:
            names = [name.replace("\\", "/") for name in package.namelist()]
            if "mimetype" in names and b"opendocument.spreadsheet" in package.read("mimetype")[:100]:
                return "ods"
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, ValueError) as error:
        raise InputError(
            "the workbook is cut off or damaged: it starts like one, but its table of contents cannot be read",
            path=path,
            hint="Copy or download it again; Excel's Open and Repair may also help",
        ) from error
    if any(name.lower().endswith("xl/workbook.bin") for name in names):
        return "xlsb"
    if "[content_types].xml" in {name.lower() for name in names}:
        return "xlsx"
    raise InputError("this is a zip archive, but no workbook", path=path, hint="Unpack it and name the file inside")


def _refuse_unreadable(path: Path, start: bytes) -> None:
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if text.startswith((b"<!doctype html", b"<html", b"<table", b"<head", b"<meta")):
        raise InputError(f"this is a web page (HTML), whatever its name says ({path.name})", path=path, hint=_SAVE_AS)
    if text.startswith(b"<?xml") or b"urn:schemas-microsoft-com:office:spreadsheet" in text:
        raise InputError("this is a flat XML file, which cannot be read here", path=path, hint=_SAVE_AS)
    if text.startswith((b"%pdf", b"{\\rtf", b"\x89png", b"\xff\xd8\xff", b"gif8")):
        raise InputError("this is a document or a picture, not a table", path=path, hint=_SAVE_AS)
    if path.suffix.lower() in (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods") and _looks_binary(start):
        raise InputError("this is no workbook, or a damaged one", path=path, hint="Copy or download it again")


def _looks_binary(start: bytes) -> bool:
    return not start.startswith(_UTF16_OR_32) and b"\0" in start
