"""Prepares a criterion's words for the rules on wording: its language, and its text without what is quoted in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import Literal

Language = Literal["en", "de", "ja", "zh"]

QUOTE = "\u25a1"
"""Stands where a quote, a piece of code or a literal was: what must be said word for word is no wording of ours."""

QUOTED = re.compile(
    r"```.*?```|`[^`\n]*`|\"[^\"\n]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|‹[^›]*›|「[^」]*」|『[^』]*』|《[^》]*》|‘[^’]*’"
    r"|(?<!\w)'[^'\n]*'(?!\w)",
    re.DOTALL,
)
"""A quote, a piece of code or a literal."""

_CONTENT = re.compile(r"(?:\bthat\b|,\s*(?:dass|daß|ob)\b)[^.;\n]*", re.IGNORECASE)
_KANA = re.compile(r"[\u3040-\u30ff]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_GERMAN = frozenset(
    "der die das und ist nicht ein eine einen mit wird nennt erklärt gibt für auf bei von zu den".split()
)
_ENGLISH = frozenset(
    "the and of is a an that to in for with mentions gives explains states mention give explain".split()
)
_SAMPLE = 400


def without_quotes(text: str) -> str:
    """Return a text with everything quoted replaced by one sign."""
    return QUOTED.sub(QUOTE, text)


def demand(text: str) -> str:
    """Return what a criterion demands, without quotes and without the fact that is to be said ("that …")."""
    return _CONTENT.sub(f" that {QUOTE}", without_quotes(text))


def language_of(texts: Iterable[str]) -> Language:
    """Return the language that most of the texts are in; English where there is nothing to tell by."""
    votes = Counter(_told_language(text) or "en" for text in islice(texts, _SAMPLE))
    return max(votes, key=lambda language: votes[language], default="en")


def own_language(text: str, usual: Language) -> Language:
    """Return the language of one text among others in the language `usual`, which it is in unless it tells otherwise.

    Without kana, Japanese cannot be told from Chinese: such a text is Japanese among Japanese ones.
    """
    told = _told_language(text)
    if told is None or (told == "zh" and usual == "ja"):
        return usual
    return told


def _told_language(text: str) -> Language | None:
    plain = without_quotes(text)
    if _KANA.search(plain):
        return "ja"
    if _HAN.search(plain):
        return "zh"
    words = set(re.findall(r"\w+", plain.casefold()))
    german, english = len(words & _GERMAN), len(words & _ENGLISH)
    return None if german == english else "de" if german > english else "en"
