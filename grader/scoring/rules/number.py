"""The rule of every type whose judge gives the score itself, as one number: likert, integrity, checklist."""

from __future__ import annotations

from grader.records import Item, Verdict
from grader.rubric import Rubric
from grader.scoring.numbers import parse_score
from grader.scoring.reading import Reading


def score_number(reading: Reading, item: Item, rubric: Rubric) -> Verdict:
    """Return the judge's number.

    Raises:
        UnreadableReply: it is not one number, or off the scale.
    """
    score = parse_score(reading.values[rubric.output.score], rubric.scale)
    return Verdict(status=reading.status, score=score, analysis=reading.analysis)
