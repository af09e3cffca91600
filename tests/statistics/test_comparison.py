from __future__ import annotations

import random
from collections.abc import Iterable
from statistics import stdev

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from grader.statistics.comparison import (
    RESAMPLES,
    SEED,
    Scores,
    compare_all,
    compare_pair,
    detectable_difference,
    holm,
    mcnemar,
    mean_difference,
    not_told_apart,
    ranks,
    sign_flips,
)

SCALE = [0.0, 25.0, 50.0, 100.0]


def scores(seed: int, n: int, shift: float = 0.0) -> Scores:
    source = random.Random(seed)
    return {str(number): source.choice(SCALE) + shift for number in range(n)}


def test_only_questions_of_both_count_and_the_others_are_counted() -> None:
    pair = compare_pair("a", "b", {"1": 100, "2": 50, "3": 0}, {"2": 0, "3": 0, "4": 100})
    assert (pair.difference.n, pair.difference.value, pair.left_out) == (2, 25, 2)
    assert (pair.wins, pair.ties, pair.losses) == (1, 1, 0)


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ({"1": 1.0}, {"2": 1.0}, "no question has a score of both"),
        ({"1": 1.0}, {"1": 0.0}, "one question"),
        ({"1": 1.0, "2": 1.0}, {"1": 0.0, "2": 0.0}, "the same"),
    ],
)
def test_what_cannot_be_computed_says_why(first: Scores, second: Scores, words: str) -> None:
    (pair,) = compare_all({"a": first, "b": second})
    assert words in pair.difference.reason
    assert pair.difference.low is None
    assert not pair.is_told_apart


@pytest.mark.parametrize("n", [5, 30, 120])
def test_the_interval_is_scipys_bca_with_the_seed_said(n: int) -> None:
    differences = [a - b for a, b in zip(scores(1, n).values(), scores(2, n).values(), strict=True)]
    found = mean_difference(differences)
    expected = stats.bootstrap(
        (np.array(differences),), np.mean, n_resamples=RESAMPLES, rng=np.random.default_rng(SEED), batch=2_000_000 // n
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert f"seed {SEED}" in found.method


def test_a_small_permutation_test_is_exact() -> None:
    differences = [25.0, 50, -25, 75, 100, 0, 0]
    flips = np.array(np.meshgrid(*[[1, -1]] * 5)).reshape(5, -1)
    means = np.abs(np.array(differences[:5]) @ flips)
    expected = np.mean(means >= abs(sum(differences)) - 1e-9)
    p_value, test = sign_flips(differences)
    assert p_value == pytest.approx(expected, abs=1e-9)
    assert "exact" in test


def test_a_large_permutation_test_is_near_the_t_test_and_repeats() -> None:
    differences = [a - b for a, b in zip(scores(3, 200, 8).values(), scores(4, 200).values(), strict=True)]
    assert sign_flips(differences)[0] == pytest.approx(stats.ttest_1samp(differences, 0).pvalue, abs=0.02)
    assert sign_flips(differences) == sign_flips(differences)


def test_of_very_many_students_t_serves() -> None:
    differences = [a - b for a, b in zip(scores(3, 2500, 1).values(), scores(4, 2500).values(), strict=True)]
    assert sign_flips(differences)[0] == pytest.approx(stats.ttest_1samp(differences, 0).pvalue, abs=1e-9)
    low, high = stats.ttest_1samp(differences, 0).confidence_interval()
    found = mean_difference(differences)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    assert sign_flips([0.0] * 2001)[0] == 1
    assert sign_flips([1.0] * 2001)[0] == 0


@pytest.mark.parametrize("differences", [[0.0, 0.0], [50.0, 0.0]])
def test_one_question_that_differs_shows_nothing(differences: list[float]) -> None:
    assert sign_flips(differences)[0] == 1


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (5, 0), (3, 9), (40, 22)])
def test_mcnemar_is_statsmodels(wins: int, losses: int) -> None:
    expected = reference_mcnemar([[7, wins], [losses, 4]], exact=True).pvalue if wins + losses else 1.0
    assert mcnemar(wins, losses)[0] == pytest.approx(expected, abs=1e-9)


def test_yes_and_no_are_compared_by_mcnemar() -> None:
    (pair,) = compare_all({"a": {"1": 100, "2": 100}, "b": {"1": 0, "2": 100}}, is_binary=True)
    assert (pair.test, pair.p_value) == ("exact McNemar test", 1)


@pytest.mark.no_cover
def test_holm_is_statsmodels() -> None:
    source = random.Random(5)
    for n in (1, 2, 6, 28):
        p_values = [source.random() ** 4 for _ in range(n)]
        assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1].tolist(), abs=1e-9)
    assert holm([]) == []


@pytest.mark.parametrize("n", [5, 12, 120, 3000])
def test_the_detectable_difference_has_that_power(n: int) -> None:
    differences = list(scores(n, n).values())
    detectable = detectable_difference(differences)
    assert detectable is not None
    assert TTestPower().power(detectable / stdev(differences), n, 0.05) == pytest.approx(0.8, abs=1e-9)


def test_of_too_few_or_constant_nothing_is_detectable() -> None:
    assert detectable_difference([1, 2, 3, 4]) is None
    assert detectable_difference([2.0] * 9) is None


def test_what_overlaps_shares_a_rank() -> None:
    entrants = {
        "a": scores(1, 60),
        "b": {key: value - 0.1 * (int(key) % 3 - 1) for key, value in scores(1, 60).items()},
        "c": scores(1, 60, -30),
        "d": {},
    }
    pairs = compare_all(entrants)
    assert ranks({"a": 50, "b": 50.1, "c": 20, "d": None}, pairs) == {"a": 1, "b": 1, "c": 3, "d": None}
    assert not_told_apart("a", pairs) == ("b", "d")


def test_difference_intervals_cover_what_they_say() -> None:
    """Of 200 draws of 40 questions, about 190 intervals hold the true difference."""
    source = np.random.default_rng(11)
    values, chances = np.array([-100.0, -50, 0, 50, 100]), [0.05, 0.1, 0.5, 0.2, 0.15]
    truth, held = float(values @ chances), 0
    for _ in range(200):
        found = mean_difference(source.choice(values, p=chances, size=40).tolist())
        assert found.low is not None and found.high is not None
        held += found.low <= truth <= found.high
    assert 180 <= held <= 199


def test_equal_systems_are_seldom_told_apart() -> None:
    source = np.random.default_rng(12)
    told = 0
    for _ in range(100):
        entrants = {name: dict(enumerate_scores(source.choice(SCALE, size=12))) for name in "abc"}
        told += any(pair.is_told_apart for pair in compare_all(entrants))
    assert told <= 12


def enumerate_scores(values: Iterable[float]) -> list[tuple[str, float]]:
    return [(str(place), float(value)) for place, value in enumerate(values)]
