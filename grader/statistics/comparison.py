"""Compares the scores of several systems (or judges) by question, two at a time; knows nothing of who they are.

Only questions that both have count, and a difference is always first minus second.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from grader.statistics.estimate import CONFIDENCE, Estimate
from grader.statistics.means import mean_of

RESAMPLES = 9999
SEED = 20240229
POWER = 0.8
_CELLS_AT_ONCE = 2_000_000
_MOST_TO_DRAW = 2000
"""Questions; of more, Student's t says the same, and drawing takes minutes."""
_FEWEST_FOR_POWER = 5
_NEAR = 1e-9

Scores = Mapping[str, float]
"""One system's score of each question, several samples averaged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDifference:
    """How two differ over the questions that both have."""

    first: str
    second: str
    difference: Estimate
    """Mean of first minus second; its n counts the questions that both have."""
    left_out: int
    """Questions that only one of the two has a score for."""
    wins: int
    """Questions on which the first has the higher score."""
    ties: int
    losses: int
    p_value: float | None
    """Of no difference at all, two-sided; `None` with fewer than 2 questions."""
    test: str
    p_holm: float | None = None
    """The same after Holm's correction for all pairs that are compared together."""
    detectable: float | None = None
    """The true difference that a comparison of so many questions finds in 80 of 100 cases, at 5 % and uncorrected;
    `None` for fewer than 5 questions, or where all differences are the same."""

    @property
    def is_told_apart(self) -> bool:
        """Whether the two differ by more than chance explains, all comparisons considered."""
        return self.p_holm is not None and self.p_holm < 1 - CONFIDENCE


def compare_all(
    entrants: Mapping[str, Scores], pairs: Iterable[tuple[str, str]] | None = None, *, is_binary: bool = False
) -> tuple[PairedDifference, ...]:
    """Return each two of `entrants`, or only `pairs` of them, compared, with Holm's correction over all.

    `is_binary` says that a score is one of two values: then the test is McNemar's.
    """
    chosen = list(combinations(entrants, 2)) if pairs is None else list(pairs)
    return with_holm(
        compare_pair(first, second, entrants[first], entrants[second], is_binary=is_binary) for first, second in chosen
    )


def compare_pair(
    first: str, second: str, first_scores: Scores, second_scores: Scores, *, is_binary: bool = False
) -> PairedDifference:
    """Return how `first` and `second` differ, not yet corrected for other comparisons."""
    both = [question for question in first_scores if question in second_scores]
    differences = [first_scores[question] - second_scores[question] for question in both]
    wins, losses = (sum(sign * each > _NEAR for each in differences) for sign in (1, -1))
    p_value, test = mcnemar(wins, losses) if is_binary else sign_flips(differences)
    return PairedDifference(
        first=first,
        second=second,
        difference=mean_difference(differences),
        left_out=len(first_scores) + len(second_scores) - 2 * len(both),
        wins=wins,
        ties=len(both) - wins - losses,
        losses=losses,
        p_value=p_value if len(both) > 1 else None,
        test=test,
        detectable=detectable_difference(differences),
    )


def mean_difference(differences: Sequence[float]) -> Estimate:
    """Return the mean with a bootstrap interval over questions, bias-corrected and accelerated (BCa)."""
    n = len(differences)
    method = f"mean of paired differences; BCa bootstrap over questions ({RESAMPLES:,} resamples, seed {SEED})"
    if n == 0:
        return Estimate(n=0, value=None, method=method, reason="not computable: no question has a score of both")
    value = math.fsum(differences) / n
    if n == 1:
        return Estimate(n=1, value=value, method=method, reason="interval not computable from one question")
    if max(differences) - min(differences) < _NEAR:
        return Estimate(n=n, value=value, method=method, reason="interval not computable: all differences are the same")
    if n > _MOST_TO_DRAW:
        return replace(mean_of(differences, "difference"), method="mean of paired differences; Student's t interval")
    low, high = _bootstrap(differences)
    return Estimate(n=n, value=value, low=low, high=high, method=method)


def _bootstrap(differences: Sequence[float]) -> tuple[float, float]:
    import numpy
    from scipy.stats import bootstrap

    result = bootstrap(
        (numpy.array(differences),),
        _mean,
        n_resamples=RESAMPLES,
        batch=max(1, _CELLS_AT_ONCE // len(differences)),
        vectorized=True,
        confidence_level=CONFIDENCE,
        method="BCa",
        rng=numpy.random.default_rng(SEED),
    )
    return float(result.confidence_interval.low), float(result.confidence_interval.high)


def sign_flips(differences: Sequence[float]) -> tuple[float, str]:
    """Return the p-value of no difference: how often the mean is as far from 0 when signs are drawn by chance.

    Exact where there are no more ways to set the signs than resamples; a paired t test beyond 2,000 questions.
    """
    if len(differences) > _MOST_TO_DRAW:
        return _t_test(differences)
    moved = [each for each in differences if abs(each) > _NEAR]  # a difference of 0 has no sign to flip
    is_exact = 2 ** len(moved) <= RESAMPLES
    drawn = "exact" if is_exact else f"{RESAMPLES:,} draws, seed {SEED}"
    test = f"paired permutation test of the mean ({drawn})"
    if len(moved) < 2:  # flipped or not, the mean is as far from 0
        return 1.0, test
    import numpy
    from scipy.stats import permutation_test

    result = permutation_test(
        (numpy.array(moved),),
        _mean,
        permutation_type="samples",
        n_resamples=RESAMPLES,
        batch=max(1, _CELLS_AT_ONCE // len(moved)),
        vectorized=True,
        rng=numpy.random.default_rng(SEED),
    )
    return float(result.pvalue), test


def _t_test(differences: Sequence[float]) -> tuple[float, str]:
    from scipy.stats import ttest_1samp

    is_constant = max(differences) - min(differences) < _NEAR
    p_value = float(abs(differences[0]) < _NEAR) if is_constant else float(ttest_1samp(differences, 0).pvalue)
    return p_value, "paired t test"


def mcnemar(wins: int, losses: int) -> tuple[float, str]:
    """Return the exact p-value of McNemar's test: of the questions on which two differ, how even are they split."""
    test = "exact McNemar test"
    if not wins + losses:
        return 1.0, test
    from scipy.stats import binomtest

    return float(binomtest(wins, wins + losses).pvalue), test


def with_holm(pairs: Iterable[PairedDifference]) -> tuple[PairedDifference, ...]:
    """Return the same pairs with their p-values corrected together by Holm's step-down method."""
    kept = tuple(pairs)
    places = [place for place, pair in enumerate(kept) if pair.p_value is not None]
    corrected = dict(zip(places, holm([kept[place].p_value or 0.0 for place in places]), strict=True))
    return tuple(replace(pair, p_holm=corrected.get(place)) for place, pair in enumerate(kept))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values corrected by Holm (1979), in the same order."""
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    corrected, highest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = highest
    return corrected


def detectable_difference(differences: Sequence[float]) -> float | None:
    """Return the difference that a paired t test of as many questions, as spread out, finds with 80 % power."""
    n = len(differences)
    if n < _FEWEST_FOR_POWER:
        return None
    from statistics import stdev

    spread = stdev(differences)
    return None if spread < _NEAR else spread * _detectable_effect(n)


def _detectable_effect(n: int) -> float:
    """Return the effect, in standard deviations, of a two-sided t test of `n` at 5 % with 80 % power."""
    from scipy.optimize import brentq
    from scipy.stats import nct, t

    limit = t.ppf((1 + CONFIDENCE) / 2, n - 1)

    def lack(effect: float) -> float:
        shift = effect * math.sqrt(n)
        return float(nct.sf(limit, n - 1, shift) + nct.cdf(-limit, n - 1, shift)) - POWER

    near = (limit + t.ppf(POWER, n - 1)) / math.sqrt(n)  # the usual approximation
    return float(brentq(lack, near / 2, near * 2, xtol=1e-13))


def ranks(means: Mapping[str, float | None], pairs: Iterable[PairedDifference]) -> dict[str, int | None]:
    """Return one plus how many are told apart from each as better; those not told apart may share a rank.

    `None` for one that has no mean.
    """
    better = dict.fromkeys(means, 0)
    for pair in pairs:
        if pair.is_told_apart and pair.difference.value:
            better[pair.second if pair.difference.value > 0 else pair.first] += 1
    return {name: None if mean is None else 1 + better[name] for name, mean in means.items()}


def not_told_apart(name: str, pairs: Iterable[PairedDifference]) -> tuple[str, ...]:
    """Return with whom `name` was compared without a difference that chance does not explain."""
    return tuple(
        pair.second if pair.first == name else pair.first
        for pair in pairs
        if name in (pair.first, pair.second) and not pair.is_told_apart
    )


def _mean(values: Any, axis: int) -> Any:
    return values.mean(axis=axis)
