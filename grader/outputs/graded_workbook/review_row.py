"""One row of Review: a grade as the values of its cells; formulas and looks are `review_sheet`'s."""

from __future__ import annotations

from collections.abc import Iterable

from grader.outputs.graded_workbook.expert_entries import ExpertEntry
from grader.outputs.graded_workbook.keys import grade_key, text_hash
from grader.outputs.graded_workbook.review_columns import Column, FieldColumn, ReviewColumn
from grader.outputs.graded_workbook.wording import criteria_text, verdict_words
from grader.records import Grade, Item

Value = str | float | None

NEEDS_REVIEW = "Yes"
"""What the column *Needs review* says, to filter by; empty otherwise."""


def row_values(grade: Grade, entry: ExpertEntry, fields: Iterable[FieldColumn] = ()) -> dict[ReviewColumn, Value]:
    """Return what stands in a grade's row, `fields` of its item included; no score is `None`, never 0."""
    item, verdict = grade.item, grade.verdict
    return {
        **{column: field_text(item, column) for column in fields},
        Column.KEY: grade_key(grade),
        Column.TEXT_HASH: text_hash(item),
        Column.ID: item.id,
        Column.SYSTEM: item.system,
        Column.SAMPLE: grade.sample,
        Column.GROUP: item.group or "",
        Column.QUESTION: item.question.strip(),
        Column.REFERENCE: item.reference.strip(),
        Column.CRITERIA: criteria_text(item),
        Column.ANSWER: item.answer.strip(),
        Column.SCORE: verdict.score,
        Column.VERDICT: verdict_words(verdict),
        Column.NEEDS_REVIEW: NEEDS_REVIEW if grade.needs_review else "",
        Column.ANALYSIS: verdict.analysis.strip(),
        Column.EXPERT_SCORE: entry.score,
        Column.EXPERT_COMMENT: entry.comment,
    }


def field_text(item: Item, column: FieldColumn) -> str:
    """Return the text of an item's field, empty where it has none."""
    return item.fields.get(column.field, "").strip()
