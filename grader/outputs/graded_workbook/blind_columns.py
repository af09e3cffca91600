"""The columns of Blind: the item's texts and the expert's cells, nothing of the judge and no system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.outputs.graded_workbook.review_columns import (
    Column,
    FieldColumn,
    ReviewColumn,
    TableLayout,
    columns_for,
)

if TYPE_CHECKING:
    from grader.outputs.graded_workbook.survey import Survey

_SHOWN = (
    *(Column.KEY, Column.TEXT_HASH, Column.ENTERED_BEFORE, Column.JUDGE_SHOWN),
    *(Column.ID, Column.QUESTION, Column.REFERENCE),
    *(Column.CRITERIA, Column.ANSWER, Column.EXPERT_SCORE, Column.EXPERT_COMMENT),
)


@dataclass(frozen=True, slots=True)
class BlindLayout(TableLayout[ReviewColumn]):
    """Where each column of this run's Blind stands: some of Review's, by the same names."""


def blind_layout(survey: Survey, sheet: str) -> BlindLayout:
    """Return where the columns stand, those of the rubric's own fields included.

    Where the judge's cells of some row are shown elsewhere in the workbook, a hidden column says so: what an expert
    enters there from now on is not blind.
    """
    shown = (column for column in columns_for(survey.rubric) if isinstance(column, FieldColumn) or column in _SHOWN)
    needed = set(survey.columns)
    if survey.blind_rows - survey.masked:
        needed.add(Column.JUDGE_SHOWN)
    return BlindLayout(sheet, tuple(each for each in shown if each in needed), len(survey.blind_rows))
