"""The weighted rule: points of the met criteria over all positive points (RUBRICS, points)."""

from __future__ import annotations

from grader.criterion_score import points_score
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
    try:
        score = points_score(verdicts, item, rubric)
    except ValueError as error:
        raise UnreadableReply(str(error)) from error
    return Verdict(
        status=Status.REPAIRED if is_read_leniently(reading, rubric) else Status.OK,
        score=score,
        items=verdicts,
        flags=("evidence_not_found",) if has_invented_evidence(verdicts, item.answer) else (),
        analysis=reading.analysis,
    )
