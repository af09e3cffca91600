"""The arithmetic from met criteria to a score, the same for a judge's verdicts and an expert's; reads no reply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from grader.records import CriterionVerdict, Item
from grader.rubric import Rubric


def tiered_score(verdicts: Sequence[CriterionVerdict], item: Item, rubric: Rubric) -> float:
    """Return the highest level with a met criterion times the criteria met there, within the scale."""
    met = Counter(verdict.level for verdict in verdicts if verdict.met and verdict.level is not None)
    if not met:
        return rubric.scale.min
    level = max(met)
    return min(rubric.scale.max, met[level] * rubric.level_points(level))


def points_score(verdicts: Sequence[CriterionVerdict], item: Item, rubric: Rubric) -> float:
    """Return the scale's top times the share of the positive points reached, within the scale.

    Raises:
        ValueError: none of the criteria has positive points.
    """
    possible = sum(criterion.points for criterion in item.criteria if criterion.points > 0)
    if possible <= 0:
        raise ValueError("None of the criteria has positive points.")
    met = {(verdict.level, verdict.number) for verdict in verdicts if verdict.met}
    reached = sum(each.points for each in item.criteria if (each.level, each.number) in met)
    return rubric.scale.max * min(possible, max(0.0, reached)) / possible


CRITERION_SCORES: Mapping[str, Callable[[Sequence[CriterionVerdict], Item, Rubric], float]] = {
    "tiered-items": tiered_score,
    "points": points_score,
}
"""By the rubric's rule: those whose score follows from what is said of each criterion."""


def has_criterion_verdicts(rubric: Rubric) -> bool:
    """Return whether a score by this rubric follows from its criteria, so that an expert may override each."""
    return rubric.rule in CRITERION_SCORES
