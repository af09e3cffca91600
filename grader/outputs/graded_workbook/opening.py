"""Opens the expert's workbook for patching, or says in plain words why it must not be; changes nothing."""

from __future__ import annotations

import zipfile
import zlib
from io import BytesIO
from pathlib import Path

from grader.outputs.graded_workbook.ooxml import main
from grader.outputs.graded_workbook.package import CONTENT_TYPES_PART, Package, Unpatchable

MAX_TOTAL_BYTES = 200 * 1024**2
MAX_PARTS = 5_000
MAX_RATIO = 100
_RATIO_MATTERS_BYTES = 1024**2

_DAMAGE = (zipfile.BadZipFile, zlib.error, RuntimeError, OSError, EOFError, ValueError)
"""What zipfile raises for archives that are cut, encrypted, or packed in a way it does not know."""

_HEAD_BYTES = 4_096

_OLE2_MAGIC = bytes.fromhex("d0cf11e0a1b11ae1")

EXTENSIONS = {
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml": ".xlsx",
    "application/vnd.ms-excel.sheet.macroEnabled.main+xml": ".xlsm",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml": ".xltx",
    "application/vnd.ms-excel.template.macroEnabled.main+xml": ".xltm",
}
"""The extension that belongs to a workbook part's content type; Excel refuses a file whose extension differs."""


def open_package(path: Path) -> Package:
    """Return the workbook at `path` as a package that can be patched.

    Raises:
        Unpatchable: it cannot, with the reason.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Unpatchable(f"it could not be read ({error.strerror})") from error
    package = Package(_read_parts(data))
    _check_kind(package)
    return package


def open_donor(data: BytesIO) -> Package:
    """Return a workbook that we made ourselves a moment ago; `data` is given up, as it may be large."""
    with data, zipfile.ZipFile(data) as archive:
        return Package({entry.filename: archive.read(entry) for entry in archive.infolist()})


def file_extension(package: Package) -> str:
    """Return the extension a copy of the package must have: `.xlsm` where it carries macros."""
    return EXTENSIONS.get(package.content_type(package.workbook) or "", ".xlsx")


def has_manual_calculation(package: Package) -> bool:
    """Return whether the workbook recalculates only when asked to."""
    settings = package.tree(package.workbook).find("{*}calcPr")
    return settings is not None and settings.get("calcMode") == "manual"


def _read_parts(data: bytes) -> dict[str, bytes]:
    if data.startswith(_OLE2_MAGIC):
        raise Unpatchable("it is an old .xls file or protected by a password")
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            _check_size(entries)
            _check_names([entry.filename for entry in entries])
            return {entry.filename: archive.read(entry) for entry in entries}
    except _DAMAGE as error:
        raise Unpatchable("it is not an .xlsx workbook, or damaged") from error


def _check_size(entries: list[zipfile.ZipInfo]) -> None:
    if len(entries) > MAX_PARTS:
        raise Unpatchable(f"it has more than {MAX_PARTS:,} parts")
    if sum(entry.file_size for entry in entries) > MAX_TOTAL_BYTES:
        raise Unpatchable(f"it unpacks to more than {MAX_TOTAL_BYTES // 1024**2} MB")
    for entry in entries:
        if entry.file_size > max(_RATIO_MATTERS_BYTES, MAX_RATIO * entry.compress_size):
            raise Unpatchable(f"its part {entry.filename} is compressed more than {MAX_RATIO} times")


def _check_names(names: list[str]) -> None:
    if len({name.lower() for name in names}) != len(names):
        raise Unpatchable("two of its parts have the same name")
    if any("\\" in name or name.startswith("/") or ".." in name.split("/") for name in names):
        raise Unpatchable("its parts have names that the format does not allow")
    if CONTENT_TYPES_PART not in names:
        raise Unpatchable("it is not an .xlsx workbook")


def _check_kind(package: Package) -> None:
    for name in package.names():
        if name.lower().endswith((".xml", ".rels")) and _has_doctype(package.data(name)):
            raise Unpatchable(f"its part {name} declares a DOCTYPE, which no workbook needs")
    if any(name.startswith("_xmlsignatures/") for name in package.names()):
        raise Unpatchable("it is digitally signed, and any change would break the signature")
    if any(name.startswith("xl/revisions/") for name in package.names()):
        raise Unpatchable("it is a shared workbook that records its changes")
    workbook = package.workbook
    if workbook.lower().endswith(".bin"):
        raise Unpatchable("it is a binary workbook (.xlsb)")
    if package.tree(workbook).tag != main("workbook"):  # in the everyday ("transitional") namespace
        raise Unpatchable('it was saved as "Strict Open XML"; save it as an ordinary Excel workbook (.xlsx) instead')
    if package.content_type(workbook) is None:
        raise Unpatchable("it does not say what its workbook part is")
    if package.tree(workbook).find("{*}sheets") is None:
        raise Unpatchable("its workbook part lists no sheets")


def _has_doctype(data: bytes) -> bool:
    """Return whether an XML part declares a DOCTYPE, in any encoding; it can only stand at the beginning."""
    head = data[:_HEAD_BYTES].replace(b"\0", b"")
    if b"<!--" in head:  # a long comment may push it further down
        head = data.replace(b"\0", b"")
    return b"<!DOCTYPE" in head
