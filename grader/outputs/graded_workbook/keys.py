"""The hidden key and text hash of a row on Review, by which an expert's entries find their item again."""

from __future__ import annotations

import hashlib
import json

from grader.outputs.graded_workbook.text import cut_text, fits, safe_text
from grader.records import Grade, Item

_KEY_DIGITS = 16

_JUDGED_BY = frozenset("context context_role context_passages instruction history checklist raw_output image".split())
"""The fields that rubrics show to a judge; others, such as an expert's remarks, may change without consequence."""


def item_key(system: str, item_id: str, sample: int) -> str:
    """Return what stays the same for an item of a system, however the rows are sorted and the texts edited."""
    return _digest([system, item_id, sample])


def text_hash(item: Item) -> str:
    """Return what changes with the texts that were judged by: question, criteria, answer, context …: all of them."""
    criteria = [[criterion.level, criterion.number, criterion.points, criterion.text] for criterion in item.criteria]
    texts: list[object] = [item.question, item.reference, criteria, item.answer]
    # Only where there are any, so that the workbooks of older runs without such fields still match.
    fields = {name: text for name, text in sorted(item.fields.items()) if name in _JUDGED_BY and text.strip()}
    return _digest([*texts, fields] if fields else texts)


def judge_hash(score: float | str | None, verdict_words: str | None, analysis: str | None) -> str:
    """Return what changes when someone edits the judge's cells of a row.

    It does not change with what programs do to them on saving: 50 and 50.0 are one score, and so are texts that
    differ in line ends and in blanks at the ends of lines.
    """
    return _digest([plain_value(score), plain_value(verdict_words), plain_value(analysis)])


def plain_value(value: float | str | None) -> str:
    """Return a cell's value as it is after any program has saved it: `50` for 50.0, one kind of line end."""
    try:
        return f"{float(value):.10g}"  # type: ignore[arg-type]  # what is no number is caught
    except (TypeError, ValueError):
        # As a cell has it: without control characters, and cut where it is longer than a cell can be.
        text = safe_text("" if value is None else str(value))
        text = text if fits(text) else cut_text(text)
    lines = text.replace("_x000D_", "").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip()


def comment_digest(comment: str) -> str:
    """Return what changes with a comment, one that is cut for its cell being the same as the whole."""
    return _digest([plain_value(comment)])


def texts_digest(question: str, answer: str) -> str:
    """Return what changes with the two texts of an item that every sheet with scores shows, as cells have them."""
    return _digest([" ".join(plain_value(text).split()) for text in (question.strip(), answer.strip())])


def grade_key(grade: Grade) -> str:
    """Return the key of a grade's row."""
    return item_key(grade.item.system, grade.item.id, grade.sample)


def _digest(value: object) -> str:
    # JSON, because joined texts could be split in two ways; ASCII, because texts may hold lone surrogates.
    return hashlib.sha256(json.dumps(value, ensure_ascii=True).encode()).hexdigest()[:_KEY_DIGITS]
