"""The tiered rule applied by code to what the judge says of every criterion (RUBRICS, tiered-items)."""

from __future__ import annotations

from grader.criterion_score import tiered_score
from grader.records import Item, Status, Verdict
from grader.rubric import Rubric
from grader.scoring.reading import Reading
from grader.scoring.rules.criteria import criterion_verdicts, has_invented_evidence, is_read_leniently


def score_tiered_items(reading: Reading, item: Item, rubric: Rubric) -> Verdict:
    """Return the score of the highest level with a met criterion; flagged where a quote is not in the answer.

    Raises:
        UnreadableReply: not every criterion is answered exactly once.
    """
    verdicts = criterion_verdicts(reading, item, rubric)
    return Verdict(
        status=Status.REPAIRED if is_read_leniently(reading, rubric) else Status.OK,
        score=tiered_score(verdicts, item, rubric),
        items=verdicts,
        flags=("evidence_not_found",) if has_invented_evidence(verdicts, item.answer) else (),
        analysis=reading.analysis,
    )
