"""Sums up the grades of a run, by system and by group, and writes summary.json; makes no comparison of systems."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.outputs.atomic_file import writing
from grader.outputs.results_jsonl import ExpertView, cost_usd, unreviewed
from grader.records import CallTotals, Grade, SkippedItem, Status
from grader.statistics.estimate import Estimate
from grader.statistics.means import QuestionMeans

COMPLETE_SHARE = 0.95
"""A run with a smaller share of scored items is INCOMPLETE (RELIABILITY 1)."""

_MOST_REASONS = 20


@dataclass(slots=True)
class SystemSummary:
    """What became of one system's items; `mean` is over those with a score."""

    system: str
    planned: int = 0
    """Items that were to be graded."""
    skipped: int = 0
    """Questions or answers that found no partner, and so are no items."""
    flagged: int = 0
    needs_review: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    two_scores: tuple[float, float] | None = None
    """The only two scores there can be, of a rubric that says yes or no."""
    score: QuestionMeans = field(init=False)
    groups: dict[str, QuestionMeans] = field(default_factory=dict)
    final: QuestionMeans = field(init=False)
    """Of the scores that count: the experts' where there are any, else the judge's."""
    reviewed: int = 0
    """Items about which an expert has entered a score or a verdict."""
    changed: int = 0
    """Items whose final score is not the judge's."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cost_usd: float | None = None
    has_unknown_cost: bool = False

    def __post_init__(self) -> None:
        self.score, self.final = QuestionMeans(self.two_scores), QuestionMeans(self.two_scores)

    @property
    def mean(self) -> Estimate:
        """The mean score with its interval."""
        return self.score.mean()

    @property
    def unscored(self) -> int:
        """Items without a score, those not reached included."""
        return self.planned - self.score.score_count

    def add(self, grade: Grade, view: ExpertView | None = None) -> None:
        """Count one grade; without `view` as one that no expert has looked at."""
        verdict = grade.verdict
        view = view or unreviewed(grade)
        self.statuses[str(verdict.status)] += 1
        self.flagged += bool(set(verdict.flags) - {"empty_answer"})
        self.needs_review += view.needs_review
        self._add_final(grade, view)
        if verdict.score is not None:
            item = grade.item
            self.score.add(item.id, verdict.score)
            if item.group is not None:
                self.groups.setdefault(item.group, QuestionMeans(self.two_scores)).add(item.id, verdict.score)
        self._add_calls(grade)

    def _add_final(self, grade: Grade, view: ExpertView) -> None:
        entry = view.entry
        has_verdict = any(isinstance(criterion.met, bool) for criterion in entry.criteria.values())
        self.reviewed += entry.number is not None or has_verdict
        self.changed += view.final_score != grade.verdict.score
        if view.final_score is not None:
            self.final.add(grade.item.id, view.final_score)

    def _add_calls(self, grade: Grade) -> None:
        for reply in grade.replies:
            self.seconds += reply.seconds
            if reply.usage is not None:
                self.prompt_tokens += reply.usage.prompt_tokens
                self.completion_tokens += reply.usage.completion_tokens
        cost = cost_usd(grade)
        self.has_unknown_cost |= cost is None and any(reply.error is None for reply in grade.replies)
        if cost is not None:
            self.cost_usd = (self.cost_usd or 0.0) + cost


@dataclass(slots=True)
class Summary:
    """What became of a run, by system in the order of its answers."""

    systems: dict[str, SystemSummary] = field(default_factory=dict)
    two_scores: tuple[float, float] | None = None
    """The only two scores there can be, of a rubric that says yes or no."""
    calls: CallTotals = field(default_factory=CallTotals)
    """All calls of the run; a reply that serves two systems is in both of theirs, and here once."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Why items have no score, as `status: reason`, and how many."""

    def of(self, system: str) -> SystemSummary:
        """Return one system's summary, begun now if it is new."""
        if system not in self.systems:
            self.systems[system] = SystemSummary(system, two_scores=self.two_scores)
        return self.systems[system]

    def add(self, grade: Grade, view: ExpertView | None = None) -> None:
        """Count one grade; without `view` as one that no expert has looked at."""
        self.of(grade.item.system).add(grade, view)
        if grade.verdict.score is None:
            self.reasons[f"{grade.verdict.status}: {grade.verdict.reason}"] += 1

    def add_unreached(self, item: SkippedItem) -> None:
        """Count an item that was to be graded and was not."""
        self.of(item.system).statuses[Status.SKIPPED] += 1
        self.reasons[f"{Status.SKIPPED}: {item.reason}"] += 1

    @property
    def planned(self) -> int:
        """Items that were to be graded."""
        return sum(system.planned for system in self.systems.values())

    @property
    def unscored(self) -> int:
        """Items without a score."""
        return sum(system.unscored for system in self.systems.values())

    @property
    def statuses(self) -> Counter[str]:
        """How many items ended in which status."""
        return sum((system.statuses for system in self.systems.values()), Counter())

    @property
    def is_complete(self) -> bool:
        """Whether so many items have a score that the means can be read."""
        return self.planned == 0 or 1 - self.unscored / self.planned >= COMPLETE_SHARE

    @property
    def groups(self) -> list[str]:
        """Every group there is, in the order of first sight."""
        return list(dict.fromkeys(group for system in self.systems.values() for group in system.groups))


def empty_summary(
    *,
    planned: Mapping[str, int],
    skipped: Iterable[SkippedItem] = (),
    calls: CallTotals | None = None,
    two_scores: tuple[float, float] | None = None,
) -> Summary:
    """Return a summary without grades yet; `planned` says how many items each system has, reached or not."""
    summary = Summary(two_scores=two_scores, calls=calls or CallTotals())
    for system, count in planned.items():
        summary.of(system).planned = count
    for item in skipped:
        summary.of(item.system).skipped += 1
    return summary


def write_summary(path: Path, summary: Summary, *, run: Mapping[str, Any]) -> None:
    """Write summary.json: what `run` says of the run, then the counts, means and costs."""
    systems = [_system_record(system) for system in summary.systems.values()]
    planned, unscored = summary.planned, summary.unscored
    record = {
        **run,
        "is_complete": summary.is_complete,
        "items": {"planned": planned, "scored": planned - unscored, "unscored": unscored},
        "statuses": dict(summary.statuses),
        "unscored_reasons": dict(summary.reasons.most_common(_MOST_REASONS)),
        "calls": summary.calls.calls,
        "usage": {
            "prompt_tokens": summary.calls.prompt_tokens,
            "completion_tokens": summary.calls.completion_tokens,
        },
        "cost_usd": total_cost_usd(summary),
        "systems": systems,
    }
    with writing(path) as file:
        json.dump(record, file, ensure_ascii=False, indent=2)
        file.write("\n")


def total_cost_usd(summary: Summary) -> float | None:
    """Return what the run cost; `None` where a price is unknown or nothing was called."""
    return None if summary.calls.unpriced else summary.calls.cost_usd


def _system_record(system: SystemSummary) -> dict[str, Any]:
    return {
        "system": system.system,
        "planned": system.planned,
        **_mean_record(system.mean),
        "final": {**_mean_record(system.final.mean()), "reviewed": system.reviewed, "changed": system.changed},
        "unscored": system.unscored,
        "skipped": system.skipped,
        "flagged": system.flagged,
        "needs_review": system.needs_review,
        "statuses": dict(system.statuses),
        "groups": {group: _mean_record(mean.mean()) for group, mean in system.groups.items()},
        "usage": {"prompt_tokens": system.prompt_tokens, "completion_tokens": system.completion_tokens},
        "cost_usd": None if system.has_unknown_cost else system.cost_usd,
        "seconds": round(system.seconds, 3),
    }


def _mean_record(mean: Estimate) -> dict[str, Any]:
    interval = None if mean.low is None or mean.high is None else [mean.low, mean.high]
    reason = {"interval_reason": mean.reason} if mean.reason else {}
    return {"n": mean.n, "mean": mean.value, "interval": interval, "interval_method": f"{mean.method}, 95 %", **reason}
