"""Turns a run's grades and its experts' entries into the ratings that agreement is measured on; measures nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from grader.outputs.expert_scores import Standing, criterion_of, latest_overrides, standing_entries
from grader.outputs.graded_workbook.entry_rows import CriterionKey
from grader.records import Grade, Override
from grader.statistics.ratings import JUDGE, Rating


def expert_ratings(grades: Iterable[Grade], overrides: Sequence[Override]) -> Iterator[Rating]:
    """Yield what each expert gave to an answer or a criterion of it, and what the judge gave to the same.

    Stale entries and comments alone are no ratings, and what no expert rated is left out.
    """
    latest = latest_overrides(overrides)
    for grade in grades:
        standing = [each for each in standing_entries(grade, latest) if not each.is_stale]
        if standing:
            yield from _of_judge(grade)
            yield from _of_experts(grade, standing)


def _of_judge(grade: Grade) -> Iterator[Rating]:
    item, verdict = grade.item, grade.verdict
    scores: list[tuple[CriterionKey | None, float]] = [
        ((each.level, each.number), float(each.met)) for each in verdict.items
    ]
    if verdict.score is not None:
        scores.append((None, verdict.score))
    for criterion, score in scores:
        yield Rating(
            system=item.system,
            item_id=item.id,
            sample=grade.sample,
            criterion=criterion,
            rater=JUDGE,
            score=score,
        )


def _of_experts(grade: Grade, standing: Iterable[Standing]) -> Iterator[Rating]:
    for each in standing:
        override = each.override
        score = override.score if override.met is None else float(override.met)
        if score is not None:
            yield Rating(
                system=grade.item.system,
                item_id=grade.item.id,
                sample=grade.sample,
                criterion=criterion_of(override),
                rater=override.reviewer,
                score=score,
                is_blind=override.is_blind,
            )
