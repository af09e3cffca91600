"""The Context Analyzer of relevance: finds what in a context matters to a question; matches text, asks no model."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from grader.records import Item

FIELD = "context_passages"
"""The item's field that holds the passages as text, for the prompt and the workbook."""

_MOST_PASSAGES = 5
_LEAST_RELEVANCE = 50.0
"""On rapidfuzz's scale of 100; below it the words in common are those of any text."""

_COVERED, _COVERED_IN_PART = 70.0, 25.0
"""From here on the answer has nearly all, or some, of what a passage says."""

_NUMBER_WEIGHT = 2
"""A number is a fact by itself, and has no other wording."""

_FUNCTION_WORDS = frozenset(
    """
    a an the of in on at by for from to with as and or but if than then that this these those it its he she they we you
    is are was were be been has have had do does did not no can will would there what which who when where why how
    der die das den dem des ein eine einen einem einer eines und oder aber von vom zu zum zur im am auf aus bei mit für
    als ist sind war waren wird werden hat haben es er sie wir ihr nicht kein keine auch sich wie wo wer wann warum
    le la les un une du et ou en dans sur par pour avec que qui est sont ce il elle ne pas au aux se sa son
    el los las una y o de del al con por para es son que se su no lo gli dei della nel per di da che è sono non
    os um uma e do da dos das em na ao com het een van voor met zijn niet
    """.split()
)
_PARTICLES = re.compile("[的了是在和与有从到也吗呢么们はがをのにでともへや]")
"""Signs that do in Chinese and Japanese what function words do elsewhere."""

_ALL_HIRAGANA = re.compile("[\u3040-\u309f]+")

_WORD = re.compile(r"(?:(?=[\u3040-\U0010ffff])[^\W\d])+|\d+(?:[.,:]\d+)*|(?:(?![\u3040-\U0010ffff])\w)+")
"""A run of a script written without spaces, a number such as 1.4 or 10:00, or a word."""

_SPACELESS = "\u3040"
"""From this sign on come the scripts that are written without spaces."""

_ENDING = re.compile(r"(?<=[^\W\d]{3})(?:e[dmnrs]?|s)$")
"""Of European languages: cost and costs, Höhle and Höhlen are one word."""

_BREAK = re.compile(r"\n\s*\n|(?<=[.!?。！？])\s+|\n(?=\s*[-*•\d])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A passage of the context; `relevance` to question and answer, and `coverage` by the answer, from 0 to 100."""

    text: str
    relevance: float
    coverage: float

    @property
    def coverage_words(self) -> str:
        """How much of it the answer says, in words."""
        if self.coverage >= _COVERED:
            return "covered by the answer"
        return "covered in part by the answer" if self.coverage >= _COVERED_IN_PART else "not found in the answer"


def find_passages(question: str, answer: str, context: str) -> tuple[Passage, ...]:
    """Return the passages of `context` that have most in common with the question and the answer, in their order."""
    from rapidfuzz import fuzz, utils

    asked, answered = _words(question), _words(answer)
    found = []
    for text in filter(str.strip, _BREAK.split(context)):
        likeness = (fuzz.token_set_ratio(text, other, processor=utils.default_process) for other in (question, answer))
        coverage = _coverage(_words(text), asked, answered)
        found.append(Passage(text=" ".join(text.split()), relevance=max(likeness), coverage=coverage))
    best = sorted(found, key=lambda passage: -passage.relevance)[:_MOST_PASSAGES]
    return tuple(passage for passage in found if passage in best and passage.relevance >= _LEAST_RELEVANCE)


def _coverage(words: frozenset[str], asked: frozenset[str], answered: frozenset[str]) -> float:
    """Return how much of a passage's words the answer has; the question's count only where there are no others."""
    telling = words - asked or words
    return 100 * _weight(telling & answered) / max(1, _weight(telling))


def _weight(words: frozenset[str]) -> int:
    return sum(_NUMBER_WEIGHT if word[0].isdecimal() else 1 for word in words)


def _words(text: str) -> frozenset[str]:
    """Return the words of a text that say something, without their endings; of spaceless scripts, pairs of signs."""
    words: set[str] = set()
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        if word[0] >= _SPACELESS:
            words.update(_sign_pairs(word))
        elif word not in _FUNCTION_WORDS:
            words.add(_ENDING.sub("", word))
    return frozenset(words)


def _sign_pairs(run: str) -> Iterator[str]:
    """Yield the pairs of signs between particles; hiragana alone are endings, which every sentence has."""
    for part in _PARTICLES.split(run):
        pairs = [part] if len(part) < 3 else map("".join, pairwise(part))
        yield from (pair for pair in pairs if pair and not _ALL_HIRAGANA.fullmatch(pair))


def with_passages(item: Item) -> Item:
    """Return the item with the relevant passages of its context as one more field."""
    passages = find_passages(item.question, item.answer, item.fields.get("context", ""))
    if not passages:
        return item
    lines = (f"- {passage.text} ({passage.coverage_words})" for passage in passages)
    return replace(item, fields={**item.fields, FIELD: "\n".join(lines)})
