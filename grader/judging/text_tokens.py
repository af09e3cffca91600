"""Reads a text into comparable words and sentences, in any language; knows nothing of criteria."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from grader.plain_text import strip_invisible

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Kana, Han and Hangul, as the inside of a regular expression's set: scripts that do not part words by spaces alone."""

_WORD = re.compile(rf"[{CJK}]+|\d+(?:\.\d+)+|\d+(?=[^\W\d_{CJK}]{{1,3}}\b)|[^\W_{CJK}]+")
"""A run of CJK, a decimal, a number without its unit (the 4 of `4um`), or a word; `_` and `-` part words."""

_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。!?；](?=[^\s\d])|\n")
_IS_CJK = re.compile(f"[{CJK}]")
_IS_HIRAGANA = re.compile("[\u3040-\u309f]+")

_EVEN = str.maketrans(
    {"–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "“": '"', "”": '"', "„": '"', "‘": "'", "’": "'"}
)
_PRIVATE = re.compile("[\ue000-\uf8ff]")
"""Characters without a meaning of their own, taken out because `criterion_parts` uses them as marks."""

_THOUSANDS_COMMA = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")

_ENDINGS = tuple("ations ation ements ement ments ment ings ing ions ion ed es ly s e".split())
"""English endings, the longer before those they end in; enough to bring `placing`, `placement`, `placed` together."""

_STEM_MIN = 4
"""Letters that a stem keeps: shorter ones would join unrelated words, such as `ring` and `rate`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadText:
    """A text, evened out once, so that many terms can be looked up in it."""

    folded: str
    sentences: tuple[frozenset[str], ...]
    """The stems of each sentence, in order; none for a text without words."""
    names: tuple[str, ...]
    """Words with an underscore in them: what a misspelt name is compared with."""


def even(text: str) -> str:
    """Return `text` with one kind of width, dash, quote and digit grouping, its letters' case kept."""
    evened = unicodedata.normalize("NFKC", strip_invisible(_PRIVATE.sub(" ", text))).translate(_EVEN)
    return _THOUSANDS_COMMA.sub("", evened)


def fold(text: str) -> str:
    """Return `text` evened out and without case."""
    return even(text).casefold()


@lru_cache(maxsize=256)
def read_text(text: str) -> ReadText:
    """Return `text` ready to be searched; cached, because every criterion of a row asks for the same answer."""
    folded = fold(text)
    sentences = (frozenset(map(stem, split_words(part))) for part in _SENTENCE_END.split(folded))
    return ReadText(
        folded=folded,
        sentences=tuple(filter(None, sentences)),
        names=tuple({word for word in re.findall(r"\w+", folded) if "_" in word}),
    )


def split_words(folded: str) -> tuple[str, ...]:
    """Return the words of a folded text; a run of CJK becomes its overlapping pairs of characters.

    Pairs of hiragana alone are left out: they are endings and particles that every Japanese sentence has.
    """
    words: list[str] = []
    for token in _WORD.findall(folded):
        if len(token) > 1 and _IS_CJK.match(token):
            words.extend(pair for pair in map("".join, pairwise(token)) if not _IS_HIRAGANA.fullmatch(pair))
        else:
            words.append(token)
    return tuple(words)


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """Return `word` without its ending: `placing`, `placement` and `placed` share one stem."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM_MIN:
            return word[: -len(ending)]
    return word
