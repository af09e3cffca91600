"""Cleans a worker's reply down to its answer (RUBRICS, ESI, Cleaning); judges nothing, and reads no judge's reply."""

from __future__ import annotations

import re
from dataclasses import dataclass

COT = "COT"

_THOUGHTS = re.compile(r"^(?:.*?</think(?:ing)?\s*>\s*)+", re.IGNORECASE | re.DOTALL)
"""What a reasoning model says to itself before its answer, where the server has not told the two apart."""

_MARKER = re.compile(
    r"(?:(?P<bold>\*\*|__)|(?<!#)#++[ \t]*+)?final[ \t]+answer[ \t]*"
    r"(?P<end>\*\*|__)?[ \t]*[:：][ \t]*(?P<ended>\*\*|__)?",
    re.IGNORECASE,
)
"""`Final Answer:` as it is asked for, and as models write it: bold, as a heading, with a full-width colon."""

_LEAD_IN = re.compile(
    r"(?:(?:the )?final answer is\b *[:：]?|the answer is\b *[:：]?|(?:(?:final|expert) )?answer(?: is)? *[:：]"
    r"|(?:(?:好的|了解)[，,]? *)?(?:最终)?答案(?:是|为)? *[:：]?)\s*",
    re.IGNORECASE,
)
_BULLET = re.compile(r"[-*•][ \t]+")
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "«": "»"}
_FULL_STOPS = (".", "。")


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanedAnswer:
    """An answer without what stood around it, and whether it came in the form that its prompt asked for."""

    text: str
    is_correctly_formatted: bool


def clean_answer(reply: str, prompt_version: str) -> CleanedAnswer:
    """Return the answer in a worker's `reply`.

    Thoughts before it, up to `</think>`, are no part of it: only the integrity judge sees them. Of COT it is what
    follows the last `Final Answer:`; without that line it is the whole reply, not correctly formatted. Then, once each
    and in this order: a lead-in, a list bullet, one pair of quotes around the whole, a final full stop, and a leading
    `>` are cut.
    """
    answer, is_correctly_formatted = _THOUGHTS.sub("", reply).strip(), True
    if prompt_version == COT:
        markers = list(_MARKER.finditer(answer))
        is_correctly_formatted = bool(markers)
        answer = _behind(markers[-1], answer) if markers else answer
    answer = _without_start(_LEAD_IN, answer)
    answer = _without_start(_BULLET, answer)
    answer = _without_quotes(answer)
    answer = _without_full_stop(answer)
    return CleanedAnswer(text=answer.removeprefix(">").strip(), is_correctly_formatted=is_correctly_formatted)


def _behind(marker: re.Match[str], answer: str) -> str:
    """Return what follows the marker, without the end of a bold line that began before it: `**Final Answer: 42**`."""
    text = answer[marker.end() :].strip()
    is_open = marker["bold"] and not marker["end"] and not marker["ended"]
    return text.removesuffix(marker["bold"]).rstrip() if is_open else text


def _without_start(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.match(text)
    return text[match.end() :].strip() if match else text


def _without_quotes(text: str) -> str:
    """Return `text` without one pair of quotes around the whole; `"a" or "b"` has two pairs and keeps them."""
    closing = _QUOTES.get(text[:1])
    if closing is None or len(text) < 2 or not text.endswith(closing):
        return text
    inside = text[1:-1]
    return text if text[0] in inside or closing in inside else inside.strip()


def _without_full_stop(text: str) -> str:
    """Return `text` without its final full stop; an ellipsis is none."""
    if len(text) > 1 and text.endswith(_FULL_STOPS) and not text.endswith(".."):
        return text[:-1].rstrip()
    return text
