"""The Evaluation Calculator of relevance: caps and the final score from three numbers (RUBRICS, relevance)."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from grader.records import Item, Verdict
from grader.rubric import Rubric, Scale
from grader.scoring.numbers import parse_score
from grader.scoring.reading import Reading, UnreadableReply

DIMENSIONS = ("accuracy", "comprehensiveness", "context_precision")
_SCALE = Scale(min=0, max=10, step=1)
_LOW_ACCURACY = 2
_CAP = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The three dimensions as they count, the final score from 0.0 to 1.0, and what the calculation changed."""

    accuracy: float
    comprehensiveness: float
    context_precision: float
    final: float
    flags: tuple[str, ...] = ()


def evaluate(
    accuracy: float, comprehensiveness: float, context_precision: float, *, has_context: bool = True
) -> Evaluation:
    """Return the evaluation of three numbers from 0 to 10.

    Without a context its precision is 0 (`no_context`); an accuracy of 2 or less caps the others at 4 (`capped`);
    the final score is their sum over 30, rounded to one decimal.

    Raises:
        ValueError: a number is not a whole one from 0 to 10.
    """
    for number in (accuracy, comprehensiveness, context_precision):
        if not _SCALE.contains(number):
            raise ValueError(f"{number} is not a whole number from 0 to 10")
    flags = []
    if not has_context:
        context_precision = 0
        flags.append("no_context")
    if accuracy <= _LOW_ACCURACY and max(comprehensiveness, context_precision) > _CAP:
        comprehensiveness, context_precision = min(comprehensiveness, _CAP), min(context_precision, _CAP)
        flags.append("capped")
    final = round((accuracy + comprehensiveness + context_precision) / 30, 1)
    return Evaluation(
        accuracy=accuracy,
        comprehensiveness=comprehensiveness,
        context_precision=context_precision,
        final=final,
        flags=tuple(flags),
    )


def score_relevance(reading: Reading, item: Item, rubric: Rubric) -> Verdict:
    """Return the final score of the judge's three numbers; its own final score is only compared.

    Raises:
        UnreadableReply: a dimension is missing, no number, or off its scale.
    """
    missing = [name for name in DIMENSIONS if not reading.values.get(name)]
    if missing:
        raise UnreadableReply(f"The reply has no line for {', '.join(name.replace('_', ' ') for name in missing)}.")
    numbers = [parse_score(reading.values[name], _SCALE) for name in DIMENSIONS]
    evaluation = evaluate(*numbers, has_context=bool(item.fields.get("context", "").strip()))
    is_recomputed = _judges_final(reading, rubric) != evaluation.final
    return Verdict(
        status=reading.status,
        score=evaluation.final,
        flags=(*evaluation.flags, *(("final_recomputed",) if is_recomputed else ())),
        dimensions={name: getattr(evaluation, name) for name in DIMENSIONS},
        analysis=reading.analysis,
    )


def _judges_final(reading: Reading, rubric: Rubric) -> float | None:
    with contextlib.suppress(UnreadableReply):
        return parse_score(reading.values.get(rubric.output.score, ()), rubric.scale)
    return None
