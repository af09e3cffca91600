"""The one rule for what counts as a number in a judge's reply (RUBRICS, common rule 6); not for workbook cells."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, TypeGuard

from grader.records import Status, format_number
from grader.rubric import Scale
from grader.scoring.reading import UnreadableReply

_NUMBER = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)\s*(?:/\s*([0-9]+(?:\.[0-9]+)?)|(%))?\.?")
_LONGEST_WRAPPED = 100
"""What is longer is not unwrapped: one pair at a time, a reply of nothing but brackets would take for ever."""

_WRAPPERS = (
    ("**", "**"),
    ("__", "__"),
    ("*", "*"),
    ("`", "`"),
    ('"', '"'),
    ("'", "'"),
    ("[", "]"),
)


def parse_score(candidates: Iterable[Any], scale: Scale) -> float:
    """Return the one number that all `candidates` are: texts, or values from JSON, where a boolean is no number.

    Raises:
        UnreadableReply: one of them is no number (`parse_error`), two differ (`parse_error`), or the number is not
            on the scale (`out_of_range`); it is never clamped or rounded.
    """
    scores = []
    for candidate in candidates:
        written = candidate if isinstance(candidate, str) else json.dumps(candidate, default=str)
        score = parse_number(written, scale) if isinstance(candidate, str) or _is_number(candidate) else None
        if score is None:
            raise UnreadableReply(f"The score “{written.strip()[:40]}” is not one number.")
        scores.append(score)
    if len(set(scores)) != 1:
        raise UnreadableReply(f"The reply has different scores: {', '.join(map(format_number, scores))}.")
    if not scale.contains(scores[0]):
        raise UnreadableReply(
            f"The score {format_number(scores[0])} is not on the scale {scale.described()}.", status=Status.OUT_OF_RANGE
        )
    return scores[0]


def parse_number(text: str, scale: Scale) -> float | None:
    """Return the number that `text` is, or `None` where it is not exactly one number.

    `text` has been through `reply_text.normalise`. `x/y` counts where y is the scale's maximum, `85%` on a
    0–100 scale; ranges, words, NaN and `1_0` are no numbers. Whether it is on the scale is not checked here.
    """
    found = _NUMBER.fullmatch(_unwrap(text))
    if found is None:
        return None
    number, denominator, percent = found.groups()
    if denominator is not None and float(denominator) != scale.max:
        return None
    if percent and (scale.min, scale.max) != (0, 100):
        return None
    return float(number) + 0.0  # which makes -0 a plain 0


def _unwrap(text: str) -> str:
    """Take emphasis, quotes and brackets from around the whole of `text`."""
    text = text.strip()
    for start, end in _WRAPPERS:
        if _LONGEST_WRAPPED >= len(text) > len(start + end) and text.startswith(start) and text.endswith(end):
            return _unwrap(text[len(start) : -len(end)])
    return text


def parse_level(value: object) -> float:
    """Return the number that a JSON value is, `"50"` included.

    Raises:
        UnreadableReply: it is none; `true` is no number.
    """
    text = value if isinstance(value, str) else format_number(value) if _is_number(value) else ""
    number = _NUMBER.fullmatch(text.strip())
    if number is None or number[2] or number[3]:
        raise UnreadableReply(f"“{str(value)[:40]}” is not a number.")
    return float(number[1])


def parse_integer(value: object) -> int:
    """Return the whole number that a JSON value is, `"2"` and `2.0` included.

    Raises:
        UnreadableReply: it is none; `true` is no number.
    """
    number = parse_level(value)
    if number % 1:
        raise UnreadableReply(f"“{str(value)[:40]}” is not a whole number.")
    return int(number)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
