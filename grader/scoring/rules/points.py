"""The weighted rule: points of the met criteria over all positive points (RUBRICS, points)."""

from __future__ import annotations

from grader.records import Item, Status, Verdict
from grader.rubric import Rubric
from grader.scoring.reading import Reading, UnreadableReply
from grader.scoring.rules.criteria import criterion_verdicts, has_invented_evidence, is_read_leniently


def score_points(reading: Reading, item: Item, rubric: Rubric) -> Verdict:
    """Return the scale's top times the share of the points reached, within the scale.

    Raises:
        UnreadableReply: not every criterion is answered exactly once.
    """
    verdicts = criterion_verdicts(reading, item, rubric)
    possible = sum(criterion.points for criterion in item.criteria if criterion.points > 0)
    if possible <= 0:
        raise UnreadableReply("None of the criteria has positive points.")
    reached = sum(criterion.points for criterion, verdict in zip(item.criteria, verdicts, strict=True) if verdict.met)
    return Verdict(
        status=Status.REPAIRED if is_read_leniently(reading, rubric) else Status.OK,
        score=rubric.scale.max * min(possible, max(0.0, reached)) / possible,
        items=verdicts,
        flags=("evidence_not_found",) if has_invented_evidence(verdicts, item.answer) else (),
        analysis=reading.analysis,
    )
