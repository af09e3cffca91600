"""Brings a donor of ours into a copy of the expert's package, step by step; writes no file."""

from __future__ import annotations

from collections.abc import Mapping

from grader.outputs.graded_workbook.merge.properties import merge_properties
from grader.outputs.graded_workbook.merge.sheets import SheetCarrier
from grader.outputs.graded_workbook.merge.styles import merge_styles
from grader.outputs.graded_workbook.package import Package


def merge_donor(target: Package, donor: Package, about: Mapping[str, str]) -> None:
    """Add the donor's sheets, styles and the run's properties to `target`.

    Columns inside the expert's own sheets would be one more step here, with the same map of styles.

    Raises:
        Unpatchable: the target cannot take them.
    """
    styles = merge_styles(target, donor)
    SheetCarrier(target, donor, styles).add_all()
    merge_properties(target, about)
    _drop_calculation_chain(target)


def _drop_calculation_chain(target: Package) -> None:
    """Drop the list of formulas in order of calculation, which lacks ours: Excel makes it anew, without asking."""
    for relation in target.relations(target.workbook):
        if relation.kind == "calcChain" and target.find(relation.target):
            target.unrelate(target.workbook, relation)
            target.remove(relation.target)
