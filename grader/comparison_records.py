"""The records of several systems or judges side by side, as the table, the file and the sheet show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.statistics.comparison import RESAMPLES, SEED, PairedDifference
from grader.statistics.correction_records import CorrectedMean
from grader.statistics.estimate import Estimate

NOTES = (
    "The unit is a question: several samples of one answer are averaged first, and only questions that both have a "
    "score for are compared. Intervals are 95 %.",
    "Mean: of all questions that one has a score for, as in the run's own table. Difference: first minus second, over "
    "the questions that both have.",
    "p: how often chance alone would set two that are equal as far apart. Corrected after Holm for all comparisons of "
    "the table; below 0.05 two are told apart. Where few questions differ the interval may be too narrow: p decides.",
    "Rank: one more than the number of those that are told apart as better. Those that share a rank are in no order.",
    "Detectable: the true difference that as many questions would show in 80 of 100 cases (paired t test at 5 %, "
    "one comparison). A smaller one may be there and stay unseen.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How one of those compared stands."""

    name: str
    run: str
    """The folder of its run."""
    judge: str
    mean: Estimate
    rank: int | None
    """`None` without a mean, and where judges are compared: no judge ranks above another."""
    not_told_apart: tuple[str, ...]
    planned: int
    unscored: int
    is_complete: bool
    groups: Mapping[str, Estimate]
    corrected: CorrectedMean | None = None
    """Where experts scored some answers blind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What one of two got for one question."""

    name: str
    score: float
    answer: str
    analysis: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FarApart:
    """A question on which two differ much."""

    item_id: str
    question: str
    group: str
    first: Side
    second: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Several systems, or several judges of the same answers, side by side."""

    kind: str
    """`systems` or `judges`."""
    scores: str
    """Which scores count: `final` (an expert's before the judge's) or `judge`."""
    scale: tuple[float, float]
    rubrics: tuple[str, ...]
    standings: tuple[Standing, ...]
    pairs: tuple[PairedDifference, ...]
    groups: Mapping[str, tuple[PairedDifference, ...]]
    """The same pairs within each group, Holm's correction over all of them together."""
    far_apart: tuple[FarApart, ...]
    warnings: tuple[str, ...]
    """What was left out, and what does not match."""
    notes: tuple[str, ...] = NOTES
    seed: int = SEED
    resamples: int = RESAMPLES
