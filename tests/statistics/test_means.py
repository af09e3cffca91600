from __future__ import annotations

import math
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from grader.statistics.means import QuestionMeans, RunningMean, mean_of


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


@given(st.lists(st.sampled_from([0.0, 25.0, 50.0, 75.0, 100.0]), min_size=2, max_size=50))
def test_the_mean_lies_within_its_interval(numbers: list[float]) -> None:
    mean = mean_of(numbers, "score")
    assert mean.value is not None and math.isfinite(mean.value)
    if mean.low is not None and mean.high is not None:
        assert mean.low < mean.value < mean.high
        assert mean.value - mean.low == pytest.approx(mean.high - mean.value)
    else:
        assert len(set(numbers)) == 1


def question_means(scores: list[tuple[str, float]], ends: tuple[float, float] | None = None) -> QuestionMeans:
    means = QuestionMeans(ends)
    for question, score in scores:
        means.add(question, score)
    return means


def test_samples_of_a_question_are_averaged_before_they_count() -> None:
    scores = [("1", 100.0), ("1", 50.0), ("2", 25.0), ("3", 0.0), ("3", 0.0), ("3", 30.0)]
    means = question_means(scores)
    assert (means.n, means.score_count) == (3, 6)
    assert means.mean() == mean_of([75.0, 25.0, 10.0], "question's mean")


def test_samples_that_agree_do_not_narrow_the_interval() -> None:
    once = question_means([(str(n), 100.0 * (n % 3 == 0)) for n in range(30)]).mean()
    thrice = question_means([(str(n // 3), 100.0 * (n // 3 % 3 == 0)) for n in range(90)]).mean()
    assert (thrice.n, thrice.value, thrice.low, thrice.high) == (30, once.value, once.low, once.high)


def test_yes_and_no_get_wilsons_interval_on_their_scale() -> None:
    mean = question_means([(str(n), 100.0 * (n < 3)) for n in range(10)], (0, 100)).mean()
    low, high = proportion_confint(3, 10, method="wilson")
    assert (mean.value, mean.low, mean.high) == pytest.approx((30, 100 * low, 100 * high), abs=1e-9)
    assert "Wilson" in mean.method
    # Constant ones too, whose t interval cannot be computed.
    constant = question_means([("1", 100.0), ("2", 100.0)], (0, 100)).mean()
    assert constant.low is not None and constant.low < 100 == constant.high


def test_what_is_neither_yes_nor_no_gets_students() -> None:
    between = question_means([("1", 100.0), ("2", 50.0), ("3", 0.0)], (0, 100)).mean()
    sampled = question_means([("1", 100.0), ("1", 0.0), ("2", 0.0), ("3", 0.0)], (0, 100)).mean()
    assert "Student" in between.method and "Student" in sampled.method


def test_of_no_question_there_is_no_mean() -> None:
    assert (QuestionMeans().n, QuestionMeans((0, 1)).mean().value) == (0, None)


def test_intervals_cover_what_they_say() -> None:
    """Of 500 draws from the scores of a real benchmark, 92 % or more of Student's intervals hold the true mean."""
    source = random.Random(7)
    values, weights = [0.0, 25.0, 50.0, 100.0], [35, 10, 15, 40]
    truth = sum(value * weight for value, weight in zip(values, weights, strict=True)) / 100
    for n, fewest in ((10, 0.9), (120, 0.92)):
        held = 0
        for _ in range(500):
            mean = mean_of(source.choices(values, weights, k=n), "score")
            held += mean.low is not None and mean.high is not None and mean.low <= truth <= mean.high
        assert fewest <= held / 500 <= 0.99
