"""Finds a criterion's terms in an answer and says how well; weighs nothing against anything."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache

from rapidfuzz import fuzz, process

from grader.judging.criterion_parts import Part, Term
from grader.judging.number_bounds import NUMBER, Bound
from grader.judging.text_tokens import CJK, ReadText, split_words

_SPACED = 0.5
"""Worth of a name in several words written with spaces: it may just be how the subject is spoken of."""

_FUZZY_RATIO = 95
"""Percent of characters alike from which a name counts as misspelt and not as another: one slip in twenty.

Lower, and two short names with one letter between them (`read_file`, `read_files`: 94.7) would be the same.
"""

_INCOMPLETE_POWER = 2
"""A command with half its parts is worth a quarter: what is missing is what the question was about."""

_REACH = 40
"""Characters that may stand between a command's parts, beyond its own length: other options, or half a sentence."""


def term_strength(term: Term, text: ReadText) -> float:
    """Return how well `term` is found in `text`: 1 as it stands, 0 not at all."""
    if len(term.parts) == 1:
        return _part_strength(term.parts[0], text)
    return _command_coverage(term, text) ** _INCOMPLETE_POWER


def numbers_hold(bound: Bound, text: ReadText) -> bool:
    """Return whether any number in `text` satisfies `bound`, or repeats its limit as `below 200` does."""
    numbers = (float(number) for number in NUMBER.findall(text.folded))
    return any(number == bound.limit or bound.holds(number) for number in numbers)


def _part_strength(part: Part, text: ReadText) -> float:
    if _places(part, text):
        return 1.0
    if part.bound is not None:
        return 0.0
    if part.text.startswith("-") and _option_named(part.text).search(text.folded):
        return 1.0
    if "_" in part.text and _is_misspelt(part.text.lstrip("-"), text):
        return 1.0
    words = split_words(part.text)
    return _SPACED if len(words) > 1 and _spaced(words).search(text.folded) else 0.0


def _is_misspelt(name: str, text: ReadText) -> bool:
    return process.extractOne(name, text.names, scorer=fuzz.ratio, score_cutoff=_FUZZY_RATIO) is not None


def _command_coverage(term: Term, text: ReadText) -> float:
    """Return the share of the term's parts that stand close together, at the best place of `text`."""
    places = [_places(part, text) for part in term.parts]
    reach = len(term.text) + _REACH
    best = 0
    for anchors in places:
        for anchor in anchors:
            best = max(best, sum(_has_near(found, anchor, reach) for found in places))
        if best == len(places):
            break
    return best / len(places)


def _has_near(places: list[int], anchor: int, reach: int) -> bool:
    index = bisect_left(places, anchor - reach)
    return index < len(places) and places[index] <= anchor + reach


def _places(part: Part, text: ReadText) -> list[int]:
    if part.bound is None:
        return [match.start() for match in _as_it_stands(part.text).finditer(text.folded)]
    return [match.start() for match in NUMBER.finditer(text.folded) if part.bound.holds(float(match[0]))]


@lru_cache(maxsize=4096)
def _as_it_stands(text: str) -> re.Pattern[str]:
    """Return a pattern for `text` as a word of its own; CJK has no such bounds."""
    before = rf"(?<![^\W{CJK}])" if re.match(rf"[^\W{CJK}]", text) else ""
    if text.startswith("-"):
        before = r"(?<![\w-])-?"  # one dash or two
    behind = rf"(?![^\W{CJK}])" if re.search(rf"[^\W{CJK}]$", text) else ""
    return re.compile(before + re.escape(text) + behind)


@lru_cache(maxsize=4096)
def _option_named(option: str) -> re.Pattern[str]:
    """Return a pattern for an option without its dash that is marked as a name: in quotes, or called an option."""
    name = re.escape(option.lstrip("-"))
    return re.compile(rf"([`'\"]){name}\1|(?<!\w){name} (?:option|parameter|argument|flag|switch)")


@lru_cache(maxsize=4096)
def _spaced(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(r"(?<!\w)" + r"[\s_-]+".join(map(re.escape, words)) + r"(?!\w)")
