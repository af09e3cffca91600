"""Decides whether an answer meets a criterion by looking its terms and wording up; understands neither.

The rule: what a criterion names as it stands (quoted terms, options, names, numbers) counts four times as much as a
word of its wording, half of that where the question names it too. A criterion is met from 60 % of this evidence, if no
term is missing that the question does not give away. The five numbers below were set on recorded judgements
(`benchmarks/offline_agreement.py`) to round values in the middle of what works about equally well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from grader.judging.criterion_parts import Alternative, Word, parse_criterion
from grader.judging.term_search import numbers_hold, term_strength
from grader.judging.text_tokens import ReadText, fold, read_text

THRESHOLD = 0.6
"""Share of the evidence from which a criterion is met: judges let paraphrase pass, but not half a criterion."""

_TERM_WEIGHT = 1.0
_WORD_WEIGHT = 0.25
"""A word of the wording: four of them make up for a term, as any answer on the subject has some of them."""

_ASKED_TERM_WEIGHT = 0.5
"""A term that stands in the question: an answer has it from there, so that it says less."""

_LEAST_STRENGTH = 0.25
"""Below this a term is missing; a command with half its parts, or a name written with spaces, is not."""

_WINDOW_SENTENCES = 3
"""Wording is looked up in a sentence and its neighbours: scattered over a long answer the same words mean nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Whether an answer meets a criterion, and on what evidence."""

    is_met: bool
    coverage: float
    """Weighted share of the criterion's evidence in the answer, from 0 to 1; also where it must not be there."""
    found: tuple[str, ...] = ()
    partly: tuple[str, ...] = ()
    """Terms of which a part is there, or which are there in another spelling."""
    missing: tuple[str, ...] = ()
    is_negated: bool = False
    """The criterion wants all this not to be there: `does not mention …`."""


@dataclass(frozen=True, slots=True)
class _Evidence:
    text: str
    weight: float
    strength: float
    is_required: bool = False


def match_criterion(criterion_text: str, answer: str, *, question: str = "") -> Match:
    """Return whether `answer` meets `criterion_text`; terms that `question` has count for less.

    An answer that repeats the criterion meets it, an empty one meets none.
    """
    text, asked = read_text(answer), read_text(question)
    if not text.folded.strip():
        return Match(is_met=False, coverage=0.0)
    parts = parse_criterion(criterion_text)
    if parts.is_negated:
        match = _match_best(parts.alternatives, text, asked)
        return replace(match, is_met=not match.is_met, is_negated=True)
    verbatim = fold(criterion_text).strip()
    if verbatim and verbatim in text.folded:
        return Match(is_met=True, coverage=1.0, found=(criterion_text.strip(),))
    return _match_best(parts.alternatives, text, asked)


def _match_best(alternatives: tuple[Alternative, ...], text: ReadText, asked: ReadText) -> Match:
    matches = (_match(alternative, text, asked) for alternative in alternatives)
    return max(matches, key=lambda match: (match.is_met, match.coverage))


def _match(alternative: Alternative, text: ReadText, asked: ReadText) -> Match:
    evidence = (*_term_evidence(alternative, text, asked), *_word_evidence(alternative.words, text))
    total = sum(piece.weight for piece in evidence)
    coverage = sum(piece.weight * piece.strength for piece in evidence) / total if total else 0.0
    is_any_missing = any(piece.is_required and piece.strength < _LEAST_STRENGTH for piece in evidence)
    return Match(
        is_met=coverage >= THRESHOLD and not is_any_missing,
        coverage=coverage,
        found=tuple(piece.text for piece in evidence if piece.strength == 1),
        partly=tuple(piece.text for piece in evidence if 0 < piece.strength < 1),
        missing=tuple(piece.text for piece in evidence if piece.strength == 0),
    )


def _term_evidence(alternative: Alternative, text: ReadText, asked: ReadText) -> Iterator[_Evidence]:
    for term in alternative.terms:
        is_asked = term_strength(term, asked) == 1
        weight = _ASKED_TERM_WEIGHT if is_asked else _TERM_WEIGHT
        yield _Evidence(term.text, weight, term_strength(term, text), is_required=not is_asked)
    for bound in alternative.bounds:
        yield _Evidence(bound.text, _TERM_WEIGHT, float(numbers_hold(bound, text)))


def _word_evidence(words: tuple[Word, ...], text: ReadText) -> Iterator[_Evidence]:
    """Return how the words do in the three sentences that have most of them."""
    starts = range(max(1, len(text.sentences) - _WINDOW_SENTENCES + 1))
    windows = (frozenset[str]().union(*text.sentences[start : start + _WINDOW_SENTENCES]) for start in starts)
    best = max(([not window.isdisjoint(word.stems) for word in words] for window in windows), key=sum)
    for word, is_found in zip(words, best, strict=True):
        yield _Evidence(word.text, _WORD_WEIGHT, float(is_found))
