"""The columns of the sheet Items: their names, whose they are, and which of them a run needs; holds no values."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum

from grader.outputs.graded_workbook.review_columns import ColumnLook, Owner, TableLayout

ITEMS = "Items"


class ItemColumn(StrEnum):
    """A column by the name in its header; an expert's entries are read back by these names."""

    KEY = "Key"
    TEXT_HASH = "Text hash"
    COMBINATION = "Combination"
    BASE = "Alignment if correct"
    ID = "ID"
    DATASET = "Dataset"
    MODEL = "Model"
    PROMPT = "Prompt"
    SCENARIO = "Scenario"
    INSTRUCTION = "Instruction"
    QUESTION = "Question"
    REFERENCE = "Reference"
    ANSWER = "Answer"
    STATUS = "Status"
    REMARKS = "Remarks"
    VERDICT = "Accuracy verdict"
    ACCURACY_REASONING = "Accuracy reasoning"
    INTEGRITY_REASONING = "Integrity reasoning"
    ACCURACY = "Accuracy"
    INTEGRITY = "Integrity"
    EFFICIENCY = "Efficiency"
    SAFETY = "Safety"
    ALIGNMENT = "Alignment"
    EXPERT_ACCURACY = "Expert accuracy"
    EXPERT_INTEGRITY = "Expert integrity"
    EXPERT_COMMENT = "Expert comment"
    FINAL_ACCURACY = "Final accuracy"
    FINAL_INTEGRITY = "Final integrity"
    FINAL_ALIGNMENT = "Final alignment"
    ESI = "ESI"
    TOKENS = "Worker tokens"
    SECONDS = "Seconds"
    COST = "Cost USD"


LOOKS: Mapping[ItemColumn, ColumnLook] = {
    ItemColumn.KEY: ColumnLook(Owner.ITEM, "note", 18),
    ItemColumn.TEXT_HASH: ColumnLook(Owner.ITEM, "note", 18),
    ItemColumn.COMBINATION: ColumnLook(Owner.ITEM, "note", 8),
    ItemColumn.BASE: ColumnLook(Owner.ITEM, "note", 8),
    ItemColumn.ID: ColumnLook(Owner.ITEM, "id", 7, 14),
    ItemColumn.DATASET: ColumnLook(Owner.ITEM, "text", 9, 16),
    ItemColumn.MODEL: ColumnLook(Owner.ITEM, "text", 12, 24),
    ItemColumn.PROMPT: ColumnLook(Owner.ITEM, "text", 10, 14),
    ItemColumn.SCENARIO: ColumnLook(Owner.ITEM, "text", 10, 16),
    ItemColumn.INSTRUCTION: ColumnLook(Owner.ITEM, "text", 26, 48),
    ItemColumn.QUESTION: ColumnLook(Owner.ITEM, "text", 24, 44),
    ItemColumn.REFERENCE: ColumnLook(Owner.ITEM, "text", 24, 44),
    ItemColumn.ANSWER: ColumnLook(Owner.ITEM, "text", 28, 60),
    ItemColumn.STATUS: ColumnLook(Owner.JUDGE, "judge_text", 25),
    ItemColumn.REMARKS: ColumnLook(Owner.JUDGE, "judge_text", 22, 36),
    ItemColumn.VERDICT: ColumnLook(Owner.JUDGE, "judge_mark", 11),
    ItemColumn.ACCURACY_REASONING: ColumnLook(Owner.JUDGE, "judge_text", 28, 50),
    ItemColumn.INTEGRITY_REASONING: ColumnLook(Owner.JUDGE, "judge_text", 28, 50),
    ItemColumn.ACCURACY: ColumnLook(Owner.JUDGE, "sub_score", 9.5),
    ItemColumn.INTEGRITY: ColumnLook(Owner.JUDGE, "sub_score", 9.5),
    ItemColumn.EFFICIENCY: ColumnLook(Owner.JUDGE, "sub_score", 10),
    ItemColumn.SAFETY: ColumnLook(Owner.JUDGE, "sub_score", 8),
    ItemColumn.ALIGNMENT: ColumnLook(Owner.JUDGE, "sub_score", 10),
    ItemColumn.EXPERT_ACCURACY: ColumnLook(Owner.EXPERT, "expert_score", 12),
    ItemColumn.EXPERT_INTEGRITY: ColumnLook(Owner.EXPERT, "expert_score", 10),
    ItemColumn.EXPERT_COMMENT: ColumnLook(Owner.EXPERT, "expert_text", 30),
    ItemColumn.FINAL_ACCURACY: ColumnLook(Owner.RESULT, "final_score", 10),
    ItemColumn.FINAL_INTEGRITY: ColumnLook(Owner.RESULT, "final_score", 10),
    ItemColumn.FINAL_ALIGNMENT: ColumnLook(Owner.RESULT, "final_score", 10),
    ItemColumn.ESI: ColumnLook(Owner.RESULT, "final_esi", 8.5),
    ItemColumn.TOKENS: ColumnLook(Owner.ITEM, "number", 8.5),
    ItemColumn.SECONDS: ColumnLook(Owner.ITEM, "seconds", 9),
    ItemColumn.COST: ColumnLook(Owner.ITEM, "usd", 10),
}

HIDDEN = frozenset({ItemColumn.KEY, ItemColumn.TEXT_HASH, ItemColumn.COMBINATION, ItemColumn.BASE})
WHERE_SAID = (
    *(ItemColumn.SCENARIO, ItemColumn.INSTRUCTION, ItemColumn.QUESTION, ItemColumn.REFERENCE),
    *(ItemColumn.REMARKS, ItemColumn.COST),
)
"""Columns that are there only where some item has something in them."""

NAMES = (ItemColumn.ID, ItemColumn.DATASET, ItemColumn.MODEL, ItemColumn.PROMPT, ItemColumn.SCENARIO)
"""Columns of names, which should not break into lines."""

FROZEN_COUNT = len(HIDDEN) + 4
"""Columns that stay in view: all up to the prompt version."""

ItemsLayout = TableLayout[ItemColumn]


def items_layout(said: Collection[ItemColumn], row_count: int) -> ItemsLayout:
    """Return where the columns stand that these items need; `said` are those in which some item has something."""
    columns = tuple(column for column in ItemColumn if column not in WHERE_SAID or column in said)
    return TableLayout(ITEMS, columns, row_count)
