"""Finds which part of an .xlsx package holds which sheet; parses the workbook's index, never a sheet."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import InputError

if TYPE_CHECKING:
    from lxml.etree import _Element


def sheet_parts(path: Path) -> dict[str, str]:
    """Return the part name of each sheet of an .xlsx by sheet name; `InputError` where one is missing."""
    with zipfile.ZipFile(path) as package:
        names = {name.replace("\\", "/").lower(): name for name in package.namelist()}
        workbook = next((t for k, t in _relations(path, package, names, "").values() if k == "officeDocument"), None)
        if workbook is None or workbook.lower() not in names:
            raise _no_part(path, "it does not say where its contents are")
        targets = _relations(path, package, names, workbook)
        parts: dict[str, str] = {}
        for sheet in _parse(path, package, names[workbook.lower()]).iterfind("{*}sheets/{*}sheet"):
            ids = [value for key, value in sheet.attrib.items() if str(key).endswith("}id")]
            target = targets.get(str(ids[0]), ("", ""))[1] if ids else ""
            name = str(sheet.get("name"))
            if target.lower() not in names:
                raise _no_part(path, f"its sheet '{name}' is not in the file")
            parts[name] = names[target.lower()]
        return parts


def _relations(
    path: Path, package: zipfile.ZipFile, names: Mapping[str, str], source: str
) -> dict[str, tuple[str, str]]:
    """Return (kind, part) of each relation of a part, or of the package itself, by relation id."""
    folder, base = posixpath.split(source)
    part = names.get(posixpath.join(folder, "_rels", f"{base}.rels").lower())
    if part is None:
        return {}
    found: dict[str, tuple[str, str]] = {}
    for relation in _parse(path, package, part).iterfind("{*}Relationship"):
        target = str(relation.get("Target", "")).replace("\\", "/")
        target = target[1:] if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
        kind = str(relation.get("Type", "")).rpartition("/")[2]
        found[str(relation.get("Id"))] = (kind, target)
    return found


def _parse(path: Path, package: zipfile.ZipFile, part: str) -> _Element:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        return etree.fromstring(package.read(part), parser)
    except etree.XMLSyntaxError as error:
        raise _no_part(path, f"its part '{part}' is broken: {error.msg}") from error


def _no_part(path: Path, reason: str) -> InputError:
    return InputError(
        f"the workbook is damaged: {reason}",
        path=path,
        hint="Excel's Open and Repair may help; or ask for the file again",
    )
