"""The hidden key and text hash of a row on Review, by which an expert's entries find their item again."""

from __future__ import annotations

import hashlib
import json
from json.encoder import encode_basestring_ascii as as_json

from grader.outputs.graded_workbook.text import cut_text, fits, safe_text
from grader.records import Grade, Item

_KEY_DIGITS = 16

_JUDGED_BY = frozenset("context context_role context_passages instruction history checklist raw_output image".split())
"""The fields that rubrics show to a judge; others, such as an expert's remarks, may change without consequence."""


def item_key(system: str, item_id: str, sample: int) -> str:
    """Return what stays the same for an item of a system, however the rows are sorted and the texts edited."""
    return _digest(f"[{as_json(system)}, {as_json(item_id)}, {sample}]")


def text_hash(item: Item) -> str:
    """Return what changes with the texts that were judged by: question, criteria, answer, context …: all of them."""
    criteria = [[criterion.level, criterion.number, criterion.points, criterion.text] for criterion in item.criteria]
    texts: list[object] = [item.question, item.reference, criteria, item.answer]
    # Only where there are any, so that the workbooks of older runs without such fields still match.
    fields = {name: text for name, text in sorted(item.fields.items()) if name in _JUDGED_BY and text.strip()}
    return _digest(json.dumps([*texts, fields] if fields else texts))


def judge_hash(score: float | str | None, verdict_words: str | None, analysis: str | None) -> str:
    """Return what changes when someone edits the judge's cells of a row.

    It does not change with what programs do to them on saving: 50 and 50.0 are one score, and so are texts that
    differ in line ends and in blanks at the ends of lines.
    """
    return _digest_of(plain_value(score), plain_value(verdict_words), plain_value(analysis))


def plain_value(value: float | str | None) -> str:
    """Return a cell's value as it is after any program has saved it: `50` for 50.0, one kind of line end."""
    # Trying takes long, and most texts begin with a letter, which no number does but nan and inf.
    if not isinstance(value, str) or not value[:1].isalpha() or value[0] in "iInN":
        try:
            return f"{float(value):.10g}"  # type: ignore[arg-type]  # what is no number is caught
        except (TypeError, ValueError):
            pass
    # As a cell has it: without control characters, and cut where it is longer than a cell can be.
    text = safe_text("" if value is None else str(value))
    text = text if fits(text) else cut_text(text)
    if "\n" not in text and "\r" not in text and "_x000D_" not in text:
        return text.strip()
    lines = text.replace("_x000D_", "").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip()


def comment_digest(comment: str) -> str:
    """Return what changes with a comment, one that is cut for its cell being the same as the whole."""
    return _digest_of(plain_value(comment))


def texts_digest(question: str, answer: str) -> str:
    """Return what changes with the two texts of an item that every sheet with scores shows, as cells have them."""
    return _digest_of(*(" ".join(plain_value(text).split()) for text in (question.strip(), answer.strip())))


def grade_key(grade: Grade) -> str:
    """Return the key of a grade's row."""
    return item_key(grade.item.system, grade.item.id, grade.sample)


def _digest_of(*texts: str) -> str:
    return _digest(f"[{', '.join(map(as_json, texts))}]")


def _digest(json_text: str) -> str:
    # JSON, because joined texts could be split in two ways; ASCII, because texts may hold lone surrogates.
    return hashlib.sha256(json_text.encode("ascii")).hexdigest()[:_KEY_DIGITS]
