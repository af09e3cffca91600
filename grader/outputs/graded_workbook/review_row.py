"""One row of Review: a grade as the values of its cells; formulas and looks are `review_sheet`'s."""

from __future__ import annotations

import json
from collections.abc import Iterable

from grader.outputs.graded_workbook.expert_entries import ExpertEntry
from grader.outputs.graded_workbook.keys import grade_key, judge_hash, text_hash
from grader.outputs.graded_workbook.review_columns import Column, FieldColumn, ReviewColumn
from grader.outputs.graded_workbook.wording import criteria_text, verdict_words
from grader.records import Grade, Item

Value = str | float | None


def row_values(
    grade: Grade,
    entry: ExpertEntry,
    fields: Iterable[FieldColumn] = (),
    *,
    stored: ExpertEntry | None = None,
    reasons: Iterable[str] = (),
    is_masked: bool = False,
) -> dict[ReviewColumn, Value]:
    """Return what stands in a grade's row, `fields` of its item included; no score is `None`, never 0.

    `stored` is what earlier reviews entered, `reasons` why an expert should look at it. With `is_masked` the judge's
    texts are one line each: LibreOffice shows cells of several lines as they are, whatever their number format.
    """
    item, verdict = grade.item, grade.verdict
    words, analysis = verdict_words(verdict), verdict.analysis.strip()
    if is_masked:
        words, analysis = one_line(words), one_line(analysis)
    return {
        **{column: field_text(item, column) for column in fields},
        Column.KEY: grade_key(grade),
        Column.TEXT_HASH: text_hash(item),
        Column.JUDGE_HASH: judge_hash(verdict.score, words, analysis),
        Column.ENTERED_BEFORE: "" if stored is None else entered_before(stored.score, stored.comment),
        Column.ID: item.id,
        Column.SYSTEM: item.system,
        Column.SAMPLE: grade.sample,
        Column.GROUP: item.group or "",
        Column.QUESTION: item.question.strip(),
        Column.REFERENCE: item.reference.strip(),
        Column.CRITERIA: criteria_text(item),
        Column.ANSWER: item.answer.strip(),
        Column.SCORE: verdict.score,
        Column.VERDICT: words,
        Column.NEEDS_REVIEW: "; ".join(reasons),
        Column.ANALYSIS: analysis,
        Column.EXPERT_SCORE: entry.score,
        Column.EXPERT_COMMENT: entry.comment,
    }


def field_text(item: Item, column: FieldColumn) -> str:
    """Return the text of an item's field, empty where it has none."""
    return item.fields.get(column.field, "").strip()


def one_line(text: str) -> str:
    """Return a text without line ends, for a cell that its number format must be able to mask."""
    return " ".join(text.split())


def entered_before(value: float | bool | str | None, comment: str) -> str:
    """Return the expert's two cells as an earlier review stored them, as JSON; empty where both were."""
    return json.dumps([value, comment], ensure_ascii=False) if value is not None or comment else ""
