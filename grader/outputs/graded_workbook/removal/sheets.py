"""Removes whole sheets of ours with all that only they relate to; the expert's sheets are not looked into."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from lxml import etree

from grader.outputs.graded_workbook.defined_names import defined_names, remove_defined_names
from grader.outputs.graded_workbook.ooxml import RELATION_ID, main
from grader.outputs.graded_workbook.package import Package


def remove_sheets(package: Package, names: Collection[str]) -> None:
    """Remove sheets, their own defined names and their parts; the other sheets keep their order and their names."""
    if not names:
        return
    before = list(package.sheets())
    parts = package.sheets()
    entries = package.touch(package.workbook).find(main("sheets"))
    assert entries is not None, "sheets that have been found are listed"
    relations = {relation.id: relation for relation in package.relations(package.workbook)}
    for entry in list(entries.iterchildren(main("sheet"))):
        if entry.get("name") in names:
            entries.remove(entry)
            relation = relations.get(entry.get(RELATION_ID, ""))
            if relation is not None:
                package.unrelate(package.workbook, relation)
    after = [name for name in before if name not in names]
    _renumber(package, before, after)
    remove_parts(package, [parts[name] for name in names])


def move_sheets(package: Package, names: Sequence[str], position: int) -> None:
    """Move sheets to `position` among the others, in the order given."""
    before = list(package.sheets())
    others = [name for name in before if name not in names]
    after = [*others[:position], *names, *others[position:]]
    if after == before:
        return
    entries = package.touch(package.workbook).find(main("sheets"))
    assert entries is not None, "a workbook that was opened lists its sheets"
    by_name = {entry.get("name", ""): entry for entry in entries.iterchildren(main("sheet"))}
    for name in after:
        entries.append(by_name[name])
    _renumber(package, before, after)


def remove_parts(package: Package, parts: Collection[str]) -> None:
    """Remove those of the parts, and of all they relate to, that nothing else in the package relates to."""
    needed = _reachable(package, [""])
    for name in _reachable(package, parts) - needed:
        if package.find(name):
            package.remove(name)


def _reachable(package: Package, sources: Collection[str]) -> set[str]:
    found: set[str] = set()
    waiting = list(sources)
    while waiting:
        part = waiting.pop()
        if part not in found:
            found.add(part)
            waiting += [
                relation.target
                for relation in package.relations(part)
                if not relation.is_external and package.find(relation.target)
            ]
    return found - {""}


def _renumber(package: Package, before: Sequence[str], after: Sequence[str]) -> None:
    """Renumber what says by position which sheet it means: names of sheets' own, the window's sheets."""
    places = {before.index(name): place for place, name in enumerate(after)}
    own = [name for name in defined_names(package) if name.get("localSheetId") is not None]
    remove_defined_names(package, [name for name in own if _place(name, "localSheetId") not in places])
    for name in own:
        if _place(name, "localSheetId") in places:
            name.set("localSheetId", str(places[_place(name, "localSheetId")]))
    for view in package.tree(package.workbook).iterfind(f"{main('bookViews')}/{main('workbookView')}"):
        _renumber_view(view, places, _first_visible(package))


def _renumber_view(view: etree._Element, places: Mapping[int, int], first: int) -> None:
    for attribute in ("activeTab", "firstSheet"):
        if attribute in view.attrib:
            # A window that showed a sheet of ours shows the expert's first one.
            view.set(attribute, str(places.get(_place(view, attribute), first)))


def _first_visible(package: Package) -> int:
    entries = package.tree(package.workbook).iterfind(f"{main('sheets')}/{main('sheet')}")
    states = [entry.get("state", "visible") for entry in entries]
    return states.index("visible") if "visible" in states else 0


def _place(element: etree._Element, attribute: str) -> int:
    text = element.get(attribute) or ""
    return int(text) if text.isdigit() else -1
