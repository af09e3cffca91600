"""The `Rating`, one number that a judge or an expert gave, and all ratings by what was rated; compares none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

JUDGE = "judge"
"""The rater's name of whatever judged the run; no expert may have it."""

EXPERTS = "experts"
"""The name of the mean of several experts."""

CriterionPlace = tuple[float | None, int]
"""Level and number of a criterion within its item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """One number that one rater gave."""

    system: str
    item_id: str
    sample: int = 1
    criterion: CriterionPlace | None = None
    """`None` for a score of the whole answer."""
    rater: str
    """`JUDGE`, or an expert's name."""
    score: float
    """On the rubric's scale; of a criterion 1 for met and 0 for not met."""
    is_blind: bool = False
    """Of an expert: whether the rater had not seen what the judge gave. Of the judge it says nothing."""


class Unit(NamedTuple):
    """What is rated: one answer, or one criterion of it."""

    system: str
    item_id: str
    criterion: CriterionPlace | None


RatedUnits = Mapping[Unit, Mapping[str, float]]
"""What each rater gave to each unit."""


def rated_units(ratings: Iterable[Rating]) -> RatedUnits:
    """Return what each rater gave to each unit, the mean where a rater gave several, as of several samples."""
    given: dict[Unit, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for rating in ratings:
        given[Unit(rating.system, rating.item_id, rating.criterion)][rating.rater].append(rating.score)
    return {
        unit: {rater: sum(scores) / len(scores) for rater, scores in raters.items()} for unit, raters in given.items()
    }


def experts_of(units: RatedUnits) -> tuple[str, ...]:
    """Return the names of all raters but the judge, in the order of the alphabet."""
    return tuple(sorted({rater for raters in units.values() for rater in raters} - {JUDGE}))


def experts_mean(raters: Mapping[str, float]) -> float | None:
    """Return the mean of what the experts gave to one unit; `None` where none did."""
    scores = [score for rater, score in raters.items() if rater != JUDGE]
    return sum(scores) / len(scores) if scores else None
