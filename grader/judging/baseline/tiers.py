"""The offline judge's total for rubrics that ask for one by criteria: tiers, or the share of criteria met."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from grader.judging.baseline.opinion import BASELINE, Opinion, on_scale, quoted
from grader.judging.text_matching import THRESHOLD, Match, match_criterion
from grader.records import Criterion, Item, format_number
from grader.rubric import Rubric

NOTICE = (
    f"{BASELINE} The terms and words of each criterion were looked up in the answer; it counts as "
    f"met from {THRESHOLD:.0%} of them, by weight, if no term is missing that the question does not name itself."
)

Matches = list[tuple[Criterion, Match]]


def judge_tiers(item: Item, rubric: Rubric) -> Opinion:
    """Return the score of the highest level with a met criterion."""
    matches = match_criteria(item)
    score, reason = _tier_score(matches, rubric)
    return _opinion(score, reason, matches, rubric)


def judge_share(item: Item, rubric: Rubric) -> Opinion:
    """Return the share of the points of the met criteria, on the rubric's scale."""
    matches = match_criteria(item)
    possible = sum(criterion.points for criterion, _ in matches if criterion.points > 0)
    reached = sum(criterion.points for criterion, match in matches if match.is_met)
    score = on_scale(reached / possible if possible else 0.0, rubric.scale)
    return _opinion(score, f"{reached:g} of {possible:g} points are reached.", matches, rubric)


def match_criteria(item: Item) -> Matches:
    """Return every criterion of `item` with what was found of it in the answer."""
    return [
        (criterion, match_criterion(criterion.text, item.answer, question=item.question)) for criterion in item.criteria
    ]


def _opinion(score: float, reason: str, matches: Matches, rubric: Rubric) -> Opinion:
    reasons = (*(described(*match) for match in matches), reason)
    return Opinion(notice=NOTICE, values={rubric.output.score: score}, reasons=reasons)


def _tier_score(matches: Iterable[tuple[Criterion, Match]], rubric: Rubric) -> tuple[float, str]:
    """Return the score by tiers and the reason for it.

    This repeats what `scoring.rules.tiered` knows: a judge is asked for a total, and judging may not import scoring.
    """
    met = Counter(criterion.level for criterion, match in matches if match.is_met and criterion.level is not None)
    if not met:
        return rubric.scale.min, "No criterion is met."
    level, count = max(met.items())
    score = min(rubric.scale.max, count * rubric.level_points(level))
    return score, f"Level {format_number(level)} is the highest with a met criterion ({count}), which decides."


def described(criterion: Criterion, match: Match) -> str:
    """Return what was found of a criterion, in one line."""
    level = f"Level {format_number(criterion.level)}, criterion" if criterion.level is not None else "Criterion"
    verdict = "met" if match.is_met else "not met"
    wish = ", it should not occur" if match.is_negated else ""
    evidence = "; ".join(
        f"{label}: {', '.join(map(quoted, terms))}"
        for label, terms in (("found", match.found), ("in part", match.partly), ("missing", match.missing))
        if terms
    )
    return f"{level} {criterion.number}: {verdict} ({match.coverage:.0%}{wish}). {evidence}".rstrip()
