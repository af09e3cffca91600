"""The hidden key and text hash of a row on Review, by which an expert's entries find their item again."""

from __future__ import annotations

import hashlib
import json

from grader.records import Grade, Item

_KEY_DIGITS = 16


def item_key(system: str, item_id: str, sample: int) -> str:
    """Return what stays the same for an item of a system, however the rows are sorted and the texts edited."""
    return _digest([system, item_id, sample])


def text_hash(item: Item) -> str:
    """Return what changes with the texts that an expert judged by: question, reference, criteria or answer."""
    criteria = [[criterion.level, criterion.number, criterion.points, criterion.text] for criterion in item.criteria]
    return _digest([item.question, item.reference, criteria, item.answer])


def grade_key(grade: Grade) -> str:
    """Return the key of a grade's row."""
    return item_key(grade.item.system, grade.item.id, grade.sample)


def _digest(value: object) -> str:
    # JSON, because joined texts could be split in two ways; ASCII, because texts may hold lone surrogates.
    return hashlib.sha256(json.dumps(value, ensure_ascii=True).encode()).hexdigest()[:_KEY_DIGITS]
