"""Says how far a text agrees with another that is held to be right, by their words and numbers; no verdict yet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from grader.judging.baseline.measures import lacking, read_measures, without_measures
from grader.judging.baseline.statements import split_statements
from grader.judging.criterion_parts import Part, Term
from grader.judging.number_bounds import exactly
from grader.judging.term_search import term_strength
from grader.judging.text_matching import match_criterion
from grader.judging.text_tokens import fold, read_text, split_words

_ROUNDING = 0.01
"""How far two numbers may be apart to count as the same, relative to them."""

_WORD_WEIGHT = 0.25
"""What a word counts beside a number, as in `text_matching`."""

_CONTENT = re.compile(r"\w")
_SHORT = 6
"""Words up to which a text is about one thing, so that a `not` in it turns the whole around."""

_YES = r"yes|yeah|true|correct|ja|richtig|はい|是的|对的|正确"
_NO = r"no|not|false|incorrect|nein|nicht|falsch|いいえ|否|不是|没有|错误"
_LEAD = re.compile(rf"\W*(?:(?P<yes>{_YES})|(?P<no>{_NO}))(?![a-zäöü])")
_NEGATION = re.compile(
    r"\b(?:no|not|never|cannot|none|nicht|nein|nie|kein\w*)\b|n't\b|ない|ません|いいえ|なし|不(?![同仅但断])|没|无法|否"
)
_ONLY_A_WORD = re.compile(rf"\W*(?:{_YES}|{_NO})\W*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How much of what was expected a text says."""

    coverage: float
    """Share of the expected words and terms, by weight, from 0 to 1."""
    numbers: float
    """Share of the expected numbers that are not given by the question; 1 where there are none."""
    number_count: int
    """How many such numbers there are."""
    is_opposite: bool
    """Whether one says yes and the other no."""
    found: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    wrong_numbers: tuple[str, ...] = ()
    """Expected numbers that the text lacks."""


def compare(expected: str, text: str, *, given: str = "", tolerance: float = _ROUNDING) -> Agreement:
    """Return how far `text` agrees with `expected`; what `given` (the question) says already counts for less."""
    if not (_CONTENT.search(expected) and _CONTENT.search(text)):
        return Agreement(coverage=0.0, numbers=0.0, number_count=0, is_opposite=False)
    is_opposite = _is_opposite(expected, text)
    known = read_measures(given)
    own = lacking(read_measures(expected), known, 0.0)
    missing_numbers = lacking(own, read_measures(text), tolerance)
    numbers = 1 - len(missing_numbers) / len(own) if own else 1.0
    wording = without_measures(expected) if own else expected
    coverage, found, missing = _coverage(wording, text, given, is_opposite)
    word_weight = _WORD_WEIGHT * len(split_words(fold(wording))) if own else 1.0
    return Agreement(
        coverage=_mean([(word_weight, coverage), (len(own), numbers)]),
        numbers=numbers,
        number_count=len(own),
        is_opposite=is_opposite,
        found=found,
        missing=missing,
        wrong_numbers=tuple(measure.text for measure in missing_numbers),
    )


def covered(wanted: str, text: str) -> float:
    """Return the share of the statements in `wanted` that `text` takes up, from 0 to 1; 0 where there are none."""
    return _mean([(_weight(statement), match_criterion(statement, text).coverage) for statement in _parts(wanted)])


def _coverage(
    expected: str, text: str, given: str, is_opposite: bool
) -> tuple[float, tuple[str, ...], tuple[str, ...]]:
    expected = expected.strip()
    if _ONLY_A_WORD.fullmatch(expected.casefold()):
        return (0.0, (), (expected,)) if is_opposite else (1.0, (expected,), ())
    if (
        _CONTENT.search(expected) and len(split_words(fold(expected))) <= 1
    ):  # the B of a multiple choice is in every text, but not as a word
        is_said = term_strength(_as_term(expected), read_text(text)) == 1
        return (1.0, (expected,), ()) if is_said else (0.0, (), (expected,))
    if not _CONTENT.search(expected):
        return 0.0, (), ()
    matches = [(_weight(statement), match_criterion(statement, text, question=given)) for statement in _parts(expected)]
    found = tuple(term for _, match in matches for term in match.found)
    missing = tuple(term for _, match in matches for term in match.missing)
    return _mean([(weight, match.coverage) for weight, match in matches]), found, missing


def _as_term(text: str) -> Term:
    core = fold(text).strip(" .,;:!?()[]\"'`")
    return Term(text=core, parts=(Part(text=core, bound=exactly(core)),))


def _parts(text: str) -> tuple[str, ...]:
    return split_statements(text) or (text,)


def _weight(statement: str) -> int:
    return 1 + len(split_words(fold(statement)))


def _mean(weighted: Sequence[tuple[float, float]]) -> float:
    total = sum(weight for weight, _ in weighted)
    return sum(weight * value for weight, value in weighted) / total if total else 0.0


def _is_opposite(expected: str, text: str) -> bool:
    wanted, said = _stance(expected), _stance(text)
    if wanted is None:
        return False
    if said is None:  # a text that denies nothing does not say no
        return not wanted and not _NEGATION.search(fold(text))
    return wanted != said


def _stance(text: str) -> bool | None:
    """Return whether a text says yes or no, by its first word, or by a `not` in a short one."""
    folded = fold(text)
    lead = _LEAD.match(folded)
    if lead:
        return lead["yes"] is not None
    is_short = len(split_words(folded)) <= _SHORT
    return False if is_short and _NEGATION.search(folded) else None
