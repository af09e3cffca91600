"""The offline judge's verdict on each criterion by itself, with a passage of the answer as evidence; no sums."""

from __future__ import annotations

from typing import Any

from grader.judging.baseline.opinion import BASELINE, Opinion, harmless
from grader.judging.baseline.statements import split_statements
from grader.judging.baseline.tiers import described, match_criteria
from grader.judging.text_matching import THRESHOLD, Match, match_criterion
from grader.records import Criterion, Item
from grader.rubric import Rubric

_NOTICE = (
    f"{BASELINE} Each criterion was looked up in the answer and counts as met from {THRESHOLD:.0%} of its words, by "
    "weight; its evidence is the passage that has most of them."
)
_LONGEST_EVIDENCE = 240
"""Characters."""


def judge_criteria(item: Item, rubric: Rubric) -> Opinion:
    """Return an entry for every criterion of `item`."""
    matches = match_criteria(item)
    entries = [_entry(criterion, match, item) for criterion, match in matches]
    return Opinion(
        notice=_NOTICE,
        values={rubric.output.score: entries},
        reasons=tuple(described(criterion, match) for criterion, match in matches),
    )


def _entry(criterion: Criterion, match: Match, item: Item) -> dict[str, Any]:
    level = {} if criterion.level is None else {"level": _whole(criterion.level)}
    evidence = harmless(find_evidence(criterion, match, item)) if match.is_met else ""
    return {**level, "item": criterion.number, "met": match.is_met, "evidence": evidence}


def _whole(level: float) -> float:
    return int(level) if level.is_integer() else level


def find_evidence(criterion: Criterion, match: Match, item: Item) -> str:
    """Return the passage of the answer that speaks most for `criterion`, as it stands there and not too long.

    That something is *not* there can't be quoted; the beginning of the answer stands for the whole of it.
    """
    passages = split_statements(item.answer) or (item.answer,)
    best = passages[0]
    if not match.is_negated:
        best = max(passages, key=lambda text: match_criterion(criterion.text, text, question=item.question).coverage)
    return best.strip()[:_LONGEST_EVIDENCE]
