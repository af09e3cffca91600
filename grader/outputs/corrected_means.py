"""Gathers what a run's blind sample carries: for each system, and for all, the means corrected by the experts' scores.

Only rows that the draw could take count: of answers that are empty nobody needs an expert.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from grader.outputs.expert_scores import latest_overrides, standing_entries
from grader.outputs.graded_workbook.blind_choice import can_be_drawn, draw_number
from grader.outputs.graded_workbook.keys import grade_key
from grader.records import Grade, Override
from grader.rubric import Rubric
from grader.statistics.correction import corrected_mean
from grader.statistics.correction_records import CorrectedMean

_ANSWERED_SHARE = 0.9
"""Of the rows drawn that experts must have scored: with fewer it is they who chose which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row that could be drawn."""

    system: str
    question: str
    draw: int
    judge: float | None
    expert: float | None
    """The mean of the experts' blind scores."""


def corrected_means(
    grades: Iterable[Grade], overrides: Sequence[Override], rubric: Rubric, *, margin: float | None = None
) -> tuple[CorrectedMean, ...]:
    """Return the corrected means, all systems first where there are several; nothing where none was scored blind.

    `margin` is half the width of interval that is wanted; by default half of what it is.
    """
    blind = [override for override in overrides if override.is_blind and override.number is None]
    if not blind:
        return ()
    latest = latest_overrides(blind)
    rows = [_row(grade, _expert(grade, latest)) for grade in grades if can_be_drawn(grade)]
    systems = list(dict.fromkeys(row.system for row in rows))
    refusal = not_random(rows)
    return tuple(
        _corrected([row for row in rows if system in (None, row.system)], system, rubric, margin, refusal)
        for system in ([None, *systems] if len(systems) > 1 else systems)
    )


def _expert(grade: Grade, latest: dict[str, list[Override]]) -> float | None:
    entries = standing_entries(grade, latest)
    scores = sorted(each.override.score for each in entries if not each.is_stale and each.override.score is not None)
    return sum(scores) / len(scores) if scores else None


def _row(grade: Grade, expert: float | None) -> Row:
    return Row(
        system=grade.item.system,
        question=grade.item.id,
        draw=draw_number(grade_key(grade)),
        judge=grade.verdict.score,
        expert=expert,
    )


def _corrected(
    rows: Sequence[Row], system: str | None, rubric: Rubric, margin: float | None, refusal: str
) -> CorrectedMean:
    judged = [(row, row.judge) for row in rows if row.judge is not None]
    labelled = [(row, judge, row.expert) for row, judge in judged if row.expert is not None]
    others = [(row, judge) for row, judge in judged if row.expert is None]
    return corrected_mean(
        [(judge, expert) for _, judge, expert in labelled],
        [judge for _, judge in others],
        questions=[*(row.question for row, *_ in labelled), *(row.question for row, _ in others)],
        system=system,
        ends=rubric.scale.two_scores,
        margin=margin,
        refusal=refusal,
    )


def not_random(rows: Sequence[Row]) -> str:
    """Return why the rows scored blind are no random sample; empty where they are the ones that were drawn.

    A draw takes rows by their number in it, so the rows scored must be (nearly) all of those up to the last of them.
    One in ten may be passed over, wherever it stands.
    """
    by_draw = sorted(rows, key=lambda row: row.draw)
    places = [place for place, row in enumerate(by_draw, start=1) if row.expert is not None]
    if not places:
        return ""
    # A row or two that were drawn for an earlier run of fewer systems must not make the others worthless.
    kept = places[: ceil(_ANSWERED_SHARE * len(places))]
    if len(kept) >= _ANSWERED_SHARE * kept[-1]:
        return ""
    return (
        f"not computable: {len(kept)} of the first {kept[-1]} rows drawn were scored blind, so they are no random"
        " sample; score the other rows of the sheet Blind"
    )
