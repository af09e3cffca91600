"""Reads what stands in single cells as text, whichever way a program has stored it; knows no sheet's meaning."""

from __future__ import annotations

from functools import cached_property

from lxml import etree

from grader.outputs.graded_workbook.ooxml import main
from grader.outputs.graded_workbook.package import Package

_V, _IS, _T, _PHONETIC = (main(tag) for tag in ("v", "is", "t", "rPh"))


class CellTexts:
    """The texts of a package's cells; its shared strings are read once, when the first is needed."""

    def __init__(self, package: Package) -> None:
        self._package = package

    def text(self, cell: etree._Element) -> str:
        """Return what a cell holds; a number as the file has it, and nothing for a damaged cell."""
        if not len(cell):
            return ""
        kind = cell.get("t")
        if kind == "inlineStr":
            return _runs(cell.find(_IS))
        first = cell[0]
        value = (first.text if first.tag == _V else cell.findtext(_V)) or ""
        if kind == "s":
            number = int(value) if value.isdigit() else len(self._shared)
            return self._shared[number] if number < len(self._shared) else ""
        return value

    @cached_property
    def _shared(self) -> list[str]:
        part = self._package.related_part("sharedStrings")
        return [_runs(entry) for entry in self._package.passing_tree(part).iterchildren(main("si"))] if part else []


def _runs(element: etree._Element | None) -> str:
    """Return the text of all runs, without how it is to be pronounced."""
    if element is None:
        return ""
    if len(element) == 1 and element[0].tag == _T:
        return element[0].text or ""
    runs = (part for part in element if part.tag != _PHONETIC)
    return "".join(text.text or "" for run in runs for text in run.iter(_T))
