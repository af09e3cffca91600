"""Compares the judge's ratings with the experts', and the experts' with each other; reads and prints nothing.

What an expert entered without seeing the judge's score (blind) is kept apart from what was entered in its sight.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations

from grader.rubric import Scale
from grader.statistics.agreement_records import (
    MOST_CRITERIA,
    Agreement,
    AgreementReport,
    Block,
    CriterionAgreement,
    GroupAgreement,
    PairAgreement,
)
from grader.statistics.alpha import krippendorff_alpha
from grader.statistics.clusters import clustered_mean, clustered_share
from grader.statistics.estimate import Estimate
from grader.statistics.pairs import (
    Pairs,
    mean_difference,
    mean_distance,
    share_within,
    spearman,
    weighted_kappa,
)
from grader.statistics.proportions import proportion
from grader.statistics.ratings import (
    EXPERTS,
    JUDGE,
    CriterionPlace,
    RatedUnits,
    Rating,
    Unit,
    experts_mean,
    experts_of,
    rated_units,
)
from grader.statistics.readings import pair_reading
from grader.statistics.steps import Step, score_step


def agreement_report(ratings: Iterable[Rating], scale: Scale, *, answer_count: int | None = None) -> AgreementReport:
    """Return how far judge and experts agree on `scale`.

    The judge's ratings go into both blocks, an expert's into the one it was made for. Needs the extra `stats` for
    kappa alone; without it, that says so. `answer_count` is how many answers the run has, each shown to the experts.
    """
    kept, step = list(ratings), score_step(scale)
    blind, seen = (
        _block((rating for rating in kept if rating.rater == JUDGE or rating.is_blind is is_blind), is_blind, step)
        for is_blind in (True, False)
    )
    if answer_count is not None:
        rated = {(each.system, each.item_id) for each in kept if each.rater != JUDGE and not each.is_blind}
        seen = replace(seen, without_entry=max(0, answer_count - len(rated)))
    return AgreementReport(blind=blind, seen=seen, step=step)


def _block(ratings: Iterable[Rating], is_blind: bool, step: Step) -> Block:
    units = rated_units(ratings)
    scores = {unit: raters for unit, raters in units.items() if unit.criterion is None}
    criteria = {unit: raters for unit, raters in units.items() if unit.criterion is not None}
    kind = "blind" if is_blind else "seen"
    return Block(
        is_blind=is_blind,
        experts=experts_of(units),
        scores=_agreement(scores, f"{kind} answers", step),
        criteria=_agreement(criteria, f"{kind} criteria", None),
        disputed=_disputed(criteria),
    )


def _agreement(units: RatedUnits, things: str, step: Step | None) -> Agreement:
    """Return how far the raters of `units` agree; `things` says in words what the units are."""
    experts = experts_of(units)
    systems = _systems(units)
    voice = experts[0] if len(experts) == 1 else EXPERTS
    judge_and_experts = tuple(
        _clustered(_pair_agreement((JUDGE, voice), system, _expert_pairs(units, system), step), units, step)
        for system in ((None, *systems) if experts else ())
    )
    each = tuple(_pair_agreement((JUDGE, name), None, _pairs(units, JUDGE, name), step) for name in experts)
    between = tuple(_pair_agreement(pair, None, _pairs(units, *pair), step) for pair in combinations(experts, 2))
    counts = Counter(pair for name in experts for pair in _pairs(units, JUDGE, name))
    return Agreement(
        reading=pair_reading(judge_and_experts[0], things, step) if experts else f"No {things} were entered.",
        judge_and_experts=judge_and_experts,
        judge_and_each=each,
        between_experts=between,
        together=tuple(_together(units, experts, systems)),
        counts=tuple((judge, expert, count) for (judge, expert), count in sorted(counts.items())),
    )


def _pair_agreement(names: tuple[str, str], system: str | None, pairs: Pairs, step: Step | None) -> PairAgreement:
    return PairAgreement(
        first=names[0],
        second=names[1],
        system=system,
        n=len(pairs),
        exact=share_within(pairs, 0.0, "share of pairs that are the same"),
        near=share_within(pairs, step.distance, f"share of pairs at most {step.words} apart") if step else None,
        kappa=weighted_kappa(pairs),
        spearman=spearman(pairs),
        difference=mean_difference(pairs),
        distance=mean_distance(pairs),
    )


def _clustered(pair: PairAgreement, units: RatedUnits, step: Step | None) -> PairAgreement:
    """Return the same figures with intervals that know which answers or criteria belong to one question."""
    by_question: dict[str, list[tuple[float, float]]] = {}
    for unit, raters in _of_system(units, pair.system):
        expert = experts_mean(raters)
        if JUDGE in raters and expert is not None:
            by_question.setdefault(unit.item_id, []).append((raters[JUDGE], expert))
    if not pair.n or len(by_question) == pair.n:
        return pair
    groups = list(by_question.values())
    return replace(
        pair,
        exact=_within(groups, 0.0, "share of pairs that are the same"),
        near=_within(groups, step.distance, f"share of pairs at most {step.words} apart") if step else None,
        difference=clustered_mean([[expert - judge for judge, expert in group] for group in groups], "difference"),
        distance=clustered_mean([[abs(expert - judge) for judge, expert in group] for group in groups], "difference"),
    )


def _within(groups: Iterable[Pairs], distance: float, method: str) -> Estimate:
    is_near = [[float(abs(expert - judge) <= distance + 1e-9) for judge, expert in group] for group in groups]
    return clustered_share(is_near, method)


def _together(units: RatedUnits, experts: tuple[str, ...], systems: tuple[str, ...]) -> Iterator[GroupAgreement]:
    if not experts:
        return
    for system in (None, *systems):
        yield _group_agreement(units, (JUDGE, *experts), system)
    if len(experts) > 1:
        yield _group_agreement(units, experts, None)


def _group_agreement(units: RatedUnits, names: tuple[str, ...], system: str | None) -> GroupAgreement:
    by_question: dict[str, list[list[float]]] = {}
    for unit, raters in _of_system(units, system):
        by_question.setdefault(unit.item_id, []).append([raters[name] for name in names if name in raters])
    return GroupAgreement(raters=names, system=system, alpha=krippendorff_alpha(by_question))


def _disputed(units: RatedUnits) -> tuple[CriterionAgreement, ...]:
    by_criterion: dict[tuple[str, CriterionPlace], list[tuple[float, float]]] = {}
    for unit, raters in units.items():
        expert = experts_mean(raters)
        if unit.criterion is not None and JUDGE in raters and expert is not None:
            by_criterion.setdefault((unit.item_id, unit.criterion), []).append((raters[JUDGE], expert))
    found = [_criterion(*key, pairs) for key, pairs in by_criterion.items() if len(pairs) > 1]
    differing = [each for each in found if each.exact.value != 1]
    differing.sort(key=lambda each: (each.exact.value, -each.exact.n, each.item_id, each.level or 0, each.number))
    return tuple(differing[:MOST_CRITERIA])


def _criterion(item_id: str, place: CriterionPlace, pairs: Pairs) -> CriterionAgreement:
    same = sum(judge == expert for judge, expert in pairs)
    return CriterionAgreement(
        item_id=item_id,
        level=place[0],
        number=place[1],
        exact=proportion(same, len(pairs), "share of answers on which both say the same"),
        judge_mean=sum(judge for judge, _ in pairs) / len(pairs),
        expert_mean=sum(expert for _, expert in pairs) / len(pairs),
    )


def _systems(units: RatedUnits) -> tuple[str, ...]:
    """Return the systems that an expert rated, in the order of first sight."""
    return tuple(dict.fromkeys(unit.system for unit, raters in units.items() if experts_mean(raters) is not None))


def _of_system(units: RatedUnits, system: str | None) -> Iterator[tuple[Unit, Mapping[str, float]]]:
    return ((unit, raters) for unit, raters in units.items() if system in (None, unit.system))


def _pairs(units: RatedUnits, first: str, second: str) -> Pairs:
    return [(raters[first], raters[second]) for raters in units.values() if first in raters and second in raters]


def _expert_pairs(units: RatedUnits, system: str | None) -> Pairs:
    both = ((raters.get(JUDGE), experts_mean(raters)) for _, raters in _of_system(units, system))
    return [(judge, expert) for judge, expert in both if judge is not None and expert is not None]
