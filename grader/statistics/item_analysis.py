"""Item analysis after a run: which criteria and questions tell answers apart, how scores are spread; asks no judge."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from grader.records import format_number
from grader.statistics.clusters import clustered_share
from grader.statistics.estimate import Estimate
from grader.statistics.item_analysis_records import (
    AnalysedAnswer,
    CriterionAnalysis,
    CriterionText,
    ItemAnalysis,
    QuestionAnalysis,
    ScoreAnalysis,
)
from grader.statistics.means import mean_of
from grader.statistics.near_duplicates import near_duplicates
from grader.statistics.pairs import normal_quantile, spearman
from grader.statistics.proportions import proportion
from grader.statistics.ratings import CriterionPlace

_LEAST_SYSTEMS = 3
_BUNCHED = 0.8
"""Share of one score from which the scale hardly tells answers apart."""
_LEAST_ANSWERS = 10
"""Before this nothing is said of a scale's use: it would be chance."""
_WEAK = -0.2
_NEAR = 1e-9
_NO_CRITERIA = "not computable: nobody answered this criterion"
_NO_ANSWERS = "not computable: there are no answers"
_NOT_AS_ONE = "not computable as one: answers to the same question are not independent; each system has its own"

_BySystem = Mapping[str, Mapping[object, float]]
"""What each system reached in each part of the whole."""


def item_analysis(
    answers: Iterable[AnalysedAnswer],
    criteria: Sequence[CriterionText],
    *,
    scale: tuple[float, float],
    values: Sequence[float] = (),
) -> ItemAnalysis:
    """Return what the answers say about criteria, questions and scale.

    Args:
        answers: One for each sample of each answer.
        criteria: All criteria, in the order to list them.
        scale: Its lowest and its highest score.
        values: The scores that there can be, lowest first; empty where any number can.
    """
    kept = list(answers)
    met, scores = _met_by_system(kept), _scores_by_system(kept)
    systems = list(dict.fromkeys(answer.system for answer in kept))
    return ItemAnalysis(
        scores=tuple(_score_analysis(system, kept, values) for system in (None, *systems)),
        criteria=_criteria(criteria, met) if any(answer.met for answer in kept) else (),
        questions=_questions(scores, scale),
        near_duplicates=near_duplicates(criteria),
    )


def item_rest_correlation(own: Sequence[float], rest: Sequence[float]) -> Estimate:
    """Return Pearson's correlation of an item's scores with those of all the rest, one pair for each system."""
    n, method = len(own), "Pearson correlation of the item with the rest over the systems; interval on Fisher's z"
    if n < _LEAST_SYSTEMS:
        reason = f"not computable: fewer than {_LEAST_SYSTEMS} systems"
        return Estimate(n=n, value=None, method=method, reason=reason)
    if any(max(numbers) - min(numbers) < _NEAR for numbers in (own, rest)):
        reason = "not computable: all systems are the same here, or in all the rest"
        return Estimate(n=n, value=None, method=method, reason=reason)
    value = min(1.0, max(-1.0, statistics.correlation(own, rest)))
    if n == _LEAST_SYSTEMS or abs(value) > 1 - _NEAR:
        reason = "interval not computable from 3 systems, or where the correlation is full"
        return Estimate(n=n, value=value, method=method, reason=reason)
    centre, half = math.atanh(value), normal_quantile() / math.sqrt(n - 3)
    return Estimate(n=n, value=value, low=math.tanh(centre - half), high=math.tanh(centre + half), method=method)


class _Totals:
    """What each system reached altogether, to be had without one part."""

    def __init__(self, by_system: _BySystem) -> None:
        self._by_system = by_system
        self._sums = {system: sum(parts.values()) for system, parts in by_system.items()}
        self._systems: dict[object, list[str]] = defaultdict(list)
        for system, parts in by_system.items():
            for part in parts:
                self._systems[part].append(system)

    def correlation(self, part: object) -> Estimate:
        """Return how a part goes with the mean of all the others."""
        own, rest = [], []
        for system in self._systems[part]:
            parts = self._by_system[system]
            if len(parts) > 1:
                own.append(parts[part])
                rest.append((self._sums[system] - parts[part]) / (len(parts) - 1))
        return item_rest_correlation(own, rest)

    def of(self, part: object) -> list[float]:
        """Return what the systems reached in a part."""
        return [self._by_system[system][part] for system in self._systems[part]]


def _met_by_system(answers: Sequence[AnalysedAnswer]) -> _BySystem:
    said: dict[str, dict[object, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for answer in answers:
        for place, met in answer.met.items():
            said[answer.system][(answer.item_id, place)].append(met)
    return {
        system: {part: float(2 * sum(samples) > len(samples)) for part, samples in parts.items()}
        for system, parts in said.items()
    }


def _scores_by_system(answers: Sequence[AnalysedAnswer]) -> _BySystem:
    given: dict[str, dict[object, list[float]]] = defaultdict(lambda: defaultdict(list))
    for answer in answers:
        if answer.score is not None:
            given[answer.system][answer.item_id].append(answer.score)
    return {
        system: {item_id: statistics.fmean(samples) for item_id, samples in items.items()}
        for system, items in given.items()
    }


def _criteria(criteria: Sequence[CriterionText], met: _BySystem) -> tuple[CriterionAnalysis, ...]:
    totals = _Totals(met)
    return tuple(_criterion(criterion, totals) for criterion in criteria)


def _criterion(criterion: CriterionText, totals: _Totals) -> CriterionAnalysis:
    part: tuple[str, CriterionPlace] = (criterion.item_id, criterion.place)
    reached = totals.of(part)
    count, n = round(sum(reached)), len(reached)
    item_rest = totals.correlation(part)
    findings = []
    if n == 0:
        findings.append(_NO_CRITERIA.removeprefix("not computable: "))
    elif n > 1 and count in (0, n):
        findings.append(f"{'always' if count else 'never'} met ({count} of {n})")
    findings += _weak(item_rest)
    level, number = criterion.place
    return CriterionAnalysis(
        item_id=criterion.item_id,
        level=level,
        number=number,
        text=criterion.text,
        met=_share(count, n, "share of answers that meet the criterion"),
        item_rest=item_rest,
        findings=tuple(findings),
    )


def _questions(scores: _BySystem, scale: tuple[float, float]) -> tuple[QuestionAnalysis, ...]:
    totals = _Totals(scores)
    ids = dict.fromkeys(str(item_id) for items in scores.values() for item_id in items)
    return tuple(_question(item_id, totals, scale) for item_id in ids)


def _question(item_id: str, totals: _Totals, scale: tuple[float, float]) -> QuestionAnalysis:
    reached, item_rest = totals.of(item_id), totals.correlation(item_id)
    n = len(reached)
    low, high = (sum(abs(score - end) < _NEAR for score in reached) for end in scale)
    findings = []
    if n > 1 and n in (low, high):
        findings.append(f"always at the {'top' if high else 'floor'} of the scale ({n} of {n})")
    elif n > 1 and max(reached) - min(reached) < _NEAR:
        findings.append(f"the same score for all ({format_number(reached[0])}, {n} of {n})")
    findings += _weak(item_rest)
    return QuestionAnalysis(
        item_id=item_id,
        mean=mean_of(reached, "score"),
        at_top=_share(high, n, "share of answers at the top of the scale"),
        at_floor=_share(low, n, "share of answers at the floor of the scale"),
        item_rest=item_rest,
        findings=tuple(findings),
    )


def _weak(item_rest: Estimate) -> list[str]:
    if item_rest.value is None or item_rest.value >= _WEAK:
        return []
    is_clear = item_rest.high is not None and item_rest.high < 0
    doubt = "" if is_clear else f", which with {item_rest.n} systems may be chance"
    return [f"systems that do well elsewhere do worse here{doubt}"]


def _score_analysis(system: str | None, answers: Sequence[AnalysedAnswer], values: Sequence[float]) -> ScoreAnalysis:
    own = [answer for answer in answers if system is None or answer.system == system]
    units = _units(own)
    common = Counter(round(unit.score, 9) for unit in units).most_common(1)[0][0] if units else None
    used = {round(answer.score, 9) for answer in own if answer.score is not None}
    never = tuple(value for value in values if units and not any(abs(value - score) < _NEAR for score in used))
    reviewed = [answer for answer in own if answer.is_reviewed]
    bunching = _share_by_question(
        [(unit.item_id, round(unit.score, 9) == common) for unit in units],
        "share of answers with the most frequent score",
    )
    lengths = _length_correlation(units)
    return ScoreAnalysis(
        system=system,
        most_frequent=common,
        bunching=bunching,
        never_used=never,
        length_correlation=lengths,
        override_rate=_share_by_question(
            [(answer.item_id, answer.is_changed) for answer in reviewed],
            "share of reviewed grades that an expert changed",
            "not computable: no expert has entered anything",
        ),
        findings=tuple(_score_findings(bunching, common, never if system is None else (), lengths)),
    )


def _score_findings(
    bunching: Estimate, common: float | None, never: Sequence[float], lengths: Estimate
) -> Iterable[str]:
    if bunching.n < _LEAST_ANSWERS or common is None:
        return
    if (bunching.value or 0.0) >= _BUNCHED:
        yield f"{bunching.value:.0%} of the answers have the score {format_number(common)}"
    if never:
        yield f"never given: {', '.join(map(format_number, never))}"
    if lengths.low is not None and lengths.high is not None and (lengths.low > 0 or lengths.high < 0):
        longer = "higher" if lengths.low > 0 else "lower"
        yield f"longer answers score {longer}"


class _Unit(NamedTuple):
    """One answer that has a score, its samples averaged."""

    item_id: str
    score: float
    length: int


def _units(answers: Iterable[AnalysedAnswer]) -> list[_Unit]:
    samples: dict[tuple[str, str], list[float]] = defaultdict(list)
    lengths: dict[tuple[str, str], int] = {}
    for answer in answers:
        if answer.score is not None:
            samples[answer.system, answer.item_id].append(answer.score)
            lengths[answer.system, answer.item_id] = answer.length
    return [_Unit(unit[1], statistics.fmean(scores), lengths[unit]) for unit, scores in samples.items()]


def _length_correlation(units: Sequence[_Unit]) -> Estimate:
    """Return how score and length go together; not of several systems at once, whose questions are the same.

    Besides, a system that is both better and more talkative would pass for a judge's love of length.
    """
    if len({unit.item_id for unit in units}) < len(units):
        return Estimate(n=len(units), value=None, method="Spearman's rank correlation", reason=_NOT_AS_ONE)
    return spearman([(unit.score, float(unit.length)) for unit in units])


def _share_by_question(said: Iterable[tuple[str, bool]], method: str, reason: str = _NO_ANSWERS) -> Estimate:
    """Return the share of yes among (question, yes or no); several of one question count as what they are worth."""
    clusters: dict[str, list[float]] = defaultdict(list)
    for item_id, is_so in said:
        clusters[item_id].append(float(is_so))
    return clustered_share(list(clusters.values()), method) if clusters else _share(0, 0, method, reason)


@cache
def _share(count: int, n: int, method: str, reason: str = _NO_ANSWERS) -> Estimate:
    """Return a share; kept, since thousands of criteria have the same few."""
    if n == 0:
        return Estimate(n=0, value=None, method=f"{method}; Wilson interval", reason=reason)
    return proportion(count, n, method)
