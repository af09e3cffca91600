"""The area under the ROC curve of two groups of numbers: how surely the higher group is told by its numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from grader.statistics.estimate import Estimate
from grader.statistics.pairs import normal_quantile

_METHOD = "Mann-Whitney U over the pairs, ties half; score interval of Newcombe (2006, method 5)"


def area_under_curve(high: Sequence[float], low: Sequence[float]) -> Estimate:
    """Return the chance that a number of `high` is above one of `low`, ties counted half.

    `n` is the size of both groups together. The interval holds every area from which the one found is no further away
    than 1.96 standard errors of Hanley and McNeil, and so has a width even where the groups do not overlap.
    """
    n = len(high) + len(low)
    if not high or not low:
        return Estimate(n=n, value=None, method=_METHOD, reason="not computable: one of the two groups is empty")
    from scipy.stats import mannwhitneyu

    area = float(mannwhitneyu(high, low).statistic) / (len(high) * len(low))
    if n < 4:
        reason = "interval not computable from fewer than 4 scores"
        return Estimate(n=n, value=area, method=_METHOD, reason=reason)
    return Estimate(
        n=n,
        value=area,
        low=_limit(area, len(high), len(low), end=0.0),
        high=_limit(area, len(high), len(low), end=1.0),
        method=_METHOD,
    )


def _limit(area: float, high_count: int, low_count: int, *, end: float) -> float:
    """Return the area furthest towards `end` that goes with the one found."""
    from scipy.optimize import brentq

    if area == end:
        return end

    def excess(other: float) -> float:
        return abs(other - area) - normal_quantile() * _error(other, high_count, low_count)

    beside = area + (end - area) * 1e-9  # at 0 and at 1 itself the error is 0
    return float(brentq(excess, beside, end))


def _error(area: float, high_count: int, low_count: int) -> float:
    """Return the standard error of Hanley and McNeil, both groups taken to be of their mean size."""
    mean_count = (high_count + low_count) / 2
    spread = 1 + (mean_count - 1) * ((1 - area) / (2 - area) + area / (1 + area))
    return math.sqrt(max(0.0, area * (1 - area) * spread / (high_count * low_count)))
