"""How each grade of a run stands with its experts: what results.jsonl, summary.json and the workbook say of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

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

    def __init__(self, grades: Collection[Grade], overrides: Sequence[Override], rubric: Rubric) -> None:
        self._overrides, self._rubric = overrides, rubric
        self._latest = latest_overrides(overrides)
        self.entries = effective_entries(overrides, grades, rubric.scale)
        """What all experts together entered, by row key."""
        disputed = frozenset(key for key, entry in self.entries.items() if entry.experts_differ)
        self.queue = queue_of(grades, rubric, disputed)
        """Which grades need review, and why."""

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
        return {"reviewed": {"reviewers": reviewers, "last_entered": max(each.entered for each in self._overrides)}}

    def agreement(self, grades: Collection[Grade]) -> AgreementReport | None:
        """Return how far judge and experts agree; `None` where no expert has entered anything."""
        if not self._overrides:
            return None
        return agreement_report(expert_ratings(grades, self._overrides), self._rubric.scale)
