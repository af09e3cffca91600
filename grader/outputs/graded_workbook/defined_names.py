"""A workbook's defined names: where a new one goes, and which cells one stands for; knows nothing of what they mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from lxml import etree

from grader.outputs.graded_workbook.ooxml import WORKBOOK_ORDER, child_in_order, main
from grader.outputs.graded_workbook.package import Package

_AREA = re.compile(
    r"(?:(?<!')'((?:[^']|'')++)'|(?<![^'!,\s])([^'!,\s]++))!(\$?[A-Z]{1,3}\$?\d+(?::\$?[A-Z]{1,3}\$?\d+)?)"
)


def defined_names(package: Package) -> list[etree._Element]:
    """Return the entries of all defined names, hidden and built-in ones too."""
    return list(package.tree(package.workbook).iterfind(f"{main('definedNames')}/{main('definedName')}"))


def add_defined_name(package: Package, name: etree._Element) -> None:
    """Add a name at its place in the schema, and at its place in the alphabet where the others are sorted."""
    names = child_in_order(package.touch(package.workbook), "definedNames", WORKBOOK_ORDER)
    entries = list(names.iterchildren(main("definedName")))
    if any(_sorting(one) > _sorting(other) for one, other in pairwise(entries)):
        names.append(name)
        return
    following = next((entry for entry in entries if _sorting(entry) > _sorting(name)), None)
    if following is None:
        names.append(name)
    else:
        following.addprevious(name)


def remove_defined_names(package: Package, unwanted: Sequence[etree._Element]) -> None:
    """Remove names of `defined_names`, and the list itself where none is left."""
    if not unwanted:
        return
    package.touch(package.workbook)
    for name in unwanted:
        parent = name.getparent()
        if parent is not None:
            parent.remove(name)
            if len(parent) == 0 and (workbook := parent.getparent()) is not None:
                workbook.remove(parent)


def areas(formula: str) -> list[tuple[str, str]]:
    """Return the sheets and references that a name's text lists: `'A''s'!$A$1:$B$1` is `("A's", "A1:B1")`.

    Empty for a text that is anything else, such as `#REF!` or a formula.
    """
    found = []
    place = 0
    for match in _AREA.finditer(formula):
        if formula[place : match.start()].strip(", "):
            return []
        quoted, bare, reference = match.groups()
        found.append((quoted.replace("''", "'") if quoted else bare, reference.replace("$", "")))
        place = match.end()
    return [] if formula[place:].strip() else found


def _sorting(name: etree._Element) -> tuple[str, int]:
    return (name.get("name") or "").casefold(), int(name.get("localSheetId") or -1)
