"""How each grade of a run stands with its experts: what results.jsonl, summary.json and the workbook say of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from grader.outputs.corrected_means import corrected_means
from grader.outputs.expert_ratings import expert_ratings
from grader.outputs.expert_scores import effective_entries, expert_records, latest_overrides, standing_entries
from grader.outputs.graded_workbook.expert_entries import NO_ENTRY, final_score
from grader.outputs.graded_workbook.keys import grade_key
from grader.outputs.results_jsonl import ExpertView
from grader.outputs.review_queue import queue_of, review_reasons
from grader.records import Grade, Override
from grader.rubric import Rubric
from grader.statistics.agreement import agreement_report
from grader.statistics.agreement_records import AgreementReport


class ExpertViews:
    """The experts' entries about the grades of a run, `grades` being gone through twice."""

    def __init__(
        self,
        grades: Collection[Grade],
        overrides: Sequence[Override],
        rubric: Rubric,
        *,
        margin: float | None = None,
    ) -> None:
        self._overrides, self._rubric = overrides, rubric
        self._latest = latest_overrides(overrides)
        self.entries = effective_entries(overrides, grades, rubric.scale)
        """What all experts together entered, by row key."""
        disputed = frozenset(key for key, entry in self.entries.items() if entry.experts_differ)
        self.queue = queue_of(grades, rubric, disputed)
        """Which grades need review, and why."""
        self.corrected = corrected_means(grades, overrides, rubric, margin=margin)
        """The judge's means corrected by what was scored blind; `margin` is half the interval that is wanted."""

    def final_score(self, grade: Grade) -> float | None:
        """Return the score that counts: the experts' where there is one, else the judge's."""
        entry = self.entries.get(grade_key(grade), NO_ENTRY) if self.entries else NO_ENTRY
        return final_score(grade, entry, self._rubric)

    def of(self, grade: Grade) -> ExpertView:
        """Return how one grade stands."""
        entry = self.entries.get(grade_key(grade), NO_ENTRY) if self.entries else NO_ENTRY
        return ExpertView(
            entry=entry,
            final_score=final_score(grade, entry, self._rubric),
            experts=expert_records(standing_entries(grade, self._latest)) if self._latest else (),
            needs_review=bool(review_reasons(grade, self.queue)),
        )

    def record(self) -> dict[str, Any]:
        """Return what summary.json says of the review; empty where there was none."""
        if not self._overrides:
            return {}
        reviewers = sorted({override.reviewer for override in self._overrides})
        return {
            "reviewed": {"reviewers": reviewers, "last_entered": max(each.entered for each in self._overrides)},
            **({"corrected": [asdict(each) for each in self.corrected]} if self.corrected else {}),
        }

    def agreement(self, grades: Collection[Grade]) -> AgreementReport | None:
        """Return how far judge and experts agree; `None` where no expert has entered anything."""
        if not self._overrides:
            return None
        answers: Counter[bool] = Counter()
        ratings = list(expert_ratings(_counting(grades, answers), self._overrides))
        report = agreement_report(ratings, self._rubric.scale, answer_count=answers[True])
        return replace(report, corrected=self.corrected)


def _counting(grades: Iterable[Grade], answers: Counter[bool]) -> Iterator[Grade]:
    """Yield the grades, and count which are the first of their answers."""
    for grade in grades:
        answers[grade.sample == 1] += 1
        yield grade
