"""The records of how far judge and experts agree, from the report down to two raters; they do nothing themselves."""

from __future__ import annotations

from dataclasses import dataclass

from grader.statistics.alpha import RESAMPLES, SEED
from grader.statistics.correction_records import CorrectedMean
from grader.statistics.estimate import Estimate
from grader.statistics.steps import Step

MOST_CRITERIA = 50
"""Single criteria that are listed."""

NOTES = (
    "The unit is one answer (of criteria: one criterion of one answer); several samples of it by one rater are "
    "averaged first, and where there are several experts their mean stands for them.",
    "Blind: the expert had not seen the judge's score. Seen: the expert had, and may have entered a score only where "
    "it differs, so that agreement there is no measure of the judge. Only rows with an entry are counted: rows left "
    "empty are not counted as agreement.",
    "Intervals are 95 %. Where several answers or criteria belong to one question, those of the shares, of the "
    "differences and of alpha take whole questions as drawn; kappa's, Spearman's and single experts' take each alone.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAgreement:
    """How far two raters agree over the units that both rated."""

    first: str
    second: str
    system: str | None
    """`None` for all systems together."""
    n: int
    exact: Estimate
    """Share of the units to which both gave the same."""
    near: Estimate | None
    """Share no further apart than one step of the scale; `None` for criteria, which have none."""
    kappa: Estimate
    spearman: Estimate
    difference: Estimate
    """Mean of second minus first."""
    distance: Estimate
    """Mean absolute difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupAgreement:
    """How far several raters agree all together."""

    raters: tuple[str, ...]
    system: str | None
    """`None` for all systems together."""
    alpha: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How far all raters agree, in scores of whole answers or in criteria."""

    reading: str
    """In one plain sentence, how far judge and experts agree."""
    judge_and_experts: tuple[PairAgreement, ...]
    """The judge and the mean of the experts: all systems first, then each by name."""
    judge_and_each: tuple[PairAgreement, ...]
    """The judge and each expert, over all systems."""
    between_experts: tuple[PairAgreement, ...]
    """Each two experts, over all systems."""
    together: tuple[GroupAgreement, ...]
    """Judge and experts, all systems first, then each; then the experts alone over all systems, if several."""
    counts: tuple[tuple[float, float, int], ...]
    """What the judge gave, what an expert gave, and how often, lowest first; each expert counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionAgreement:
    """How far judge and experts agree on one criterion over the systems whose answers both rated by it."""

    item_id: str
    level: float | None
    number: int
    exact: Estimate
    judge_mean: float
    """Share of the answers for which the judge took it as met."""
    expert_mean: float
    """The same of the experts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """All that is known from one way of entering."""

    is_blind: bool
    experts: tuple[str, ...]
    scores: Agreement
    criteria: Agreement
    disputed: tuple[CriterionAgreement, ...]
    """Criteria rated for two answers or more on which judge and experts differ, the most disputed first; at most
    `MOST_CRITERIA`."""
    without_entry: int | None = None
    """Of what was entered in sight: how many answers were shown with the judge's score and left empty; `None` where
    that is not known."""

    @property
    def counted(self) -> str:
        """Which rows the figures are of, in one plain sentence; empty where there is nothing to say."""
        if self.is_empty or self.without_entry is None:
            return ""
        left = f"{self.without_entry:,} answer{' was' if self.without_entry == 1 else 's were'} shown without one"
        return f"Only rows with an entry are counted; rows left empty are not counted as agreement ({left})."

    @property
    def is_empty(self) -> bool:
        """Whether no expert entered anything in this way."""
        return not self.experts


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementReport:
    """How far judge and experts agree: from blind entries, and apart from them from those made in sight."""

    blind: Block
    seen: Block
    step: Step
    """How far apart two scores may be to count as near."""
    corrected: tuple[CorrectedMean, ...] = ()
    """The judge's means corrected by what was scored blind: all systems first where there are several, then each."""
    notes: tuple[str, ...] = NOTES
    seed: int = SEED
    resamples: int = RESAMPLES

    @property
    def blocks(self) -> tuple[Block, Block]:
        """The blind block first."""
        return (self.blind, self.seen)
