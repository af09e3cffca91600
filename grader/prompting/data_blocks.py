"""Fences data off in a prompt: no text inside a block can close it, or fake the form of the judge's reply.

Every block's delimiters carry a nonce that is filled in when the prompt is sent, so that data cannot know them;
and whatever in the data looks like a delimiter or like the reply's own tags is respelled (RUBRICS, common rule 4).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from grader.plain_text import normalise
from grader.records import NONCE_PLACEHOLDER
from grader.rubric import OutputFormat, part_label

_UNSENDABLE = re.compile(f"[\ud800-\udfff{NONCE_PLACEHOLDER}\x00]")
_THINK_TAGS = ("think", "thinking", "thought", "reasoning", "reflection", "scratchpad")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """What data must not say to a reader of replies, and how it is respelled."""

    pattern: re.Pattern[str]
    replacement: str


def neutralise(text: str, guards: Sequence[Guard]) -> str:
    """Return `text` unable to be read as what `guards` look for, in any spelling that a reader would accept.

    A text without such a thing comes back as it is, but for characters that cannot be sent.
    """
    text = _UNSENDABLE.sub("\ufffd", text)
    for guard in guards:
        text = guard.pattern.sub(guard.replacement, text)  # in its own spelling where that is enough
        while guard.pattern.search(normalise(text)):
            text = guard.pattern.sub(guard.replacement, normalise(text))
    return text


@lru_cache(maxsize=64)
def delimiter_guard(names: tuple[str, ...]) -> Guard:
    """Return the guard of the blocks' own delimiters and of think-tags."""
    return _tag_guard((*names, *_THINK_TAGS))


def _tag_guard(tags: tuple[str, ...]) -> Guard:
    """Return the guard of tags, closed or not: a judge that quotes line by line, as `> …`, would close them."""
    return Guard(pattern=re.compile(rf"<(?=\s*(?:/\s*)?(?:{_names(tags)})(?!\w))", re.IGNORECASE), replacement="‹")


MARKER_GUARDS = (
    Guard(pattern=re.compile(r"\[(?=\s*+/?\s*+think\s*+\])", re.IGNORECASE), replacement="⟦"),
    Guard(pattern=re.compile(r"<(?=\s*\|)"), replacement="‹"),
)
"""Other marks by which models tell thoughts from replies: `[THINK]`, `<|channel|>`."""

_ENTRY_GUARD = Guard(
    pattern=re.compile(r"""["'“”‘’`](item|level|met|evidence)["'“”‘’`]\s*:""", re.IGNORECASE), replacement=r"“\1” ∶"
)
"""The keys of one criterion's entry; as plain words before a colon they are left alone."""


@lru_cache(maxsize=64)
def reply_guards(output: OutputFormat) -> tuple[Guard, ...]:
    """Return the guards of the form in which the judge must reply."""
    if output.format == "tagged":
        return (_tag_guard(tuple(part.name for part in output.all_parts)),)
    verdicts = [part for part in output.all_parts if part.kind != "text"]
    if output.format == "json_object":
        keys = "|".join(re.escape(part.name) for part in verdicts)
        guard = Guard(pattern=_key_pattern(keys), replacement=r"“\1” ∶")
        return (guard, _ENTRY_GUARD) if any(part.kind == "items" for part in verdicts) else (guard,)
    labels = {r"\s+".join(map(re.escape, part_label(part).split())) for part in verdicts}
    outranking = {"overall", "final"} if "Score" in labels else set()
    return (Guard(pattern=_line_pattern("|".join(sorted(labels | outranking))), replacement=r"\1 ∶"),)


def is_suspicious(answer: str, output: OutputFormat) -> bool:
    """Return whether an answer speaks to the judge, hides characters in words, or brings a verdict of its own.

    A tag for the reasons alone is no sign: systems use such markup for themselves.
    """
    plain = normalise(answer)
    return bool(
        _verdict_pattern(output).search(plain) or _SPEAKS_TO_THE_JUDGE.search(plain) or _HIDDEN_IN_WORD.search(answer)
    )


@lru_cache(maxsize=64)
def _verdict_pattern(output: OutputFormat) -> re.Pattern[str]:
    """Return what looks for a whole verdict in the judge's form."""
    name = re.escape(output.score)
    if output.format == "tagged":
        return _tag_pattern((output.score,))
    if output.format == "json_object":
        return re.compile(rf"""["'“]{name}["'”]\s*+:\s*+["'\[]?+\s*+(?:\d|true|false|\{{)""", re.IGNORECASE)
    label = re.escape(next(part_label(part) for part in output.all_parts if part.name == output.score))
    return re.compile(
        rf"^(?:[*_#>-]|[^\S\n])*+(?:overall |final )?{label}[\s*_]*+:[\s*_]*+\d", re.IGNORECASE | re.MULTILINE
    )


def _tag_pattern(tags: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"<\s*(?:/\s*)?(?:{_names(tags)})(?!\w)[^<>]*>", re.IGNORECASE)


def _names(tags: tuple[str, ...]) -> str:
    return "|".join(re.escape(tag) for tag in tags if tag)


def _key_pattern(keys: str) -> re.Pattern[str]:
    return re.compile(rf"""["'“”‘’`]?\b({keys})\b["'“”‘’`]?\s*:""", re.IGNORECASE)


def _line_pattern(labels: str) -> re.Pattern[str]:
    """Return what looks for a labelled line; it need not begin the line, since a judge may break lines anew.

    What may stand around the label is what the reader of such lines takes for markup.
    """
    label = rf"(?:overall\s+|final\s+)?(?:{labels})(?:\s+(?:score|rating))?"
    return re.compile(rf"(?<![^\W_])({label}[\s*_#>`|~-]*):", re.IGNORECASE)
