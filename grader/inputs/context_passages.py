"""The Context Analyzer of relevance: finds what in a context matters to a question; matches text, asks no model."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

from grader.records import Item

FIELD = "context_passages"
"""The item's field that holds the passages as text, for the prompt and the workbook."""

_MOST_PASSAGES = 5
_LEAST_RELEVANCE = 50.0
"""On rapidfuzz's scale of 100; below it the words in common are those of any text."""

_COVERED = 70.0
"""From here on the answer has a passage's words nearly all."""

_FIRST_KANA = "\u3040"
"""From here on the scripts that are written without spaces."""

_BREAK = re.compile(r"\n\s*\n|(?<=[.!?。！？])\s+|\n(?=\s*[-*•\d])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A passage of the context; `relevance` to question and answer, and `coverage` by the answer, from 0 to 100."""

    text: str
    relevance: float
    coverage: float

    @property
    def is_covered(self) -> bool:
        """Whether the answer says most of it."""
        return self.coverage >= _COVERED


def find_passages(question: str, answer: str, context: str) -> tuple[Passage, ...]:
    """Return the passages of `context` that have most in common with the question and the answer, in their order."""
    from rapidfuzz import fuzz, utils

    answer_words = _words(answer)
    found = []
    for text in filter(str.strip, _BREAK.split(context)):
        likeness = (fuzz.token_set_ratio(text, other, processor=utils.default_process) for other in (question, answer))
        words = _words(text)
        coverage = 100 * len(words & answer_words) / max(1, len(words))
        found.append(Passage(text=" ".join(text.split()), relevance=max(likeness), coverage=coverage))
    best = sorted(found, key=lambda passage: -passage.relevance)[:_MOST_PASSAGES]
    return tuple(passage for passage in found if passage in best and passage.relevance >= _LEAST_RELEVANCE)


def _words(text: str) -> frozenset[str]:
    """Return the words of a text, case folded; of Chinese and Japanese, which have no spaces, the pairs of signs."""
    words: set[str] = set()
    for word in re.findall(r"\w+", text.casefold()):
        words.update([word] if word[0] < _FIRST_KANA or len(word) < 3 else map("".join, pairwise(word)))
    return frozenset(words)


def with_passages(items: Iterable[Item]) -> tuple[Item, ...]:
    """Return `items` with the relevant passages of their contexts as one more field."""
    return tuple(_with_passages(item) for item in items)


def _with_passages(item: Item) -> Item:
    passages = find_passages(item.question, item.answer, item.fields.get("context", ""))
    if not passages:
        return item
    lines = (
        f"- {passage.text} ({'covered' if passage.is_covered else 'not covered'} by the answer)" for passage in passages
    )
    return replace(item, fields={**item.fields, FIELD: "\n".join(lines)})
