"""Names for our sheets and tables that are free in the expert's workbook; gives them, writes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.outputs.graded_workbook.ooxml import main
from grader.outputs.graded_workbook.package import Package

SHEET_LIMIT = 31

_SHEETS = ("review", "verdicts", "blind", "summary", "agreement", "analysis", "about", "lists")
_TABLES = ("table", "verdicts_table", "blind_table")


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetNames:
    """What our sheets and our tables are called in this workbook."""

    review: str = "Review"
    verdicts: str = "Verdicts"
    blind: str = "Blind"
    summary: str = "Summary"
    agreement: str = "Agreement"
    analysis: str = "Analysis"
    about: str = "About"
    lists: str = "_lists"
    table: str = "tblReview"
    verdicts_table: str = "tblVerdicts"
    blind_table: str = "tblBlind"


def free_names(package: Package | None, kept: Mapping[str, str] | None = None) -> SheetNames:
    """Return names that no sheet, table or defined name of the workbook has; the plain ones for a new file.

    `kept` are the names, by kind, that sheets of ours had before they were removed: formulas of the expert's may
    refer to them.
    """
    if package is None:
        return SheetNames()
    sheets = {name.casefold() for name in package.sheets()}
    tables = _table_names(package) | _defined_names(package)
    names: dict[str, str] = {}
    for kind in sorted(_SHEETS, key=lambda kind: kind not in (kept or {})):  # kept names first: they must be the same
        names[kind] = _free((kept or {}).get(kind) or getattr(SheetNames(), kind), sheets, " ({})")
        sheets.add(names[kind].casefold())
    names |= {kind: _free(getattr(SheetNames(), kind), tables, "_{}") for kind in _TABLES}
    return SheetNames(**names)


def quoted(sheet: str) -> str:
    """Return a sheet's name as formulas write it, quoted whether it needs it or not."""
    return "'" + sheet.replace("'", "''") + "'"


def _free(name: str, taken: set[str], suffix: str) -> str:
    candidate, number = name, 2
    while candidate.casefold() in taken:
        ending = suffix.format(number)
        candidate, number = name[: SHEET_LIMIT - len(ending)] + ending, number + 1
    return candidate


def _table_names(package: Package) -> set[str]:
    tables = (package.tree(part) for part in package.parts_of_type(".table+xml"))
    return {(table.get(attribute) or "").casefold() for table in tables for attribute in ("name", "displayName")}


def _defined_names(package: Package) -> set[str]:
    names = package.tree(package.workbook).iterfind(f"{main('definedNames')}/{main('definedName')}")
    return {(name.get("name") or "").casefold() for name in names}
