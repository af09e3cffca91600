from __future__ import annotations

import random
import sys

import numpy
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.proportion import proportion_confint

from grader.statistics.pairs import (
    NEEDS_STATS,
    mean_difference,
    mean_distance,
    proportion,
    share_within,
    spearman,
    weighted_kappa,
)

Pair = tuple[float, float]


def drawn(seed: int, n: int, values: list[float], noise: float = 0.5) -> list[Pair]:
    """Return pairs that agree, but for a share of `noise` drawn anew."""
    source = random.Random(seed)
    firsts = [source.choice(values) for _ in range(n)]
    return [(first, source.choice(values) if source.random() < noise else first) for first in firsts]


LIKERT = [1.0, 2.0, 3.0, 4.0, 5.0]
UNEVEN = [0.0, 25.0, 50.0, 100.0]


@pytest.mark.parametrize(("seed", "n"), [(1, 2), (2, 12), (3, 80), (4, 500)])
def test_kappa_is_scikit_learns(seed: int, n: int) -> None:
    pairs = drawn(seed, n, LIKERT)
    expected = cohen_kappa_score(*zip(*pairs, strict=True), labels=LIKERT, weights="quadratic")
    kappa = weighted_kappa(pairs)
    assert kappa.value == pytest.approx(expected, abs=1e-9)
    assert kappa.n == n and "squared distance" in kappa.method


def test_values_that_never_occur_make_no_difference_to_the_weights() -> None:
    pairs = [pair for pair in drawn(5, 200, LIKERT) if 2.0 not in pair]
    expected = cohen_kappa_score(*zip(*pairs, strict=True), labels=LIKERT, weights="quadratic")
    assert weighted_kappa(pairs).value == pytest.approx(expected, abs=1e-9)


def test_the_weights_follow_the_values_and_not_their_places() -> None:
    pairs = drawn(6, 120, UNEVEN)
    first, second = (numpy.array(numbers) for numbers in zip(*pairs, strict=True))
    by_chance = first.var() + second.var() + (first.mean() - second.mean()) ** 2
    kappa = weighted_kappa(pairs)
    assert kappa.value == pytest.approx(1 - ((first - second) ** 2).mean() / by_chance, abs=1e-9)
    by_place = cohen_kappa_score(first, second, labels=UNEVEN, weights="quadratic")
    assert kappa.value != pytest.approx(by_place, abs=1e-4)


def test_kappas_interval_holds_the_truth_19_times_of_20() -> None:
    truth, hits = weighted_kappa(drawn(0, 50_000, LIKERT)).value, 0
    assert truth is not None
    for seed in range(200):
        kappa = weighted_kappa(drawn(seed + 1, 80, LIKERT))
        assert kappa.low is not None and kappa.high is not None
        hits += kappa.low <= truth <= kappa.high
    assert 180 <= hits <= 199


def test_spearmans_interval_holds_the_truth_19_times_of_20() -> None:
    source, hits = numpy.random.default_rng(1), 0
    truth = 6 / numpy.pi * numpy.arcsin(0.6 / 2)  # of a normal pair correlated by 0.6
    for _ in range(300):
        points = source.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=50)
        found = spearman([(float(x), float(y)) for x, y in points])
        assert found.low is not None and found.high is not None
        hits += found.low <= truth <= found.high
    assert 275 <= hits <= 297


def test_shares_have_wilsons_interval() -> None:
    pairs = [(1.0, 1.0)] * 31 + [(1.0, 2.0)] * 5 + [(1.0, 3.0)] * 4
    exact, near = share_within(pairs, 0), share_within(pairs, 1)
    assert (exact.value, near.value) == (31 / 40, 36 / 40)
    low, high = proportion_confint(31, 40, method="wilson")
    assert exact.low == pytest.approx(low, abs=1e-9)
    assert exact.high == pytest.approx(high, abs=1e-9)


def test_a_step_in_tenths_is_near() -> None:
    assert share_within([(0.1, 0.2), (0.7, 0.8), (0.2, 0.3)], 0.1).value == 1


def test_spearman_is_scipys() -> None:
    pairs = drawn(7, 60, UNEVEN)
    found = spearman(pairs)
    assert found.value == pytest.approx(stats.spearmanr(*zip(*pairs, strict=True)).statistic, abs=1e-9)
    assert found.low is not None and found.value is not None and found.high is not None
    assert found.low < found.value < found.high


@pytest.mark.parametrize("count", [3, 10, 57, 480, 3_000])
@pytest.mark.parametrize("values", [2, 5, 100, 10**6])
def test_spearman_is_scipys_to_the_last_bit_with_any_ties(count: int, values: int) -> None:
    chance = random.Random(count * values)
    for _ in range(20):
        pairs = [(chance.randrange(values) / 4, float(chance.randrange(400))) for _ in range(count)]
        if all(len(set(numbers)) > 1 for numbers in zip(*pairs, strict=True)):
            theirs = float(stats.spearmanr(*zip(*pairs, strict=True)).statistic)
            assert spearman(pairs).value == theirs


def test_the_difference_is_second_minus_first() -> None:
    pairs = [(1.0, 2.0), (2.0, 2.0), (3.0, 5.0)]
    difference, distance = mean_difference(pairs), mean_distance([(2.0, 1.0), *pairs])
    assert (difference.value, distance.value) == (1, 1)
    low, high = stats.ttest_rel([2, 2, 5], [1, 2, 3]).confidence_interval(0.95)
    assert difference.low == pytest.approx(low, abs=1e-9)
    assert difference.high == pytest.approx(high, abs=1e-9)


@pytest.mark.parametrize("measure", [weighted_kappa, spearman])
@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ([], "fewer than 2"),
        ([(1.0, 2.0)], "fewer than 2"),
        ([(3.0, 3.0)] * 9, "all items the same"),
        ([(3.0, 1.0), (3.0, 2.0)], "all items the same"),
    ],
)
def test_what_cannot_be_computed_says_why(measure: object, pairs: list[Pair], words: str) -> None:
    assert callable(measure)
    found = measure(pairs)
    assert (found.value, found.low, found.high, found.n) == (None, None, None, len(pairs))
    assert found.reason.startswith("not computable: ") and words in found.reason


def test_full_agreement_has_a_value_and_no_interval() -> None:
    pairs = [(value, value) for value in LIKERT * 4]
    for found in (weighted_kappa(pairs), spearman(pairs)):
        assert found.value == pytest.approx(1) and (found.low, found.high) == (None, None)
        assert found.reason.startswith("interval not computable")
    assert mean_difference(pairs).reason == "interval not computable: all differences are the same"


def test_of_no_pairs_there_is_no_share() -> None:
    assert proportion(0, 0, "share").reason == "not computable: there are no pairs"


def test_three_pairs_have_no_spearman_interval() -> None:
    assert "fewer than 4" in spearman([(1.0, 1.0), (2.0, 3.0), (3.0, 2.0)]).reason


def test_more_values_than_a_table_can_hold() -> None:
    assert "1,200 different scores" in weighted_kappa([(float(n), n + 0.5) for n in range(600)]).reason


def test_without_the_extra_kappa_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "statsmodels.stats.inter_rater", None)
    pairs = drawn(8, 20, LIKERT)
    assert weighted_kappa(pairs).reason == NEEDS_STATS == "not computable: install grader[stats]"
    assert spearman(pairs).value is not None
