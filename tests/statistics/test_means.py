from __future__ import annotations

import math
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from grader.statistics.means import RunningMean, mean_of, t_quantile


def test_of_nothing_there_is_no_mean() -> None:
    assert (RunningMean().value, RunningMean().mean().value) == (0, None)
    assert RunningMean().mean().reason == "nothing is scored"
    empty = mean_of([], "difference")
    assert (empty.n, empty.value, empty.reason) == (0, None, "not computable: there is no difference")


def test_of_one_there_is_no_interval_and_it_says_why() -> None:
    mean = mean_of([50], "score")
    assert (mean.n, mean.value, mean.low, mean.high) == (1, 50, None, None)
    assert "one" in mean.reason


@pytest.mark.parametrize("numbers", [[0.0, 0.0], [50.0] * 100, [0.1] * 1000, [1e9 + 0.1] * 7, [-3.3] * 3])
def test_of_equal_numbers_there_is_no_interval_and_it_says_why(numbers: list[float]) -> None:
    mean = mean_of(numbers, "score")
    assert mean.value == pytest.approx(numbers[0])
    assert (mean.low, mean.high) == (None, None)
    assert "the same" in mean.reason


@pytest.mark.parametrize("n", [2, 3, 10, 120, 5000])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_the_interval_is_students(n: int, offset: float) -> None:
    source = random.Random(n)
    numbers = [offset + source.choice([0, 25, 50, 100]) * source.random() for _ in range(n)]
    mean = mean_of(numbers, "score")
    low, high = stats.t.interval(0.95, n - 1, loc=statistics.fmean(numbers), scale=stats.sem(numbers))
    assert mean.value == pytest.approx(statistics.fmean(numbers), rel=1e-12)
    assert mean.low == pytest.approx(low, rel=1e-9, abs=1e-9)
    assert mean.high == pytest.approx(high, rel=1e-9, abs=1e-9)
    assert mean.reason == ""


def test_whole_scores_have_an_exact_mean() -> None:
    assert mean_of([100, 50, 0, 25, 25, 100], "score").value == 50


def test_the_quantile() -> None:
    assert t_quantile(1) == pytest.approx(12.706204736, abs=1e-9)
    assert t_quantile(10**6) == pytest.approx(1.96, abs=1e-4)


@given(st.lists(st.sampled_from([0.0, 25.0, 50.0, 75.0, 100.0]), min_size=2, max_size=50))
def test_the_mean_lies_within_its_interval(numbers: list[float]) -> None:
    mean = mean_of(numbers, "score")
    assert mean.value is not None and math.isfinite(mean.value)
    if mean.low is not None and mean.high is not None:
        assert mean.low < mean.value < mean.high
        assert mean.value - mean.low == pytest.approx(mean.high - mean.value)
    else:
        assert len(set(numbers)) == 1
