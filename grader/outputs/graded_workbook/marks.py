"""Marks what is ours in a graded workbook by hidden defined names, and finds it again; removes nothing.

Programs rewrite a name's text when a sheet is renamed or columns are inserted, so the marks follow what they mark.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from lxml import etree

from grader.outputs.graded_workbook.defined_names import (
    add_defined_name,
    areas,
    defined_names,
    remove_defined_names,
)
from grader.outputs.graded_workbook.names import quoted
from grader.outputs.graded_workbook.ooxml import main
from grader.outputs.graded_workbook.package import Package

PREFIX: Final = "_grader_"
KINDS: Final = ("review", "verdicts", "blind", "summary", "agreement", "analysis", "about", "lists")
COLUMNS: Final = "columns"
SOURCE: Final = "source"


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What is marked as ours and is still there."""

    sheets: Mapping[str, str] = field(default_factory=dict)
    """The sheet's name by its kind, one of `KINDS`."""
    columns: tuple[tuple[str, str], ...] = ()
    """The header cells of our columns in the expert's sheets: sheet and reference such as `G1:L1`."""

    def __bool__(self) -> bool:
        return bool(self.sheets or self.columns)


def mark_sheet(package: Package, kind: str, sheet: str) -> None:
    """Mark a sheet as ours; `kind` is one of `KINDS`. An earlier mark of that kind is replaced."""
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is no kind of sheet of ours")
    _mark(package, kind, [(sheet, "A1")])


def mark_columns(package: Package, sheet: str, ref: str) -> None:
    """Mark the header cells of our columns in one of the expert's sheets, `G1:L1`, beside what is marked already."""
    marked = find_marks(package).columns
    _mark(package, COLUMNS, list(dict.fromkeys((*marked, (sheet, ref.replace("$", ""))))))


def mark_source(package: Package, name: str) -> None:
    """Keep what the expert's workbook is called, without extension: systems without a name are called so."""
    _set(package, SOURCE, '"' + name.replace('"', '""') + '"')


def find_source(package: Package) -> str | None:
    """Return what `mark_source` has kept; `None` for a workbook that was never graded."""
    texts = (name.text or "" for name in _marks(package) if _kind(name) == SOURCE)
    return next((text[1:-1].replace('""', '"') for text in texts if len(text) > 2 and text[0] == text[-1] == '"'), None)


def find_marks(package: Package) -> Marks:
    """Return what is marked as ours; marks of sheets and columns that have been deleted are passed over."""
    there = {name.casefold(): name for name in package.sheets()}
    sheets: dict[str, str] = {}
    columns: list[tuple[str, str]] = []
    for name in _marks(package):
        marked = [(there[sheet.casefold()], ref) for sheet, ref in areas(name.text or "") if sheet.casefold() in there]
        kind = _kind(name)
        if kind == COLUMNS:
            columns += marked
        elif kind in KINDS and marked:
            sheets[kind] = marked[0][0]
    # One sheet cannot be two of ours: a mark that was copied with its sheet does not count twice.
    return Marks(sheets=sheets, columns=tuple(dict.fromkeys(columns)))


def remove_marks(package: Package) -> None:
    """Remove all our marks, those of deleted sheets too."""
    remove_defined_names(package, _marks(package))


def _marks(package: Package) -> list[etree._Element]:
    names = defined_names(package)
    # A sheet that is copied takes names of its own along, which belong to the copy and are no marks of ours.
    return [
        name
        for name in names
        if (name.get("name") or "").casefold().startswith(PREFIX) and name.get("localSheetId") is None
    ]


def _kind(mark: etree._Element) -> str:
    return (mark.get("name") or "").casefold().removeprefix(PREFIX)


def _mark(package: Package, kind: str, cells: list[tuple[str, str]]) -> None:
    _set(package, kind, ",".join(f"{quoted(sheet)}!{_absolute(ref)}" for sheet, ref in cells))


def _set(package: Package, kind: str, text: str) -> None:
    remove_defined_names(package, [name for name in _marks(package) if _kind(name) == kind])
    name = package.tree(package.workbook).makeelement(main("definedName"), {"name": PREFIX + kind, "hidden": "1"})
    name.text = text
    add_defined_name(package, name)


def _absolute(ref: str) -> str:
    """Return `$G$1:$L$1` for `G1:L1`."""
    corners = []
    for corner in ref.split(":"):
        letters = corner.rstrip("0123456789")
        corners.append(f"${letters}${corner.removeprefix(letters)}")
    return ":".join(corners)
