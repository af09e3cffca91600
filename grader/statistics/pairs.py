"""Measures of how far the two numbers of each pair agree; knows nothing of who gave them.

A pair is (first, second), as in (judge, expert); numbers must be finite. What a measure needs beyond numpy and scipy
is in the extra `stats`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from grader.statistics.estimate import Estimate
from grader.statistics.means import mean_of
from grader.statistics.proportions import proportion as proportion

Pairs = Sequence[tuple[float, float]]

NEEDS_STATS = "not computable: install grader[stats]"
TOO_FEW = "not computable: fewer than 2 pairs"
_SAME_PAIRS = "interval not computable: the two ratings of every pair are the same"
_MOST_VALUES = 500
"""Different numbers for which a table of all against all is still small; kappa is meant for far fewer."""
_NEAR = 1e-9


def share_within(pairs: Pairs, distance: float, method: str = "share of the pairs") -> Estimate:
    """Return the share of pairs no further apart than `distance`, with Wilson's interval."""
    near = sum(abs(first - second) <= distance + _NEAR for first, second in pairs)
    return proportion(near, len(pairs), method)


def weighted_kappa(pairs: Pairs) -> Estimate:
    """Return Cohen's kappa, a disagreement weighing as the square of the distance between the two numbers.

    Values that never occur carry no weight, so the categories of a scale make no difference to those that occur.
    The interval is the large-sample one of Fleiss, Cohen and Everitt (1969).
    """
    method = (
        "Cohen's kappa over the values that occur, weights by the squared distance between them; large-sample interval"
    )
    reason = _why_not(pairs)
    values = sorted({round(number, 10) for pair in pairs for number in pair})
    if not reason and len(values) > _MOST_VALUES:
        reason = f"not computable: {len(values):,} different scores, more than the {_MOST_VALUES} of a kappa"
    if reason:
        return Estimate(n=len(pairs), value=None, method=method, reason=reason)
    try:
        import numpy
        from statsmodels.stats.inter_rater import cohens_kappa
    except ImportError:
        return Estimate(n=len(pairs), value=None, method=method, reason=NEEDS_STATS)
    places = {value: place for place, value in enumerate(values)}
    table = numpy.zeros((len(values), len(values)))
    for first, second in pairs:
        table[places[round(first, 10)], places[round(second, 10)]] += 1
    # The variance wants weights of at most 1.
    weights = (numpy.array(values) - values[0]) / (values[-1] - values[0])
    result = cohens_kappa(table, weights=weights, wt="quadratic")
    return _with_interval(pairs, float(result.kappa), float(result.std_kappa), method)


def spearman(pairs: Pairs) -> Estimate:
    """Return Spearman's rank correlation, with the interval of Bonett and Wright (2000) on Fisher's z."""
    n, method = len(pairs), "Spearman's rank correlation; interval on Fisher's z (Bonett and Wright)"
    reason = _why_not(pairs)
    if reason:
        return Estimate(n=n, value=None, method=method, reason=reason)
    value = min(1.0, max(-1.0, _rank_correlation(pairs)))
    if n < 4:
        return Estimate(n=n, value=value, method=method, reason="interval not computable from fewer than 4 pairs")
    if abs(value) > 1 - _NEAR:
        reason = "interval not computable: both put the items in the same or in just the opposite order"
        return Estimate(n=n, value=value, method=method, reason=reason)
    centre, half = math.atanh(value), normal_quantile() * math.sqrt((1 + value**2 / 2) / (n - 3))
    return Estimate(n=n, value=value, low=math.tanh(centre - half), high=math.tanh(centre + half), method=method)


def _rank_correlation(pairs: Pairs) -> float:
    """Return Pearson's correlation of the ranks, to the last bit that of scipy.stats.

    To import that takes 0.4 s and 45 MB, at the end of each run whose scores differ.
    """
    centre, share = (len(pairs) + 1) / 2, 1 / (len(pairs) - 1)
    first, second = ([rank - centre for rank in _ranks(numbers)] for numbers in zip(*pairs, strict=True))
    both, ones, others = (
        sum(x * y for x, y in zip(left, right, strict=True)) * share
        for left, right in ((first, second), (first, first), (second, second))
    )
    return both / math.sqrt(others) / math.sqrt(ones)


def _ranks(numbers: Sequence[float]) -> list[float]:
    """Return the place of each number among them, from 1; equal ones share the middle of theirs."""
    ranks: dict[float, float] = {}
    below = 0
    for number, count in sorted(Counter(numbers).items()):
        ranks[number] = below + (count + 1) / 2
        below += count
    return [ranks[number] for number in numbers]


def mean_difference(pairs: Pairs) -> Estimate:
    """Return the mean of second minus first, in points of the scale."""
    return mean_of((second - first for first, second in pairs), "difference")


def mean_distance(pairs: Pairs) -> Estimate:
    """Return the mean absolute difference, in points of the scale."""
    return mean_of((abs(second - first) for first, second in pairs), "difference")


def normal_quantile() -> float:
    """Return the quantile of the normal distribution that leaves 2.5 % above it: half of what `CONFIDENCE` leaves."""
    return 1.959963984540054  # `statistics.NormalDist` misses the last digit, and SciPy takes long to import


def _with_interval(pairs: Pairs, value: float, error: float, method: str) -> Estimate:
    if all(abs(first - second) < _NEAR for first, second in pairs):
        return Estimate(n=len(pairs), value=value, method=method, reason=_SAME_PAIRS)
    half = normal_quantile() * error
    return Estimate(n=len(pairs), value=value, low=max(-1.0, value - half), high=min(1.0, value + half), method=method)


def _why_not(pairs: Pairs) -> str:
    if len(pairs) < 2:
        return TOO_FEW
    if any(max(numbers) - min(numbers) < _NEAR for numbers in zip(*pairs, strict=True)):
        return "not computable: one of the two gives all items the same"
    return ""
