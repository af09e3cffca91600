"""Means and shares of things of which several belong to one question: the questions are the draw, not the things."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from grader.statistics.estimate import Estimate
from grader.statistics.means import mean_of
from grader.statistics.pairs import normal_quantile
from grader.statistics.proportions import proportion
from grader.statistics.student_t import t_quantile

Clusters = Sequence[Sequence[float]]
"""The numbers of each question."""
_NEAR = 1e-12


def clustered_mean(clusters: Clusters, noun: str) -> Estimate:
    """Return the mean of all numbers, each a `noun`, with the interval that the spread between questions gives."""
    numbers = [number for cluster in clusters for number in cluster]
    plain = mean_of(numbers, noun)
    if len(numbers) == len(clusters) or plain.value is None or plain.low is None:
        return plain
    method = "mean with Student's t interval, the questions being what was drawn"
    error = _error(clusters, plain.value)
    if error is None:
        return replace(plain, low=None, high=None, method=method, reason=_NO_INTERVAL)
    half = t_quantile(len(clusters) - 1) * error
    return replace(plain, low=plain.value - half, high=plain.value + half, method=method)


def clustered_share(clusters: Clusters, method: str) -> Estimate:
    """Return the share of ones among noughts and ones, with Wilson's interval of as many as they are worth.

    Several of one question that go together are worth less than as many questions; never more.
    """
    numbers = [number for cluster in clusters for number in cluster]
    plain = proportion(round(sum(numbers)), len(numbers), method)
    error = None if plain.value is None else _error(clusters, plain.value)
    if len(numbers) == len(clusters) or plain.value is None or error is None:
        return plain
    worth = min(len(numbers), plain.value * (1 - plain.value) / error**2)
    low, high = _wilson(plain.value, worth)
    method = f"{method}; Wilson interval, the questions being what was drawn (worth {worth:.0f} of {len(numbers)})"
    return replace(plain, low=low, high=high, method=method)


_NO_INTERVAL = "interval not computable: all questions have the same mean, or there is but one"


def _error(clusters: Clusters, mean: float) -> float | None:
    """Return the standard error of the mean of all numbers, robust to what goes together within a question."""
    count, total = len(clusters), sum(map(len, clusters))
    squares = sum((sum(cluster) - len(cluster) * mean) ** 2 for cluster in clusters)
    if count < 2 or squares < _NEAR:
        return None
    return math.sqrt(squares * count / (count - 1)) / total


def _wilson(share: float, n: float) -> tuple[float, float]:
    z = normal_quantile()
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return centre - half, centre + half
