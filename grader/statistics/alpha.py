"""Krippendorff's alpha of any number of raters, with a bootstrap interval; knows nothing of who they are.

The formula is ours because the package krippendorff holds a table of all values against all values for every item:
100 GB for 2,000 items with scores of their own. Tests hold it to that package's figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from grader.statistics.estimate import CONFIDENCE, Estimate

if TYPE_CHECKING:
    import numpy

    Sums = numpy.ndarray[Any, Any]
    """A row for each question: its ratings' count, sum, sum of squares, and disagreement within units."""

RESAMPLES = 2000
SEED = 20240229
_CELLS_AT_ONCE = 2_000_000
"""Numbers drawn in one piece: 16 MB."""
_NEAR = 1e-12

Unit = Sequence[float]
"""All ratings of one thing; fewer than two say nothing of agreement."""


def krippendorff_alpha(units: Mapping[str, Sequence[Unit]]) -> Estimate:
    """Return alpha over all raters together; a rating may be missing anywhere. Its n counts units of two or more.

    `units` are the units by the question that they belong to: the interval is the percentile bootstrap over
    questions, so all that was rated of one question is drawn together. The level is interval; for ratings of 0 and 1
    the nominal level is the same, and named.
    """
    questions = [[unit for unit in group if len(unit) > 1] for group in units.values()]
    questions = [group for group in questions if group]
    values = {value for group in questions for unit in group for value in unit}
    level = "nominal" if values <= {0, 1} else "interval"
    method = f"Krippendorff's alpha, {level} level; bootstrap over questions ({RESAMPLES:,} resamples, seed {SEED})"
    n = sum(map(len, questions))
    if n < 2:
        return Estimate(n=n, value=None, method=method, reason="not computable: fewer than 2 items have two ratings")
    if max(values) - min(values) < _NEAR:
        return Estimate(n=n, value=None, method=method, reason="not computable: all ratings are the same")
    sums = _sums(questions)
    value = _alphas(sums.sum(axis=0)[None])[0]
    if not sums[:, 3].any():
        return Estimate(n=n, value=1.0, method=method, reason="interval not computable: all raters always agree")
    if len(questions) < 2:
        return Estimate(n=n, value=value, method=method, reason="interval not computable from one question")
    low, high = _interval(sums)
    return Estimate(n=n, value=value, low=low, high=high, method=method)


def _interval(sums: Sums) -> tuple[float, float]:
    import numpy

    source, count = numpy.random.default_rng(SEED), len(sums)
    at_once = max(1, _CELLS_AT_ONCE // count)
    alphas: list[float] = []
    for start in range(0, RESAMPLES, at_once):
        draws = source.integers(count, size=(min(at_once, RESAMPLES - start), count))
        alphas += _alphas(numpy.stack([column[draws].sum(axis=1) for column in sums.T], axis=1))
    low, high = numpy.quantile(alphas, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def _sums(questions: Sequence[Sequence[Unit]]) -> Sums:
    """Return each question's sums, of distances from the mean of all so that no digits are lost in the squares."""
    import numpy

    centre = float(numpy.mean([value for group in questions for unit in group for value in unit]))
    return numpy.array([_question_sums(group, centre) for group in questions])


def _question_sums(units: Sequence[Unit], centre: float) -> tuple[float, float, float, float]:
    values = [value - centre for unit in units for value in unit]
    # A unit's squared distances, pair by pair, are as many times its ratings' squared distances from their mean.
    within = 0.0
    for unit in units:
        mean = sum(unit) / len(unit)
        within += 2 * len(unit) * sum((value - mean) ** 2 for value in unit) / (len(unit) - 1)
    return len(values), sum(values), sum(value**2 for value in values), within


def _alphas(totals: Sums) -> list[float]:
    """Return 1 - D_o / D_e for each row of summed sums; rows of equal ratings have none and are left out.

    D_o and D_e are the mean squared distances of two ratings within units and among all.
    """
    n, total, squares, within = totals.T
    among = 2 * (n * squares - total**2) / (n - 1)
    is_varied = among > _NEAR * n * squares
    return [float(value) for value in 1 - within[is_varied] / among[is_varied]]
