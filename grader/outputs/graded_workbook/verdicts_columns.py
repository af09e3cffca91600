"""The columns of Verdicts: their names, how they look, and which of them a run needs; holds no values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from grader.outputs.graded_workbook.review_columns import Column, ColumnLook, Owner, TableLayout

if TYPE_CHECKING:
    from grader.outputs.graded_workbook.survey import Survey

MET, NOT_MET = "met", "not met"
"""What a verdict on a criterion may be, in the words of the workbook."""


class VerdictColumn(StrEnum):
    """A column by the name in its header; an expert's entries are read back by these names."""

    KEY = "Key"
    TEXT_HASH = "Text hash"
    JUDGE_HASH = "Judge hash"
    ENTERED_BEFORE = "Entered before"
    ID = "ID"
    SYSTEM = "System"
    SAMPLE = "Sample"
    LEVEL = "Level"
    NUMBER = "No."
    CRITERION = "Criterion"
    POINTS = "Points"
    JUDGE = "Judge verdict"
    EVIDENCE = "Evidence"
    EXPERT = "Expert verdict"
    COMMENT = "Expert comment"
    FINAL = "Final verdict"


VERDICT_LOOKS: Mapping[VerdictColumn, ColumnLook] = {
    VerdictColumn.KEY: ColumnLook(Owner.ITEM, "note", 18),
    VerdictColumn.TEXT_HASH: ColumnLook(Owner.ITEM, "note", 18),
    VerdictColumn.JUDGE_HASH: ColumnLook(Owner.ITEM, "note", 18),
    VerdictColumn.ENTERED_BEFORE: ColumnLook(Owner.ITEM, "note", 18),
    VerdictColumn.ID: ColumnLook(Owner.ITEM, "id", 8, 14),
    VerdictColumn.SYSTEM: ColumnLook(Owner.ITEM, "text", 12, 22),
    VerdictColumn.SAMPLE: ColumnLook(Owner.ITEM, "number", 8),
    VerdictColumn.LEVEL: ColumnLook(Owner.ITEM, "number", 8),
    VerdictColumn.NUMBER: ColumnLook(Owner.ITEM, "number", 6),
    VerdictColumn.CRITERION: ColumnLook(Owner.ITEM, "text", 62, 62),
    VerdictColumn.POINTS: ColumnLook(Owner.ITEM, "number", 8),
    VerdictColumn.JUDGE: ColumnLook(Owner.JUDGE, "judge_mark", 10),
    VerdictColumn.EVIDENCE: ColumnLook(Owner.JUDGE, "judge_text", 56, 56),
    VerdictColumn.EXPERT: ColumnLook(Owner.EXPERT, "expert_score", 10),
    VerdictColumn.COMMENT: ColumnLook(Owner.EXPERT, "expert_text", 34),
    VerdictColumn.FINAL: ColumnLook(Owner.RESULT, "final", 10),
}

HIDDEN_VERDICT_COLUMNS = frozenset(
    {
        *(VerdictColumn.KEY, VerdictColumn.TEXT_HASH, VerdictColumn.JUDGE_HASH),
        VerdictColumn.ENTERED_BEFORE,
    }
)


@dataclass(frozen=True, slots=True)
class VerdictsLayout(TableLayout[VerdictColumn]):
    """Where each column of this run's Verdicts stands."""

    @property
    def frozen_count(self) -> int:
        """How many columns stay in view when scrolling to the right."""
        last = VerdictColumn.SAMPLE if VerdictColumn.SAMPLE in self.columns else VerdictColumn.SYSTEM
        return self.index(last) + 1


def verdicts_layout(survey: Survey, sheet: str) -> VerdictsLayout:
    """Return where the columns stand that these grades need."""
    left_out = set()
    if not survey.levels:
        left_out.add(VerdictColumn.LEVEL)
    if Column.SAMPLE not in survey.columns:
        left_out.add(VerdictColumn.SAMPLE)
    columns = tuple(column for column in VerdictColumn if column not in left_out)
    return VerdictsLayout(sheet, columns, survey.criterion_count)
