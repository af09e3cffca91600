"""The records of a probe's outcome, from the report down to one answer; they do nothing themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from grader.statistics.estimate import Estimate


class Outcome(StrEnum):
    """What came of a canary, or of a whole probe."""

    PASS = "pass"
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    NOT_TESTED = "not_tested"

    @property
    def words(self) -> str:
        """The outcome as people read it."""
        return self.value.replace("_", " ")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedItem:
    """One answer that a canary had judged, and whether its score is as it should be."""

    id: str
    variant: str
    """Which of the canary's answers it is, such as `blank`."""
    answer: str
    expected: str
    """What the score should be, in words."""
    score: float | None
    base_score: float | None = None
    """Of what it is compared with, such as the same answer without the padding."""
    margin: float | None = None
    """How far inside of what is allowed the score lies, as a share of the scale; below 0 it is outside."""
    has_passed: bool | None = None
    """`None` where nothing can be said: a call failed, or the comparison shows nothing."""
    status: str = ""
    reason: str = ""
    """Why nothing can be said, or what was odd."""
    reply_keys: tuple[str, ...] = ()
    """Identities of the calls in the probe's run.db."""
    base_reply_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryResult:
    """What one canary showed."""

    name: str
    title: str
    wants: str
    """What passes, in one sentence."""
    outcome: Outcome
    failures: Estimate
    """Share of the usable answers that were not scored as they should be."""
    at_most: float | None = None
    """Where none failed: 3 / n, the rate above which this would have been seen in 95 of 100 probes."""
    margin: float | None = None
    """The room that is left before it fails, as a share of the scale; below 0 it has failed."""
    planned: int = 0
    figures: Mapping[str, Estimate] = field(default_factory=dict)
    items: tuple[CheckedItem, ...] = ()
    reason: str = ""
    """Why it was not tested, or is inconclusive."""

    @property
    def failed(self) -> tuple[CheckedItem, ...]:
        """The answers that were not scored as they should be."""
        return tuple(item for item in self.items if item.has_passed is False)

    @property
    def unusable(self) -> tuple[CheckedItem, ...]:
        """The answers of which nothing can be said."""
        return tuple(item for item in self.items if item.has_passed is None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeReport:
    """What a probe found out about one judge with one rubric."""

    outcome: Outcome
    facts: Mapping[str, Any]
    """Judge, rubric, files, sampled questions, calls and cost: plain JSON, and never a key."""
    canaries: tuple[CanaryResult, ...]
    notes: tuple[str, ...] = ()
