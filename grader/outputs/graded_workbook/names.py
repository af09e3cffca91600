"""Names for our sheets and table that are free in the expert's workbook; gives them, writes nothing."""

from __future__ import annotations

from dataclasses import dataclass

from grader.outputs.graded_workbook.ooxml import main
from grader.outputs.graded_workbook.package import Package

SHEET_LIMIT = 31


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetNames:
    """What our sheets and our table are called in this workbook."""

    review: str = "Review"
    summary: str = "Summary"
    about: str = "About"
    lists: str = "_lists"
    table: str = "tblReview"


def free_names(package: Package | None) -> SheetNames:
    """Return names that no sheet, table or defined name of the workbook has; the plain ones for a new file."""
    if package is None:
        return SheetNames()
    sheets = {name.casefold() for name in package.sheets()}
    tables = _table_names(package) | _defined_names(package)
    plain = SheetNames()
    return SheetNames(
        review=_free(plain.review, sheets, " ({})"),
        summary=_free(plain.summary, sheets, " ({})"),
        about=_free(plain.about, sheets, " ({})"),
        lists=_free(plain.lists, sheets, " ({})"),
        table=_free(plain.table, tables, "_{}"),
    )


def quoted(sheet: str) -> str:
    """Return a sheet's name as formulas write it, quoted whether it needs it or not."""
    return "'" + sheet.replace("'", "''") + "'"


def _free(name: str, taken: set[str], suffix: str) -> str:
    candidate, number = name, 2
    while candidate.casefold() in taken:
        candidate, number = name + suffix.format(number), number + 1
    return candidate


def _table_names(package: Package) -> set[str]:
    tables = (package.tree(part) for part in package.parts_of_type(".table+xml"))
    return {(table.get(attribute) or "").casefold() for table in tables for attribute in ("name", "displayName")}


def _defined_names(package: Package) -> set[str]:
    names = package.tree(package.workbook).iterfind(f"{main('definedNames')}/{main('definedName')}")
    return {(name.get("name") or "").casefold() for name in names}
