"""The tiered rule: the highest level with a met criterion decides (RUBRICS, tiered); reads no reply itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from grader.records import Criterion, Item, Verdict, format_number
from grader.rubric import Rubric
from grader.scoring.numbers import parse_score
from grader.scoring.reading import Reading


def score_tiered(reading: Reading, item: Item, rubric: Rubric) -> Verdict:
    """Return the judge's score, flagged `unreachable_score` where the row's criteria cannot give it.

    Raises:
        UnreadableReply: the score is not one number, or off the scale.
    """
    score = parse_score(reading.values[rubric.output.score], rubric.scale)
    reachable = reachable_scores(item.criteria, rubric)
    if score in reachable:
        return Verdict(status=reading.status, score=score, analysis=reading.analysis)
    return Verdict(
        status=reading.status,
        score=score,
        flags=("unreachable_score",),
        analysis=reading.analysis,
        reason=f"The score {format_number(score)} cannot result from these criteria; the possible scores are "
        f"{', '.join(map(format_number, reachable))}.",
    )


def reachable_scores(criteria: Iterable[Criterion], rubric: Rubric) -> tuple[float, ...]:
    """Return every score that a row can have, lowest first: 0, and 1…n met criteria of each of its levels."""
    counts = Counter(criterion.level for criterion in criteria if criterion.level is not None)
    scores = {rubric.scale.min}
    for level, count in counts.items():
        scores.update(min(rubric.scale.max, met * rubric.level_points(level)) for met in range(1, count + 1))
    return tuple(sorted(scores))
