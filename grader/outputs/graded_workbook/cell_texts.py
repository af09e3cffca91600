"""Reads what stands in single cells as text, whichever way a program has stored it; knows no sheet's meaning."""

from __future__ import annotations

from functools import cached_property

from lxml import etree

from grader.outputs.graded_workbook.ooxml import main
from grader.outputs.graded_workbook.package import Package
from grader.outputs.graded_workbook.sheet_rows import cell_value, runs_text, shared_text


class CellTexts:
    """The texts of a package's cells; its shared strings are read once, when the first is needed."""

    def __init__(self, package: Package) -> None:
        self._package = package

    def text(self, cell: etree._Element) -> str:
        """Return what a cell holds; a number as the file has it, and nothing for a damaged cell."""
        kind, value = cell_value(cell)
        return shared_text(self.shared, value) if kind == "s" else value

    @cached_property
    def shared(self) -> list[str]:
        """The shared strings, in their order."""
        part = self._package.related_part("sharedStrings")
        return [runs_text(entry) for entry in self._package.passing_tree(part).iterchildren(main("si"))] if part else []
