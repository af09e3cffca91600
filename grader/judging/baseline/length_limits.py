"""Finds the length that a question asks for (`in at most 50 words`, 100字以内) and says whether an answer keeps it."""

from __future__ import annotations

import re

from grader.judging.baseline.statements import split_statements
from grader.judging.text_tokens import even

_COUNT = r"(\d{1,5})"
_UNIT = (
    r"(words?|characters?|sentences?|lines?|wörtern?|worte?n?|zeichen|sätzen?|zeilen?"
    r"|文字|字|単語|词|文(?!字)|句)"
)
_AT_MOST = (
    r"at most|no more than|not more than|up to|within|under|fewer than|less than|max(?:imum|imal)?(?: of)?"
    r"|höchstens|不超过|最多|不多于"
)
_OR_LESS = r"\s*(?:or less|or fewer|at most|oder weniger)|以内|以下|之内"
_LIMIT = re.compile(rf"(?:{_AT_MOST})\s*{_COUNT}\s*{_UNIT}|{_COUNT}\s*{_UNIT}(?:{_OR_LESS})", re.IGNORECASE)
_TOLERANCE = 1.1
"""Nobody counts a tenth more."""


def broken_limit(question: str, answer: str) -> str | None:
    """Return in words how `answer` is longer than `question` allows, or `None` where it is not."""
    found = _LIMIT.search(even(question))
    if found is None:
        return None
    count, unit = (text for text in found.groups() if text)
    length = _length(answer, unit.casefold())
    return f"{length} {unit}, {count} are allowed" if length > int(count) * _TOLERANCE else None


def _length(answer: str, unit: str) -> int:
    if unit.startswith(("word", "wört", "wort", "単語")):
        return len(answer.split())
    if unit.startswith(("character", "zeichen", "字", "文字", "词")):
        return len("".join(answer.split()))
    if unit.startswith(("line", "zeile")):
        return len([line for line in answer.splitlines() if line.strip()])
    return len(split_statements(answer))
