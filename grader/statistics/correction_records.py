"""The records of a judge's mean corrected by experts' scores; they do nothing themselves."""

from __future__ import annotations

from dataclasses import dataclass

from grader.statistics.estimate import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class MoreRows:
    """How many more answers experts must score for a narrower interval."""

    margin: float
    """Half the width that is wanted, in points of the scale."""
    count: int | None
    """`None` where no number does."""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedMean:
    """One system's mean by the judge, by experts on a random sample, and the judge's corrected by that sample."""

    system: str | None
    """`None` for all systems together."""
    labelled_count: int
    """Answers that experts scored blind and the judge scored too."""
    row_count: int
    """Answers that could have been drawn and have a score of the judge."""
    judge: Estimate
    """Of the judge's scores alone, of all rows."""
    experts: Estimate
    """Of the experts' blind scores alone."""
    ppi: Estimate
    """The prediction-powered mean."""
    rogan_gladen: Estimate | None
    """Of verdicts of yes or no; `None` for other scales."""
    more: MoreRows | None
    """`None` where nothing could be corrected."""
