"""Finds what in the expert's workbook looks at given cells: formulas, names, charts, rules; changes none of it.

Results that came to stand there would change the expert's own figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from grader.outputs.graded_workbook.area import Area, bounds, parse_area, parse_areas, references
from grader.outputs.graded_workbook.defined_names import defined_names
from grader.outputs.graded_workbook.in_place.computed_reach import computed_reach
from grader.outputs.graded_workbook.in_place.refusal import NotInPlace
from grader.outputs.graded_workbook.ooxml import local_name, main
from grader.outputs.graded_workbook.package import Package

_HARMLESS_NAMES = ("_xlnm.print_titles", "_xlnm.print_area", "_xlnm._filterdatabase", "_grader_")
"""Names that print or filter, and ours: no figure rests on them."""

_FORMULA = re.compile(rb"<(?:\w+:)?(?:f|formula\d?)[\s>/]")
_FORMULA_TAGS = frozenset({"f", "formula", "formula1", "formula2"})
_DRAWN = ("chart+xml", "chartex+xml", "drawing+xml", "controlproperties+xml")
_LINKS = ("textlink", "fmlaLink", "fmlaRange", "fmlaGroup", "fmlaTxbx")
_WORDS = {
    "cfRule": "a conditional format",
    "conditionalFormatting": "a conditional format",
    "dataValidation": "a data validation",
    "sparkline": "a sparkline",
    "sparklineGroup": "a sparkline",
    "c": "a formula",
}
_ONLY_OFFERS = _WORDS["dataValidation"]
"""What it computes is a list to choose from, and no figure."""

_VML_LINK = re.compile(r"<x:Fmla(?:Link|Range|Group|Txbx)>([^<]+)<")


def what_looks_at(package: Package, sheet: str, area: Area) -> str | None:
    """Return in words what looks at cells of `area` on `sheet`, the first that is found; `None` for nothing.

    Raises:
        NotInPlace: a formula computes which cells it reads, and it cannot be told that it stays away.
    """
    sheets = {part: name for name, part in package.sheets().items()}
    for where, formula, own_sheet, filled in _formulas(package, sheets):
        for each in references(formula, filled):
            named = each.sheet or own_sheet
            if (named.casefold() == sheet.casefold() or ":" in named) and each.area.meets(area):
                return f"{where} looks at {each.area}"
        if not where.startswith(_ONLY_OFFERS):
            _check_computed(where, formula, own_sheet, sheet, area)
    return _array_on(package, package.sheets()[sheet], area)


def _check_computed(where: str, formula: str, own_sheet: str, sheet: str, area: Area) -> None:
    for reach in computed_reach(formula):
        named = reach.target.sheet or own_sheet
        if (named == "*" or named.casefold() == sheet.casefold()) and reach.target.area.meets(area):
            raise NotInPlace(f"{where} uses {reach.words}, whose reach cannot be told")


Formula = tuple[str, str, str, Area | None]
"""Where it is in words, its text, the sheet it is on, and the cells it is written once for."""


def _formulas(package: Package, sheets: dict[str, str]) -> Iterator[Formula]:
    for part, sheet in sheets.items():
        if package.find(part) and _may_have_formulas(package, part):
            for element in package.tree(part).iter("{*}f", "{*}formula", "{*}formula1", "{*}formula2"):
                if element.text and not len(element):
                    kind, place, filled = _owner(element)
                    yield f"{kind} on the sheet {sheet}{place}", element.text, sheet, filled
    for name in defined_names(package):
        text = name.get("name") or ""
        if not text.casefold().startswith(_HARMLESS_NAMES):
            yield f"the name {text}", name.text or "", "", None
    owners = {relation.target: name for part, name in sheets.items() for relation in package.relations(part)}
    for part in package.names():
        yield from _formulas_elsewhere(package, part, owners.get(part, ""))


def _may_have_formulas(package: Package, part: str) -> bool:
    """Return whether a sheet is worth reading: most workbooks' other sheets have no formula, and may be large."""
    return part in package.changed_names or package.data(part)[:1] != b"<" or bool(_FORMULA.search(package.data(part)))


def _owner(element: etree._Element) -> tuple[str, str, Area | None]:
    """Return whose formula it is, where that stands, and the cells it is written once for."""
    for ancestor in element.iterancestors():
        kind = local_name(ancestor)
        if kind == "c":
            filled = parse_area(element.get("ref") or "") if element.get("t") == "shared" else None
            return _WORDS[kind], f" in {ancestor.get('r')}", filled
        if kind in ("conditionalFormatting", "dataValidation", "sparkline"):
            text = ancestor.get("sqref") or next((each.text or "" for each in ancestor.iterchildren("{*}sqref")), "")
            return _WORDS[kind], "", bounds(parse_areas(text))
    return "a rule", "", None


def _formulas_elsewhere(package: Package, part: str, sheet: str) -> Iterator[Formula]:
    kind = (package.content_type(part) or "").lower()
    if kind.endswith(".vmldrawing"):
        for link in _VML_LINK.findall(package.data(part).decode("utf-8", "replace")):
            yield "a form control", link, sheet, None
    elif kind.endswith("pivotcachedefinition+xml"):
        for source in package.tree(part).iter(main("worksheetSource")):
            if source.get("ref") and source.get("sheet"):
                yield "a pivot table", str(source.get("ref")), str(source.get("sheet")), None
    elif kind.endswith(".table+xml"):
        table = package.tree(part)
        for element in table.iter(main("calculatedColumnFormula"), main("totalsRowFormula")):
            yield f"the table {table.get('displayName')}", element.text or "", sheet, None
    elif kind.endswith(_DRAWN):
        yield from _drawn(package.tree(part), sheet)


def _drawn(root: etree._Element, sheet: str) -> Iterator[Formula]:
    """Yield the series of a chart, and the cells that shapes and controls are linked to."""
    for element in root.iter("*"):
        if local_name(element) == "f" and element.text:
            yield "a chart", element.text, sheet, None
        for link in _LINKS:
            if element.get(link):
                yield "a shape or control", str(element.get(link)), sheet, None


def _array_on(package: Package, part: str, area: Area) -> str | None:
    """Return whether a formula of several cells reaches into the area."""
    if not _may_have_formulas(package, part):
        return None
    for formula in package.tree(part).iter(main("f")):
        reach = parse_area(formula.get("ref") or "")
        if reach is not None and reach.meets(area):
            return f"an array formula fills {reach}"
    return None


def growing_reference(package: Package, table: str) -> str | None:
    """Return in words what refers to a table as a whole, so that it would take in columns that the table gains."""
    name = re.compile(rf"(?<![\w.\\'!]){re.escape(table)}(?![\w.\\'!])(\[(?:[^\[\]]|\[[^\[\]]*\])*\])?", re.IGNORECASE)
    sheets = {part: sheet for sheet, part in package.sheets().items()}
    for where, formula, _, _ in _formulas(package, sheets):
        for match in name.finditer(formula):
            if _grows(match[1] or ""):
                return f"{where} refers to the table {table} as a whole"
    return None


def _grows(columns: str) -> bool:
    """Return whether a structured reference names no column of its own, or a stretch of columns."""
    named = re.sub(r"\[?#[^\[\]]*\]?|@", "", columns).strip("[], ")
    return not named or "]:[" in columns.replace(" ", "")
