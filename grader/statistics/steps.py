"""How far apart two scores of a scale may be to count as near; compares none."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from grader.records import format_number
from grader.rubric import Scale


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A distance on a scale, and where it comes from in words."""

    distance: float
    words: str
    """`one step of the scale (1)`."""


def score_step(scale: Scale) -> Step:
    """Return one step of the scale, else the even distance of three or more offered values, else a tenth of it."""
    if scale.step is not None:
        return _step(scale.step, "one step of the scale")
    gaps = {round(high - low, 10) for low, high in pairwise(sorted(scale.choices))}
    if len(gaps) == 1 and len(scale.choices) > 2:
        return _step(gaps.pop(), "one step of the offered scores")
    return _step((scale.max - scale.min) / 10, "a tenth of the scale")


def _step(distance: float, words: str) -> Step:
    return Step(distance=distance, words=f"{words} ({format_number(distance)})")
