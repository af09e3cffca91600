from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from statsmodels.stats.proportion import proportion_confint

from grader.statistics.clusters import clustered_mean, clustered_share
from grader.statistics.means import mean_of
from grader.statistics.proportions import proportion


def clusters(seed: int, count: int) -> list[list[float]]:
    source = np.random.default_rng(seed)
    return [(source.normal(0, 10) + source.normal(0, 3, size=1 + place % 4)).tolist() for place in range(count)]


@pytest.mark.parametrize("count", [3, 25, 120])
def test_the_error_is_statsmodels_robust_one(count: int) -> None:
    made = clusters(count, count)
    numbers = np.concatenate([np.array(each) for each in made])
    groups = np.repeat(np.arange(count), [len(each) for each in made])
    fit = sm.OLS(numbers, np.ones(len(numbers))).fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
    found = clustered_mean(made, "difference")
    low, high = fit.conf_int()[0]
    assert (found.value, found.low, found.high) == pytest.approx((fit.params[0], low, high), abs=1e-9)
    assert found.n == len(numbers)


def test_without_repeats_it_is_the_plain_one() -> None:
    assert clustered_mean([[1.0], [2.0], [4.0]], "score") == mean_of([1, 2, 4], "score")
    assert clustered_share([[1.0], [0.0], [1.0]], "share") == proportion(2, 3, "share")
    assert clustered_share([], "share") == proportion(0, 0, "share")


def test_what_goes_together_is_worth_as_many_as_there_are_questions() -> None:
    questions = [float(place % 3 == 0) for place in range(30)]
    found = clustered_share([[each] * 4 for each in questions], "share")
    low, high = proportion_confint(10, 29, method="wilson")  # n - 1, as the error is estimated
    assert found.low is not None and found.high is not None
    assert found.high - found.low == pytest.approx(high - low, rel=0.02)
    assert found.n == 120
    assert found.value == pytest.approx(1 / 3)


def test_repeats_never_narrow_and_constants_have_no_interval_of_a_mean() -> None:
    alternating, plain = clustered_share([[0.0, 1.0]] * 10, "share"), proportion(10, 20, "share")
    assert (alternating.low, alternating.high) == (plain.low, plain.high)
    assert "interval not computable" in clustered_mean([[0.0, 1.0]] * 10, "score").reason
    assert clustered_share([[1.0, 1.0]] * 10, "share").low == proportion(20, 20, "share").low
