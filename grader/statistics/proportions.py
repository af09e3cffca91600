"""Shares of yes and no with Wilson's interval; knows nothing of what is counted."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

from grader.statistics.estimate import CONFIDENCE, Estimate


def proportion(count: int, n: int, method: str) -> Estimate:
    """Return `count` of `n` as a share, with Wilson's interval; it never leaves 0 to 1."""
    method = f"{method}; Wilson interval"
    if n == 0:
        return Estimate(n=0, value=None, method=method, reason="not computable: there are no pairs")
    low, high = wilson_interval(count, n)
    return Estimate(n=n, value=count / n, low=low, high=high, method=method)


def wilson_interval(count: int, n: int) -> tuple[float, float]:
    """Return the ends of Wilson's interval of the share `count` of `n`, of which there is at least one."""
    # Written out, because SciPy takes longer to import than a run of a thousand answers takes to be written.
    z2 = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) ** 2
    share = count / n
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n**2))) / (1 + z2 / n)
    return (0.0 if count == 0 else centre - half), (1.0 if count == n else centre + half)


def share_of_tops(tops: int, n: int, ends: tuple[float, float]) -> Estimate:
    """Return the mean of `n` scores of which `tops` are the higher of the two `ends` and all others the lower."""
    floor, span = ends[0], ends[1] - ends[0]
    low, high = (floor + span * each for each in wilson_interval(tops, n))
    method = "mean of yes and no with Wilson interval"
    return Estimate(n=n, value=floor + span * tops / n, low=low, high=high, method=method)
