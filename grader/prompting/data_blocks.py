"""Fences data off in a prompt: no text inside a block can close it, or fake the form of the judge's reply.

Every block's delimiters carry a nonce that is filled in when the prompt is sent, so that data cannot know them;
and whatever in the data looks like a delimiter or like the reply's own tags is respelled (RUBRICS, common rule 4).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from grader.plain_text import normalise
from grader.records import NONCE_PLACEHOLDER
from grader.rubric import OutputFormat

_UNSENDABLE = re.compile(f"[\ud800-\udfff{NONCE_PLACEHOLDER}\x00]")
_THINK_TAGS = ("think", "thinking", "thought", "reasoning")
_SPEAKS_TO_THE_JUDGE = re.compile(
    r"\b(?:ignore|disregard|forget)\b.{0,30}\b(?:previous|above|prior|earlier|all)\b.{0,30}\b(?:instructions?|rules?|criteria)"
    r"|\b(?:dear|attention|note to(?: the)?)\s+(?:judge|grader|evaluator|ai)\b"
    r"|\b(?:give|award|assign|rate)\b.{0,30}\b(?:full|maximum|highest|perfect|top)\b.{0,15}\b(?:marks?|scores?|points?|rating|grade)"
    r"|\b(?:correct|final|right)\s+(?:score|grade|rating)\s+(?:is|should be)\b",
    re.IGNORECASE,
)

_HIDDEN_IN_WORD = re.compile(
    r"[A-Za-z0-9<][\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\U000e0000-\U000e007f]+[A-Za-z0-9/>]"
)


def opening(name: str) -> str:
    """Return the delimiter that opens the block called `name`."""
    return f"<{name}-{NONCE_PLACEHOLDER}>"


def closing(name: str) -> str:
    """Return the delimiter that closes the block called `name`."""
    return f"</{name}-{NONCE_PLACEHOLDER}>"


def block(name: str, text: str) -> str:
    """Return neutralised `text` between its delimiters; an empty one says so, lest it be taken for the next."""
    return f"{opening(name)}\n{text if text.strip() else '(empty)'}\n{closing(name)}"


def neutralise(text: str, tags: Iterable[str]) -> str:
    """Return `text` unable to be read as one of `tags`, in any spelling that a reader of replies would accept.

    A text without such tags comes back as it is, but for characters that cannot be sent.
    """
    text = _UNSENDABLE.sub("\ufffd", text)
    pattern = _tag_pattern(tuple(sorted(set(tags))))
    if not pattern.search(normalise(text)):
        return text
    while pattern.search(normalise(text)):
        text = pattern.sub(r"‹\1›", normalise(text))
    return text


def format_tags(output: OutputFormat) -> tuple[str, ...]:
    """Return the tags that a reply in this format is read by, think-tags included."""
    return (output.score, output.analysis, *_THINK_TAGS)


def is_suspicious(answer: str, output: OutputFormat) -> bool:
    """Return whether an answer speaks to the judge, hides characters in words, or brings a verdict of its own.

    A tag for the analysis alone is no sign: systems use such markup for themselves.
    """
    plain = normalise(answer)
    has_verdict = _tag_pattern((output.score,)).search(plain)
    return bool(has_verdict or _SPEAKS_TO_THE_JUDGE.search(plain) or _HIDDEN_IN_WORD.search(answer))


@lru_cache(maxsize=256)
def _tag_pattern(tags: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join(map(re.escape, tags))
    return re.compile(rf"<(\s*/?\s*(?:{names})(?:-[0-9a-z]+)?\s*(?:\s[^<>]*)?/?)>", re.IGNORECASE)
