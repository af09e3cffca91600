"""Corrects a judge's mean by what experts gave to a random sample of the same answers; draws no sample.

Two ways: the prediction-powered mean, PPI++ with a tuned weight (Angelopoulos, Duchi and Zrnic 2023), and for verdicts
of yes or no the estimate of Rogan and Gladen (1978), with the interval of Lang and Reiczigel (2014).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean, pvariance, variance

from grader.statistics.clusters import clustered_mean, clustered_share
from grader.statistics.correction_records import CorrectedMean, MoreRows
from grader.statistics.estimate import Estimate
from grader.statistics.pairs import Pairs, normal_quantile
from grader.statistics.proportions import share_of_tops
from grader.statistics.student_t import t_quantile

FEWEST = 10
"""Answers that experts must have scored before anything is corrected."""
_PPI = "prediction-powered mean (PPI++, weight of the judge {weight:.2f}); Student's t interval"
_SHARED = ", the questions being what was drawn"
_ROGAN_GLADEN = "Rogan and Gladen's estimate; interval of Lang and Reiczigel"
_NEAR = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """The prediction-powered mean and what its error is made of."""

    value: float
    weight: float
    """How much the judge's scores count, from 0 (only the experts' do) to 1."""
    judged_variance: float
    """Of the weighted scores that only the judge gave."""
    corrected_variance: float
    """Of what experts gave beyond the weighted score of the judge."""
    given_variance: float
    """Of what experts gave."""
    explained: float
    """How much of that the judge's scores explain, from 0 to 1."""
    widening: float = 1.0
    """How many times as wide the interval is because answers to one question go together; at least 1."""


def corrected_mean(
    labelled: Pairs,
    unlabelled: Sequence[float],
    *,
    system: str | None = None,
    ends: tuple[float, float] | None = None,
    margin: float | None = None,
    refusal: str = "",
    questions: Sequence[str] = (),
) -> CorrectedMean:
    """Return the judge's mean, the experts' and the corrected ones beside each other.

    Args:
        labelled: (judge, experts) of the answers that experts scored blind.
        unlabelled: What the judge gave to all other answers that could have been drawn.
        system: Whose answers these are; `None` for all systems together.
        ends: The only two scores there can be, low and high, of a rubric that says yes or no.
        margin: Half the width of interval that is wanted; by default half of what it is.
        refusal: Why the labelled answers are no random sample of all; then nothing is corrected.
        questions: Of each labelled answer and then of each unlabelled one; by default each answers one of its own.
    """
    judged = [judge for judge, _ in labelled] + list(unlabelled)
    asked = list(questions) or [str(place) for place in range(len(judged))]
    refusal = refusal or _refusal(labelled, unlabelled, asked)
    tuned = None if refusal else power_tuned(labelled, unlabelled, asked)
    ppi = _refused(labelled, refusal) if tuned is None else _ppi(tuned, len(labelled), len(unlabelled))
    return CorrectedMean(
        system=system,
        labelled_count=len(labelled),
        row_count=len(judged),
        judge=_mean(judged, ends, asked),
        experts=_mean([expert for _, expert in labelled], ends, asked),
        ppi=ppi,
        rogan_gladen=_binary(labelled, unlabelled, ends, refusal, tuned) if ends else None,
        more=None if tuned is None else more_rows(tuned, len(labelled), len(unlabelled), margin),
    )


def power_tuned(labelled: Pairs, unlabelled: Sequence[float], questions: Sequence[str] = ()) -> Tuned:
    """Return the prediction-powered mean, the judge weighted so that the interval is as narrow as can be.

    `questions` are those of the labelled and then of the unlabelled answers, where several answer the same.
    """
    n, others = len(labelled), len(unlabelled)
    judged, given = ([pair[side] for pair in labelled] for side in (0, 1))
    judged_mean, given_mean = fmean(judged), fmean(given)
    covariance = fmean((judge - judged_mean) * (expert - given_mean) for judge, expert in labelled)
    spread = variance([*judged, *unlabelled])
    weight = min(1.0, max(0.0, covariance / ((1 + n / others) * spread))) if spread > _NEAR else 0.0
    beyond = [expert - weight * judge for judge, expert in labelled]
    tuned = Tuned(
        value=weight * fmean(unlabelled) + fmean(beyond),
        weight=weight,
        judged_variance=weight**2 * pvariance(unlabelled),
        corrected_variance=pvariance(beyond),
        given_variance=variance(given),
        explained=min(1.0, covariance**2 / (pvariance(given) * pvariance(judged))) if weight else 0.0,
    )
    if len(set(questions)) == len(questions):
        return tuned
    pulls = [(each - fmean(beyond)) / n for each in beyond]
    pulls += [weight * (judge - fmean(unlabelled)) / others for judge in unlabelled]
    t_ratio = t_quantile(max(1, len(set(questions[:n])) - 1)) / t_quantile(n - 1)
    wider = t_ratio * clustered_error(pulls, questions) / _error(tuned, n, others)
    return replace(tuned, widening=max(1.0, wider))


def clustered_error(pulls: Sequence[float], questions: Sequence[str]) -> float:
    """Return the standard error of a sum, of which each answer's part is in `pulls`, the questions being the draw."""
    sums: dict[str, float] = {}
    for pull, question in zip(pulls, questions, strict=True):
        sums[question] = sums.get(question, 0.0) + pull
    return math.sqrt(len(sums) / (len(sums) - 1) * math.fsum(each**2 for each in sums.values()))


def _ppi(tuned: Tuned, n: int, others: int) -> Estimate:
    half = _half_width(tuned, n, others)
    method = _PPI.format(weight=tuned.weight) + (_SHARED if tuned.widening > 1 else "")
    return Estimate(n=n + others, value=tuned.value, low=tuned.value - half, high=tuned.value + half, method=method)


def _half_width(tuned: Tuned, n: int, others: int) -> float:
    """Return half the interval; unlike in the paper for a small sample: Student's t, and n - 1 below the variance."""
    return t_quantile(n - 1) * _error(tuned, n, others) * tuned.widening


def _error(tuned: Tuned, n: int, others: int) -> float:
    return math.sqrt(tuned.judged_variance / others + tuned.corrected_variance / (n - 1))


def _width_with(tuned: Tuned, n: int, rows: int) -> float:
    """Return half the interval to be expected once experts have scored `n` of the rows; it falls with each."""
    variance = tuned.given_variance * ((1 - tuned.explained) / n + tuned.explained / rows)
    return t_quantile(n - 1) * math.sqrt(variance) * tuned.widening


def more_rows(tuned: Tuned, n: int, others: int, margin: float | None = None) -> MoreRows:
    """Return how many more answers experts must score for an interval of plus or minus `margin`.

    The scores are taken to stay as spread out, and the judge as close to the experts, as they are.
    """
    rows = n + others
    wanted = _half_width(tuned, n, others) / 2 if margin is None else margin
    best = _width_with(tuned, rows, rows)
    if best > wanted:
        reason = f"not reachable: even with all {rows:,} answers scored it is about ± {best:.3g}"
        return MoreRows(margin=wanted, count=None, reason=reason)
    low, high = 0, others
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _width_with(tuned, n + middle, rows) <= wanted else (middle + 1, high)
    return MoreRows(margin=wanted, count=low)


def rogan_gladen(
    true_positives: int,
    positives: int,
    true_negatives: int,
    negatives: int,
    said: int,
    n: int,
    *,
    widening: float = 1.0,
) -> Estimate:
    """Return the share of yes among `n` others of which the judge said yes to `said`.

    Of the `positives` that experts said yes to, the judge got `true_positives`; of the `negatives`, `true_negatives`.
    Where answers to one question go together, the interval is that of fewer: divided by the square of `widening`.
    """
    if not positives or not negatives:
        missing = "yes" if positives == 0 else "no"
        reason = f"not computable: the experts never said {missing}"
        return Estimate(n=n, value=None, method=_ROGAN_GLADEN, reason=reason)
    sensitivity, specificity, apparent = true_positives / positives, true_negatives / negatives, said / n
    if sensitivity + specificity <= 1 + _NEAR:
        reason = (
            "not computable: the judge says yes where the experts do no more often than where they do not"
            f" (sensitivity {sensitivity:.2f}, specificity {specificity:.2f})"
        )
        return Estimate(n=n, value=None, method=_ROGAN_GLADEN, reason=reason)
    value = (apparent + specificity - 1) / (sensitivity + specificity - 1)
    counts = ((true_positives, positives), (true_negatives, negatives), (said, n))
    low, high = _lang_reiczigel(*((count / widening**2, of / widening**2) for count, of in counts))
    method = _ROGAN_GLADEN + (_SHARED if widening > 1 else "")
    return Estimate(n=n, value=min(1.0, max(0.0, value)), low=low, high=high, method=method)


def _lang_reiczigel(
    sensitivity: tuple[float, float], specificity: tuple[float, float], apparent: tuple[float, float]
) -> tuple[float, float]:
    """Return the interval from counts: each share drawn a little to the middle, and a shift for the small samples."""
    z = normal_quantile()
    n_sensitivity, n_specificity, n = sensitivity[1] + 2, specificity[1] + 2, apparent[1] + z**2
    found, cleared = (sensitivity[0] + 1) / n_sensitivity, (specificity[0] + 1) / n_specificity
    said = (apparent[0] + z**2 / 2) / n
    youden = found + cleared - 1
    value = (said + cleared - 1) / youden
    of_found, of_cleared = found * (1 - found) / n_sensitivity, cleared * (1 - cleared) / n_specificity
    error = math.sqrt(said * (1 - said) / n + value**2 * of_found + (1 - value) ** 2 * of_cleared) / abs(youden)
    centre = value + 2 * z**2 * (value * of_found - (1 - value) * of_cleared)
    low, high = (min(1.0, max(0.0, centre + side * z * error)) for side in (-1, 1))
    return low, high


def _binary(
    labelled: Pairs, unlabelled: Sequence[float], ends: tuple[float, float], refusal: str, tuned: Tuned | None
) -> Estimate:
    """Return Rogan and Gladen's mean, on the scale, of the rows that only the judge scored."""
    if refusal:
        return _refused(labelled, refusal, _ROGAN_GLADEN)
    if not {*unlabelled, *(score for pair in labelled for score in pair)} <= set(ends):
        return _refused(labelled, "not computable: not all scores are one of two", _ROGAN_GLADEN)
    floor, top = ends
    positives = [judge for judge, expert in labelled if expert == top]
    negatives = [judge for judge, expert in labelled if expert == floor]
    share = rogan_gladen(
        positives.count(top), len(positives), negatives.count(floor), len(negatives),
        sum(score == top for score in unlabelled), len(unlabelled), widening=tuned.widening if tuned else 1.0,
    )  # fmt: skip
    if share.value is None or share.low is None or share.high is None:
        return share
    value, low, high = (floor + (top - floor) * each for each in (share.value, share.low, share.high))
    return replace(share, value=value, low=low, high=high)


def _refusal(labelled: Pairs, unlabelled: Sequence[float], questions: Sequence[str]) -> str:
    """Return why the data do not carry a correction; empty where they do."""
    if len(labelled) < FEWEST:
        return f"not computable: {len(labelled)} answers were scored blind, and it takes at least {FEWEST}"
    if len(unlabelled) < 2:
        return "not needed: the experts scored all answers, so their mean is the result"
    asked = len(set(questions[: len(labelled)]))
    if asked < FEWEST:
        return f"not computable: answers to {asked} questions were scored blind, and it takes at least {FEWEST}"
    given = [expert for _, expert in labelled]
    if max(given) - min(given) < _NEAR:
        return "not computable: the experts gave all answers the same score"
    return ""


def _refused(labelled: Pairs, reason: str, method: str = "prediction-powered mean (PPI++)") -> Estimate:
    return Estimate(n=len(labelled), value=None, method=method, reason=reason)


def _mean(scores: Sequence[float], ends: tuple[float, float] | None, questions: Sequence[str]) -> Estimate:
    """Return the mean of `scores`, the first of which answer the first of `questions`."""
    clusters: dict[str, list[float]] = {}
    for score, question in zip(scores, questions, strict=False):
        clusters.setdefault(question, []).append(score)
    if ends is None or not scores or not set(scores) <= set(ends):
        return clustered_mean(list(clusters.values()), "score")
    if len(clusters) == len(scores):
        return share_of_tops(scores.count(ends[1]), len(scores), ends)
    tops = [[float(score == ends[1]) for score in each] for each in clusters.values()]
    share = clustered_share(tops, "mean of yes and no")
    value, low, high = (None if each is None else ends[0] + (ends[1] - ends[0]) * each for each in _figures(share))
    return replace(share, value=value, low=low, high=high)


def _figures(share: Estimate) -> tuple[float | None, float | None, float | None]:
    return share.value, share.low, share.high
