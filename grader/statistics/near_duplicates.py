"""Finds criteria that say nearly the same, by their words alone; decides nothing about them.

Two that differ in a number or in a “not” say different things, however alike they look, and are left out.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence

from grader.statistics.item_analysis_records import CriterionText, NearDuplicate

SIMILAR = 90.0
"""From this on, of 100, two criteria are near-duplicates: rapidfuzz's ratio over their sorted words."""

MOST_COMPARED = 2_000
"""Different texts up to which all are compared with all; of more, those of one question and equal ones are."""

MOST_LISTED = 200
_LEAST_LENGTH = 12
"""Characters: shorter texts are alike by chance."""
_TELLING = re.compile(
    r"\d+(?:[.,]\d+)*|\b(?:not|no|never|without|nor|cannot|n't|kein\w*|nicht|ohne|pas|sans)\b|n't\b|不|没|無|ない"
)


def near_duplicates(criteria: Sequence[CriterionText]) -> tuple[NearDuplicate, ...]:
    """Return the pairs that say nearly the same: those within one question first, the most alike first."""
    by_text: dict[str, list[CriterionText]] = {}
    for criterion in criteria:
        plain = _plain(criterion.text)
        if len(plain) >= _LEAST_LENGTH:
            by_text.setdefault(plain, []).append(criterion)
    found = [*_equal(by_text), *_alike(by_text)]
    found.sort(key=lambda pair: (not pair.is_within_question, -pair.similarity))
    return tuple(found[:MOST_LISTED])


def _equal(by_text: dict[str, list[CriterionText]]) -> Iterator[NearDuplicate]:
    for same in by_text.values():
        firsts: dict[str, CriterionText] = {}
        for each in same:
            first = firsts.setdefault(each.item_id, each)
            if first is not each:
                yield NearDuplicate(first=first, second=each, similarity=100.0)
        for other in list(firsts.values())[1:]:
            yield NearDuplicate(first=same[0], second=other, similarity=100.0)


def _alike(by_text: dict[str, list[CriterionText]]) -> Iterator[NearDuplicate]:
    if len(by_text) <= MOST_COMPARED:
        yield from _alike_among(by_text, list(by_text))
        return
    by_question: dict[str, list[str]] = {}
    for plain, same in by_text.items():
        for item_id in dict.fromkeys(each.item_id for each in same):
            by_question.setdefault(item_id, []).append(plain)
    for item_id, texts in by_question.items():
        own = {plain: [each for each in by_text[plain] if each.item_id == item_id] for plain in texts}
        yield from _alike_among(own, texts)


def _alike_among(by_text: dict[str, list[CriterionText]], texts: Sequence[str]) -> Iterator[NearDuplicate]:
    if len(texts) < 2:
        return
    from rapidfuzz import fuzz, process

    in_order = [" ".join(sorted(text.split())) for text in texts]  # once, and not again for each pair
    telling = [sorted(_TELLING.findall(text)) for text in texts]
    for row, words in enumerate(in_order):
        alike = process.extract_iter(words, in_order[row + 1 :], scorer=fuzz.ratio, score_cutoff=SIMILAR)
        for _, similarity, further in alike:
            column = row + 1 + further
            if telling[row] == telling[column]:
                first, second = _closest(by_text[texts[row]], by_text[texts[column]])
                # In single precision, as rapidfuzz gives it for many at once, and as it has always been written.
                yield NearDuplicate(first=first, second=second, similarity=array("f", [similarity])[0])


def _closest(ones: Sequence[CriterionText], others: Sequence[CriterionText]) -> tuple[CriterionText, CriterionText]:
    """Return one of each, of the same question if there are such."""
    by_item = {each.item_id: each for each in reversed(others)}
    return next(((one, by_item[one.item_id]) for one in ones if one.item_id in by_item), (ones[0], others[0]))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .;,")
