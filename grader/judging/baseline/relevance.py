"""The offline judge's three numbers of relevance, from the reference, the context and the question's words."""

from __future__ import annotations

import re

from grader.errors import JudgeError
from grader.judging.baseline.agreement import compare, covered
from grader.judging.baseline.opinion import BASELINE, Opinion, on_scale
from grader.records import Item
from grader.rubric import Rubric

PARTS = ("accuracy", "comprehensiveness", "context_precision")
_NOTICE = (
    f"{BASELINE} Accuracy is how much of the answer is found in the context or the reference, context "
    "precision how much of the relevant passages is in it, comprehensiveness the same, or how much of the question is."
)
_ENOUGH = 0.7
"""Share of the words from which something counts as wholly taken up: texts put the same thing in other words."""

_SUPPLEMENT = 0.5
"""How much of the accuracy depends on a context that is only a supplement."""

_WRONG_NUMBERS = 0.6
_MARK = re.compile(r"\((?:covered by|covered in part by|not found in) the answer\)\s*$", re.MULTILINE)
"""What the Context Analyzer says of each passage."""


def judge_relevance(item: Item, rubric: Rubric) -> Opinion:
    """Return the three dimensions and the final score that follows from them."""
    context = item.fields.get("context", "")
    precision = _context_precision(item, context)
    shares = {
        "accuracy": _accuracy(item, context, rubric),
        "comprehensiveness": max(precision, _enough(covered(item.question, item.answer))),
        "context_precision": precision,
    }
    numbers = {name: on_scale(share, rubric.part(name).scale or rubric.scale) for name, share in shares.items()}
    values = dict(numbers)
    if rubric.output.score not in numbers:
        values[rubric.output.score] = _final(numbers)
    return Opinion(notice=_NOTICE, values=values)


def _accuracy(item: Item, context: str, rubric: Rubric) -> float:
    """Return how far the answer is borne out: by the reference, or by the context in its role."""
    if item.reference.strip():
        found = compare(item.reference, item.answer, given=item.question)
        return 0.0 if found.is_opposite else _enough(found.coverage) * (1 - _WRONG_NUMBERS * (1 - found.numbers))
    if not context.strip():
        raise JudgeError(
            "the item has neither context nor reference answer, and the offline judge has nothing else to go by",
            retryable=False,
        )
    supported = _supported(item.answer, context)
    role = item.fields.get("context_role", "").strip().casefold() or rubric.options.get("context_role")
    if role == "supplementary":
        return (1 - _SUPPLEMENT) + _SUPPLEMENT * supported if supported else 0.0
    return supported


def _supported(answer: str, context: str) -> float:
    """Return how much of the answer the context says, less for numbers that it does not have."""
    found = compare(answer, context)
    return _enough(found.coverage) * (1 - _WRONG_NUMBERS * (1 - found.numbers))


def _context_precision(item: Item, context: str) -> float:
    if not context.strip():
        return 0.0
    passages = _MARK.sub("", item.fields.get("context_passages", ""))
    return _enough(covered(passages, item.answer)) if passages.strip() else _supported(item.answer, context)


def _enough(share: float) -> float:
    return min(1.0, share / _ENOUGH)


def _final(numbers: dict[str, float]) -> float:
    """Return the final score of three numbers.

    This repeats what `scoring.rules.relevance` knows: a judge is asked for it, and judging may not import scoring.
    """
    accuracy, *others = (numbers[name] for name in PARTS)
    if accuracy <= 2:
        others = [min(4.0, number) for number in others]
    return round((accuracy + sum(others)) / 30, 1)
