"""The classes in which Summary counts scores: the scale's own values, or ten equal parts; counts nothing itself."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from grader.records import format_number
from grader.rubric import Scale

_MOST_CLASSES = 12
_PARTS = 10
_NEAR = 1e-9


@dataclass(frozen=True, slots=True)
class ScoreClass:
    """The scores from `low` up to, not including, `high`."""

    label: str
    low: float
    high: float


def score_classes(scale: Scale) -> tuple[ScoreClass, ...]:
    """Return the classes of a scale, lowest first."""
    values = scale.override_choices()
    if values and len(values) <= _MOST_CLASSES:
        return tuple(ScoreClass(format_number(value), value - _NEAR, value + _NEAR) for value in values)
    edges = [scale.min + (scale.max - scale.min) * part / _PARTS for part in range(_PARTS + 1)]
    return tuple(_part(low, high, scale) for low, high in pairwise(edges))


def is_closed(scale: Scale) -> bool:
    """Return whether a score can only be one of the values that are offered."""
    return scale.step is not None and not scale.choices and bool(scale.override_choices())


def class_index(classes: tuple[ScoreClass, ...], score: float) -> int | None:
    """Return the place of the class that holds `score`; `None` for a value between the scale's own."""
    return next((place for place, each in enumerate(classes) if each.low <= score < each.high), None)


def _part(low: float, high: float, scale: Scale) -> ScoreClass:
    if high >= scale.max:
        return ScoreClass(f"{format_number(low)} to {format_number(scale.max)}", low - _NEAR, scale.max + _NEAR)
    return ScoreClass(f"{format_number(low)} to <{format_number(high)}", low - _NEAR, high - _NEAR)
