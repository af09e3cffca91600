"""Gathers what our columns say of each row of the criteria sheet; the words are `row_cells`'."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from dataclasses import dataclass, field

from grader.criterion_score import has_criterion_verdicts
from grader.outputs.graded_workbook.in_place.refusal import NotInPlace
from grader.outputs.graded_workbook.in_place.row_cells import (
    RowCells,
    Sample,
    criterion_cells,
    item_cells,
    show_levels,
)
from grader.outputs.graded_workbook.keys import grade_key
from grader.records import CellRef, Criterion, Grade
from grader.rubric import Rubric

_CELL = re.compile("[A-Z]{1,3}([1-9][0-9]{0,6})")


@dataclass(slots=True)
class ColumnContents:
    """All that stands in our columns, and what the cells that it goes by held when they were read."""

    systems: dict[str, dict[int, RowCells]] = field(default_factory=dict)
    """By system, in the order of first sight, then by row."""
    said: dict[str, str] = field(default_factory=dict)
    """Ids and criteria by cell, `A2`."""


@dataclass(slots=True)
class _Item:
    """One item of one system, with its grades."""

    row: int
    criteria: tuple[Criterion, ...]
    samples: list[Sample] = field(default_factory=list)


def column_contents(
    grades: Iterable[Grade], rubric: Rubric, sheet: str, blind: Set[str] = frozenset()
) -> ColumnContents:
    """Return what our columns say.

    Args:
        grades: All grades, gone through once.
        rubric: What their scores mean.
        sheet: The sheet that the criteria were read from.
        blind: Keys (see `keys.grade_key`) of the grades whose cells must be shown as `blind`.

    Raises:
        NotInPlace: a grade does not say from which row of the sheet it came.
    """
    contents = ColumnContents()
    items: dict[tuple[str, str], _Item] = {}
    for grade in grades:
        key = (grade.item.system, grade.item.id)
        if key not in items:
            cell, row = _place(grade.item.source, sheet)
            contents.said[cell] = grade.item.id
            items[key] = _Item(row, grade.item.criteria)
        is_blind = bool(blind) and grade_key(grade) in blind
        sample = Sample(grade.sample, grade.verdict, grade.model, is_blind=is_blind)
        items[key].samples.append(sample)
    for (system, _), item in items.items():
        cells = contents.systems.setdefault(system, {})
        cells[item.row] = item_cells(item.samples, rubric)
        if has_criterion_verdicts(rubric) and any(sample.verdict.items for sample in item.samples):
            _add_criteria(contents, cells, item, sheet)
    return contents


def _add_criteria(contents: ColumnContents, cells: dict[int, RowCells], item: _Item, sheet: str) -> None:
    """Show the verdict on each criterion: on its own row, or where all share one row in a line each."""
    first = cells[item.row]
    if any(criterion.level is not None for criterion in item.criteria):
        show_levels(first, item.samples)
        return
    for criterion in item.criteria:
        cell, row = _place(criterion.source, sheet)
        contents.said[cell] = criterion.text
        own = criterion_cells(criterion, item.samples)
        if row == item.row:
            first.verdict, first.look = own.verdict, own.look
            first.analysis = "\n".join(filter(None, (own.analysis, first.analysis)))
        else:
            cells[row] = own


def _place(source: CellRef | None, sheet: str) -> tuple[str, int]:
    """Return a cell, and its row."""
    found = _CELL.fullmatch(source.cell or "") if source is not None and source.sheet == sheet else None
    if found is None:
        raise NotInPlace("it is not known from which rows the criteria came")
    return found[0], int(found[1])
