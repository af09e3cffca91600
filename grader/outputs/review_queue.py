"""Says which grades an expert should look at, and why, in words; shows and stores nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import pairwise

from grader.outputs.graded_workbook.keys import grade_key
from grader.records import Grade, Status, format_number
from grader.rubric import Rubric, Scale

NEAR_SHARE = 0.02
"""How near to the edge of a band is near, as a share of the scale: a judge asked again may well land across it."""

DIFFERENT_SHARE = 0.1
"""How far apart two samples of one item may be, as a share of the scale, before an expert should look."""

_STATUS_REASONS = {
    Status.PARSE_ERROR: "no clear verdict",
    Status.OUT_OF_RANGE: "off the scale",
    Status.TRUNCATED: "reply cut off",
    Status.EMPTY_REPLY: "empty reply",
    Status.REFUSED: "refused",
    Status.CONTENT_FILTER: "content filter",
    Status.PROVIDER_ERROR: "call failed",
    Status.SKIPPED: "skipped",
}

_FLAG_REASONS = {
    "unreachable_score": "impossible score",
    "evidence_not_found": "quote not in answer",
    "no_context": "no context",
    "capped": "limited by low accuracy",
    "final_recomputed": "total recomputed",
    "suspicious": "answer addresses the judge",
}

_HARMLESS_FLAGS = frozenset({"empty_answer"})


class Urgency(IntEnum):
    """How much a reason matters, the most first."""

    NO_SCORE = 0
    DISAGREEMENT = 1
    FLAGGED = 2
    NEAR = 3
    REPAIRED = 4


@dataclass(frozen=True, slots=True, order=True)
class Reason:
    """One reason to look at a grade."""

    urgency: Urgency
    words: str


@dataclass(slots=True)
class ReviewQueue:
    """What must be known of all grades before one of them can be judged by itself: two numbers for each item.

    Needed only where items are judged more than once, or by several experts; without, an empty one serves.
    """

    rubric: Rubric
    disputed: Collection[str] = frozenset()
    """Keys (`keys.grade_key`) of the grades on which experts differ."""
    _ranges: dict[tuple[str, str], tuple[float, float]] = field(default_factory=dict)

    def see(self, grade: Grade) -> None:
        """Take note of a grade's score."""
        score = grade.verdict.score
        if score is not None:
            item = (grade.item.system, grade.item.id)
            low, high = self._ranges.get(item, (score, score))
            self._ranges[item] = (min(low, score), max(high, score))

    def samples_range(self, grade: Grade) -> tuple[float, float] | None:
        """Return the lowest and the highest score of the item's samples; `None` where none has one."""
        return self._ranges.get((grade.item.system, grade.item.id))


def queue_of(grades: Iterable[Grade], rubric: Rubric, disputed: Collection[str] = frozenset()) -> ReviewQueue:
    """Return the queue of these grades, which are gone through once."""
    queue = ReviewQueue(rubric, disputed)
    for grade in grades:
        queue.see(grade)
    return queue


def review_reasons(grade: Grade, queue: ReviewQueue) -> tuple[str, ...]:
    """Return why an expert should look at a grade, in words, the most urgent first; empty where nothing says so."""
    return tuple(reason.words for reason in urgent_reasons(grade, queue))


def urgent_reasons(grade: Grade, queue: ReviewQueue) -> list[Reason]:
    """Return the same with how urgent each is."""
    verdict, reasons = grade.verdict, []
    if verdict.score is None:
        reasons.append(Reason(Urgency.NO_SCORE, f"no score: {_STATUS_REASONS[verdict.status]}"))
    reasons += _disagreements(grade, queue)
    reasons += [Reason(Urgency.FLAGGED, _flag_reason(flag)) for flag in verdict.flags if flag not in _HARMLESS_FLAGS]
    edge = None if verdict.score is None else near_edge(verdict.score, queue.rubric)
    if edge is not None:
        reasons.append(Reason(Urgency.NEAR, f"near {format_number(edge)}"))
    if verdict.status is Status.REPAIRED:
        reasons.append(Reason(Urgency.REPAIRED, "repaired"))
    return reasons


def near_edge(score: float, rubric: Rubric) -> float | None:
    """Return the top of the band whose edge `score` is near, within 2 % of the scale; `None` where it is near none.

    A judge's numbers scatter by a few points when it is asked again, which does not matter inside a band and does
    where another band begins. On a scale of coarse steps, such as 1 to 5 or the tiers, each value is a statement of
    its own and none is near another. Bands beyond the scale are those of its dimensions and have no edges on it.
    """
    scale = rubric.scale
    reach = NEAR_SHARE * (scale.max - scale.min)
    if scale.choices or (scale.step or 0.0) > reach or not _has_bands_of_scale(rubric):
        return None
    bands = sorted(rubric.bands, key=lambda band: band.min)
    distances = [
        (max(below.max - score, score - above.min, 0.0), below.max)
        for below, above in pairwise(bands)
        if below.max - reach <= score <= above.min + reach
    ]
    return min(distances)[1] if distances else None


def differ(scores: Iterable[float], scale: Scale) -> bool:
    """Return whether scores of one answer are so far apart that they say different things."""
    found = list(scores)
    return len(found) > 1 and max(found) - min(found) > DIFFERENT_SHARE * (scale.max - scale.min) + 1e-9


def _has_bands_of_scale(rubric: Rubric) -> bool:
    scale = rubric.scale
    return all(scale.min <= band.min <= band.max <= scale.max for band in rubric.bands)


def _disagreements(grade: Grade, queue: ReviewQueue) -> list[Reason]:
    reasons = []
    if queue.disputed and grade_key(grade) in queue.disputed:
        reasons.append(Reason(Urgency.DISAGREEMENT, "experts differ"))
    found = queue.samples_range(grade)
    if found is not None and differ(found, queue.rubric.scale):
        low, high = map(format_number, found)
        reasons.append(Reason(Urgency.DISAGREEMENT, f"samples differ: {low} to {high}"))
    return reasons


def _flag_reason(flag: str) -> str:
    return _FLAG_REASONS.get(flag, flag.replace("_", " "))
