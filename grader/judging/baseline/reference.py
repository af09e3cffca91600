"""The offline judge's opinion where there is a reference answer: correct or not, or how good; knows nothing itself."""

from __future__ import annotations

from dataclasses import dataclass

from grader.errors import JudgeError
from grader.judging.baseline.agreement import Agreement, compare
from grader.judging.baseline.length_limits import broken_limit
from grader.judging.baseline.opinion import BASELINE, Opinion, listed, on_scale
from grader.records import Item
from grader.rubric import Rubric

_NOTICE = f"{BASELINE} The words and numbers of the reference answer were looked up in the answer."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Threshold:
    coverage: float
    """Share of the reference's words and terms that must be there."""
    numbers: float
    """Share of its numbers that must be there."""
    tolerance: float
    """How far a number may be off, relative to it."""


_STRICTNESS = {
    "lenient": _Threshold(coverage=0.35, numbers=0.5, tolerance=0.05),
    "balanced": _Threshold(coverage=0.5, numbers=0.75, tolerance=0.01),
    "strict": _Threshold(coverage=0.75, numbers=1.0, tolerance=0.001),
}
_DEFAULT = "balanced"
_WRONG_NUMBERS = 0.6
"""What all numbers wrong take away of a score."""

_LIMIT_BROKEN = 0.25
"""What an answer that is too long loses: one step of five."""


def judge_correctness(item: Item, rubric: Rubric) -> Opinion:
    """Return whether the answer agrees with the reference, as strictly as the rubric or the item wants it."""
    word = item.fields.get("strictness", "").strip().casefold() or str(rubric.options.get("strictness", _DEFAULT))
    threshold = _STRICTNESS.get(word, _STRICTNESS[_DEFAULT])
    found = _compared(item, tolerance=threshold.tolerance)
    is_correct = not found.is_opposite and found.coverage >= threshold.coverage and found.numbers >= threshold.numbers
    wanted = f"{word} takes {threshold.coverage:.0%} of the reference and {threshold.numbers:.0%} of its numbers."
    values = {rubric.output.score: is_correct}
    return Opinion(notice=_NOTICE, values=values, reasons=(*_reasons(found), wanted))


def judge_likeness(item: Item, rubric: Rubric) -> Opinion:
    """Return how good the answer is beside the reference, on the rubric's scale."""
    found = _compared(item)
    share = 0.0 if found.is_opposite else found.coverage * (1 - _WRONG_NUMBERS * (1 - found.numbers))
    too_long = broken_limit(item.question, item.answer)
    score = on_scale(share - (_LIMIT_BROKEN if too_long else 0.0), rubric.scale)
    reasons = (*_reasons(found), *([f"It is longer than the question allows, with {too_long}."] if too_long else []))
    return Opinion(notice=_NOTICE, values={rubric.output.score: score}, reasons=reasons)


def _compared(item: Item, *, tolerance: float = 0.01) -> Agreement:
    if not item.reference.strip():
        raise JudgeError(
            "the item has no reference answer, which is all that the offline judge can go by", retryable=False
        )
    given = f"{item.fields.get('instruction', '')}\n{item.question}"
    return compare(item.reference, item.answer, given=given, tolerance=tolerance)


def _reasons(found: Agreement) -> list[str]:
    """Return what was found of the reference, in lines."""
    numbers = f", and {found.numbers:.0%} of its {found.number_count} numbers" if found.number_count else ""
    lines = [f"By weight, {found.coverage:.0%} of the reference is in the answer{numbers}."]
    if found.is_opposite:
        lines.append("One says yes where the other says no.")
    pieces = (listed("found", found.found), listed("missing", (*found.missing, *found.wrong_numbers)))
    return [*lines, *(f"Terms {piece}" for piece in pieces if piece)]
