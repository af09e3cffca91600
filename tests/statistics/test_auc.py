from __future__ import annotations

import math

import numpy
import pytest

from grader.statistics.auc import area_under_curve


def hanley_mcneil(area: float, m: int, n: int) -> float:
    """Return the variance as Newcombe's method 5 writes it, both sizes replaced by their mean in the brackets."""
    size = (m + n) / 2
    return area * (1 - area) * (1 + (size - 1) * ((1 - area) / (2 - area) + area / (1 + area))) / (m * n)


def test_ties_count_half() -> None:
    found = area_under_curve([3, 2, 2], [1, 2])
    assert found.value == pytest.approx((2 + 1.5 + 1.5) / 6)
    assert found.n == 5


@pytest.mark.parametrize(
    ("high", "low"), [([1, 2, 3, 4, 5], [0, 1, 2, 3]), ([5] * 5, [1] * 5), ([1] * 4, [5] * 6), ([2, 3], [2, 3])]
)
def test_the_limits_are_as_far_away_as_their_errors_allow(high: list[float], low: list[float]) -> None:
    found = area_under_curve(high, low)
    assert found.value is not None and found.low is not None and found.high is not None
    assert 0 <= found.low <= found.value <= found.high <= 1
    for limit in (found.low, found.high):
        if limit not in (0, 1):
            error = math.sqrt(hanley_mcneil(limit, len(high), len(low)))
            assert abs(limit - found.value) == pytest.approx(1.959963984540054 * error, abs=1e-9)


def test_groups_that_do_not_overlap_still_have_an_interval() -> None:
    found = area_under_curve([5] * 5, [1] * 5)
    assert (found.value, found.high) == (1, 1)
    assert found.low is not None and 0.5 < found.low < 0.8


def test_what_cannot_be_computed_says_why() -> None:
    assert "empty" in area_under_curve([], [1.0]).reason
    few = area_under_curve([2.0], [1.0])
    assert few.value == 1 and few.low is None and "fewer than 4" in few.reason


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    generator = numpy.random.default_rng(7)
    truth = 0.5 * (1 + math.erf(1.5 / math.sqrt(2) / math.sqrt(2)))
    hits = 0
    for _ in range(400):
        found = area_under_curve(list(generator.normal(1.5, 1, 12)), list(generator.normal(0, 1, 12)))
        assert found.low is not None and found.high is not None
        hits += found.low <= truth <= found.high
    assert 0.92 <= hits / 400 <= 0.99
