"""One row of Review: a grade as the values of its cells; formulas and looks are `review_sheet`'s."""

from __future__ import annotations

import json
from collections.abc import Iterable

from grader.outputs.graded_workbook.expert_entries import ExpertEntry
from grader.outputs.graded_workbook.expert_result import BLIND
from grader.outputs.graded_workbook.keys import comment_digest, grade_key, judge_hash, text_hash
from grader.outputs.graded_workbook.review_columns import Column, FieldColumn, ReviewColumn
from grader.outputs.graded_workbook.text import fits
from grader.outputs.graded_workbook.wording import criteria_text, verdict_words
from grader.outputs.review_queue import Reason, ReviewQueue, Urgency, urgent_reasons
from grader.records import Grade, Item

STALE_REASON = "entry for earlier texts"
"""Why an expert should look at a row whose entry no longer counts."""

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
    cells all say `blind`: what is not in the file cannot be found by clicking on a cell.
    """
    item, verdict = grade.item, grade.verdict
    score: Value = verdict.score
    words, analysis = verdict_words(verdict), verdict.analysis.strip()
    if is_masked:
        score = words = analysis = BLIND
    return {
        **{column: field_text(item, column) for column in fields},
        Column.KEY: grade_key(grade),
        Column.TEXT_HASH: text_hash(item),
        Column.JUDGE_HASH: judge_hash(score, words, analysis),
        Column.ENTERED_BEFORE: "" if stored is None else entered_before(stored.score, stored.comment),
        Column.ID: item.id,
        Column.SYSTEM: item.system,
        Column.SAMPLE: grade.sample,
        Column.GROUP: item.group or "",
        Column.QUESTION: item.question.strip(),
        Column.REFERENCE: item.reference.strip(),
        Column.CRITERIA: criteria_text(item),
        Column.ANSWER: item.answer.strip(),
        Column.SCORE: score,
        Column.VERDICT: words,
        Column.NEEDS_REVIEW: "; ".join(reasons),
        Column.ANALYSIS: analysis,
        Column.EXPERT_SCORE: entry.score,
        Column.EXPERT_COMMENT: entry.comment,
    }


def reasons_shown(grade: Grade, entry: ExpertEntry, queue: ReviewQueue, *, is_masked: bool) -> list[Reason]:
    """Return why an expert should look at a row; of a masked one nothing that comes from the judge."""
    reasons = [] if is_masked else urgent_reasons(grade, queue)
    stale = [Reason(Urgency.DISAGREEMENT, STALE_REASON)] if entry.stale else []
    return sorted((*reasons, *stale), key=lambda reason: reason.urgency)


def field_text(item: Item, column: FieldColumn) -> str:
    """Return the text of an item's field, empty where it has none."""
    return item.fields.get(column.field, "").strip()


def entered_before(value: float | bool | str | None, comment: str) -> str:
    """Return the expert's two cells as an earlier review stored them, as JSON; empty where both were.

    `[50, "why"]`, or where a cell cannot hold that `[50, "", digest]` with a digest of the comment.
    """
    if value is None and not comment:
        return ""
    whole = json.dumps([value, comment], ensure_ascii=False)
    return whole if fits(whole) else json.dumps([value, "", comment_digest(comment)])
