"""Adds our columns to the expert's own criteria sheet where that is safe, or says why not; saves no file."""

from __future__ import annotations

from collections.abc import Collection, Set
from dataclasses import dataclass

from grader.outputs.graded_workbook.in_place.contents import column_contents
from grader.outputs.graded_workbook.in_place.donor import KINDS, column_headers, write_columns
from grader.outputs.graded_workbook.in_place.grid import row_heights
from grader.outputs.graded_workbook.in_place.place import CriteriaSheet, Place, find_place
from grader.outputs.graded_workbook.in_place.refusal import NotInPlace
from grader.outputs.graded_workbook.marks import mark_columns
from grader.outputs.graded_workbook.merge.columns import merge_columns
from grader.outputs.graded_workbook.merge.styles import width_unit
from grader.outputs.graded_workbook.ooxml import serialise_xml
from grader.outputs.graded_workbook.package import Package
from grader.records import Grade
from grader.rubric import Rubric


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedColumns:
    """What was added to the expert's sheet, and how to check that nothing else was."""

    place: Place
    before: bytes
    """The sheet without our columns."""
    cut_count: int
    notes: tuple[str, ...] = ()


def add_columns(
    package: Package,
    criteria: CriteriaSheet,
    grades: Collection[Grade],
    rubric: Rubric,
    blind: Set[str] = frozenset(),
) -> AddedColumns:
    """Add a score, a verdict and an analysis column per system beside the expert's rows.

    Args:
        package: The expert's workbook, without anything of ours; unchanged where this raises `NotInPlace`.
        criteria: Which of its sheets the criteria were read from.
        grades: All grades, gone through once.
        rubric: What their scores mean.
        blind: Keys (see `keys.grade_key`) of the grades that an expert has still to score without seeing the judge's.

    Raises:
        NotInPlace: there is no safe place for them, with the reason.
        Unpatchable: the package turns out to be damaged; it is of no use any more.
    """
    contents = column_contents(grades, rubric, criteria.name, blind)
    if not contents.systems:
        raise NotInPlace("nothing was graded")
    place = find_place(package, criteria, contents.said, len(contents.systems) * len(KINDS))
    headers = column_headers(contents.systems, place.headers)
    heights = row_heights(package.tree(place.part))
    donor, cut_count = write_columns(place, contents.systems, headers, width_unit(package), heights)
    before = serialise_xml(package.tree(place.part))
    notes = merge_columns(package, donor, place, headers)
    mark_columns(package, place.sheet, place.header_cells)
    package.replace(place.part, package.written(place.part))  # as a tree, thousands of rows take too much memory
    return AddedColumns(place=place, before=before, cut_count=cut_count, notes=notes)
