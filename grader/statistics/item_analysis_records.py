"""The records of an item analysis: what goes in for each answer, what comes out for each criterion; they do nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.statistics.estimate import Estimate
from grader.statistics.ratings import CriterionPlace

NOTES = (
    "Scores and verdicts are those that count: an expert's before the judge's. Several samples of an answer are "
    "averaged first; a criterion counts as met by an answer where more than half of its samples met it.",
    "Item–rest correlation: over the systems, whether those that do well in everything else do well here too. The "
    "criterion or question itself is left out of the rest. It needs 3 systems, and from 4 on has an interval on "
    "Fisher's z; with so few systems it is a hint to look, no more.",
    "A dash stands where nothing can be computed: fewer than 3 systems, all of them the same here or in the rest, or "
    "for an interval a single answer. analysis.json gives the reason of each.",
    "Shares have Wilson intervals, rank correlations those of Bonett and Wright; all are 95 %. Over all systems the "
    "questions are what was drawn: answers to the same one count as no more than they are worth, and length and score "
    "are correlated for each system only.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysedAnswer:
    """One graded answer, as the analysis needs it."""

    system: str
    item_id: str
    score: float | None
    """The score that counts; `None` where there is none."""
    length: int
    """Of the answer, in characters."""
    met: Mapping[CriterionPlace, bool] = field(default_factory=dict)
    """The verdicts that count, where the rubric has them."""
    is_reviewed: bool = False
    """Whether an expert entered a score or a verdict."""
    is_changed: bool = False
    """Whether the score that counts is another than the judge's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionText:
    """One criterion in words, and its place."""

    item_id: str
    place: CriterionPlace
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionAnalysis:
    """How one criterion does its work."""

    item_id: str
    level: float | None
    number: int
    text: str
    met: Estimate
    """Share of the answers that meet it."""
    item_rest: Estimate
    findings: tuple[str, ...]
    """What is odd about it, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAnalysis:
    """How one question does its work."""

    item_id: str
    mean: Estimate
    """Over the systems' answers."""
    at_top: Estimate
    """Share of answers with the highest score of the scale."""
    at_floor: Estimate
    item_rest: Estimate
    findings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreAnalysis:
    """How the scores of one system, or of all together, are spread."""

    system: str | None
    """`None` for all systems together."""
    most_frequent: float | None
    bunching: Estimate
    """Share of the answers that have the most frequent score."""
    never_used: tuple[float, ...]
    """Values of the scale that no answer has; empty where any number may be given."""
    length_correlation: Estimate
    """Spearman, score and length of the answer; none over systems that share questions."""
    override_rate: Estimate
    """Share of the reviewed grades whose score an expert changed."""
    findings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NearDuplicate:
    """Two criteria that say nearly the same."""

    first: CriterionText
    second: CriterionText
    similarity: float
    """From 0 to 100."""

    @property
    def is_within_question(self) -> bool:
        """Whether both are of one question, which then counts the same thing twice."""
        return self.first.item_id == self.second.item_id


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemAnalysis:
    """How criteria, questions and scale did their work in one run."""

    scores: tuple[ScoreAnalysis, ...]
    """All systems together first, then each."""
    criteria: tuple[CriterionAnalysis, ...]
    """Empty where the rubric has no verdicts on criteria."""
    questions: tuple[QuestionAnalysis, ...]
    near_duplicates: tuple[NearDuplicate, ...]
    notes: tuple[str, ...] = NOTES
