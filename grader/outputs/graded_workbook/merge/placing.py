"""Puts our sheets in their place among the expert's and marks them; the sheets themselves are `sheets`' to carry."""

from __future__ import annotations

from grader.outputs.graded_workbook.marks import KINDS, mark_sheet
from grader.outputs.graded_workbook.names import SheetNames
from grader.outputs.graded_workbook.package import Package
from grader.outputs.graded_workbook.removal.sheets import move_sheets


def place_sheets(package: Package, names: SheetNames, position: int | None) -> None:
    """Mark those of our sheets that are there, and move them to where sheets of ours stood before."""
    there = package.sheets()
    ours = {getattr(names, kind): kind for kind in KINDS if getattr(names, kind) in there}
    for name, kind in ours.items():
        mark_sheet(package, kind, name)
    if position is not None:
        move_sheets(package, [name for name in there if name in ours], position)
