"""Reads a run's stored replies again with today's readers and rules; asks no judge and reads no answers file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from grader import __version__
from grader.judging.runner import deciding_verdict
from grader.records import Grade, StoredGrade, Verdict
from grader.rubric import Rubric
from grader.rubric_method import flagged
from grader.scoring.replies import empty_answer_verdict, score_reply
from grader.store.rows import now
from grader.store.run_head import RunHead, keep_head
from grader.store.run_store import RunStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A grade that reads differently today."""

    position: int
    before: Grade
    after: Grade

    @property
    def is_of_score(self) -> bool:
        """Whether the score or the status changed, and not just flags or reasons."""
        old, new = self.before.verdict, self.after.verdict
        return (old.score, old.status) != (new.score, new.status)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescored:
    """What reading a run again makes of it."""

    grade_count: int
    unscored_count: int
    """Grades without a score today."""
    changes: tuple[Change, ...]
    """In the run's order."""


def rescore(store: RunStore, rubric: Rubric) -> Rescored:
    """Return what `rubric` makes of every stored reply today; changes nothing.

    A grade rests on all replies to its item, whether or not they would be asked for today: the same one decides.
    """
    changes: list[Change] = []
    grade_count = unscored_count = 0
    for stored in store.grades().stored():
        before = stored.grade
        after = replace(before, rubric=rubric.name, verdict=_verdict(before, rubric))
        grade_count += 1
        unscored_count += after.verdict.score is None
        if after != before:
            changes.append(Change(position=stored.position, before=before, after=after))
    return Rescored(grade_count=grade_count, unscored_count=unscored_count, changes=tuple(changes))


def keep_changes(store: RunStore, head: RunHead, changes: Sequence[Change], rubric: Rubric) -> RunHead:
    """Commit the changed grades, and return the head of the run that they now belong to."""
    store.write([StoredGrade(position=change.position, grade=change.after) for change in changes])
    rescored = f"{now()} by grader {__version__}"
    renewed = replace(head, rubric=rubric, record={**head.record, "rubric": rubric.name, "rescored": rescored})
    keep_head(store, renewed)
    return renewed


def _verdict(grade: Grade, rubric: Rubric) -> Verdict:
    if not grade.replies:  # an empty answer, which no judge was asked about
        return flagged(empty_answer_verdict(rubric), grade.item, rubric)
    verdicts = [score_reply(reply, grade.item, rubric) for reply in grade.replies]
    return flagged(deciding_verdict(verdicts), grade.item, rubric)
