"""Finds which part of an .xlsx package holds which sheet; parses the workbook's index, never a sheet."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, iterparse  # of packages that have been checked to have no DTD

from grader.errors import InputError

_DEEPEST = 256
"""An index is a few elements deep; one of a hundred thousand was made to bring down whoever walks it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkbookIndex:
    """What an .xlsx says of its own contents."""

    sheets: Mapping[str, str]
    """The part of each sheet, by the sheet's name."""
    strings: str | None
    """The part with the texts that cells refer to, where there is one."""
    styles: str | None
    lacks_styles: bool
    """Whether there should be styles, but the part is not there."""
    defined_names: Sequence[tuple[str, str]]
    """Each name and what it stands for, in the file's order."""
    is_calculated_by_hand: bool
    """Whether formulas are calculated only when somebody asks for it."""


def read_index(path: Path) -> WorkbookIndex:
    """Return the index of the .xlsx at `path`; `InputError` where it is broken or a sheet's part is missing."""
    with zipfile.ZipFile(path) as package:
        names = {name.replace("\\", "/").lower(): name for name in package.namelist()}
        workbook = next((t for k, t in _relations(path, package, names, "").values() if k == "officeDocument"), None)
        if workbook is None or workbook.lower() not in names:
            raise _no_part(path, "it does not say where its contents are")
        targets = _relations(path, package, names, workbook)
        tree = _parse(path, package, names[workbook.lower()])
    by_kind = {kind: names.get(target.lower()) for kind, target in targets.values()}
    calculation = tree.find("{*}calcPr")
    entries = tree.iterfind("{*}definedNames/{*}definedName")
    return WorkbookIndex(
        sheets=_sheet_parts(path, tree, targets, names),
        strings=by_kind.get("sharedStrings"),
        styles=by_kind.get("styles"),
        lacks_styles="styles" in by_kind and by_kind["styles"] is None,
        defined_names=tuple((str(entry.get("name", "")), str(entry.text or "")) for entry in entries),
        is_calculated_by_hand=calculation is not None and calculation.get("calcMode") == "manual",
    )


def _sheet_parts(
    path: Path, tree: Element, targets: Mapping[str, tuple[str, str]], names: Mapping[str, str]
) -> dict[str, str]:
    parts: dict[str, str] = {}
    sheets: dict[str, str] = {}
    for sheet in tree.iterfind("{*}sheets/{*}sheet"):
        ids = [value for key, value in sheet.attrib.items() if str(key).endswith("}id")]
        target = targets.get(str(ids[0]), ("", ""))[1] if ids else ""
        name = str(sheet.get("name"))
        part = names.get(target.lower())
        if part is None:
            raise _no_part(path, f"its sheet '{name}' is not in the file")
        if name in parts:
            raise _no_part(path, f"it has two sheets called '{name}'")
        if part in sheets:  # else a small file could have a thousand sheets, all of them large
            raise _no_part(path, f"its sheets '{sheets[part]}' and '{name}' are the same part")
        sheets[part], parts[name] = name, part
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


def _parse(path: Path, package: zipfile.ZipFile, part: str) -> Element:
    depth, root = 0, Element("")
    try:
        with package.open(part) as stream:
            for event, element in iterparse(stream, events=("start", "end")):
                depth += 1 if event == "start" else -1
                if depth > _DEEPEST:
                    raise ValueError(f"its elements are more than {_DEEPEST} deep in each other")
                if depth == 1 and event == "start":
                    root = element
    except (ParseError, LookupError, ValueError) as error:
        raise _no_part(path, f"its part '{part}' is broken: {error}") from error
    return root


def _no_part(path: Path, reason: str) -> InputError:
    return InputError(
        f"the workbook is damaged: {reason}",
        path=path,
        hint="Excel's Open and Repair may help; or ask for the file again",
    )
