"""Goes through the grades once, for all that must be known before the first row is written; keeps no grade.

Its figures are the true values of Summary's formulas.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from grader.outputs.graded_workbook.distribution import ScoreClass, class_index, score_classes
from grader.outputs.graded_workbook.expert_entries import NO_ENTRY, ExpertEntry, entry_for, final_score
from grader.outputs.graded_workbook.keys import grade_key
from grader.outputs.graded_workbook.review_columns import ALWAYS, Column, FieldColumn, ReviewColumn, field_columns
from grader.outputs.graded_workbook.review_row import field_text
from grader.outputs.means import RunningMean
from grader.records import Grade
from grader.rubric import Rubric


@dataclass(slots=True)
class SystemFigures:
    """One system's figures, the expert's scores taken before the judge's."""

    classes: list[int]
    """How many final scores each class of the distribution holds."""
    planned: int = 0
    needs_review: int = 0
    final: RunningMean = field(default_factory=RunningMean)
    judge: RunningMean = field(default_factory=RunningMean)
    expert_count: int = 0
    same_count: int = 0
    """Expert scores that equal the judge's."""
    difference: RunningMean = field(default_factory=RunningMean)
    """Expert minus judge."""
    distance: RunningMean = field(default_factory=RunningMean)

    @property
    def other_count(self) -> int:
        """Final scores between the values of the scale that are offered."""
        return self.final.n - sum(self.classes)


@dataclass(slots=True)
class Survey:
    """What the grades are like: which columns they need, how long their texts are, and all sums."""

    rubric: Rubric
    classes: tuple[ScoreClass, ...]
    count: int = 0
    systems: dict[str, SystemFigures] = field(default_factory=dict)
    groups: dict[str, dict[str, RunningMean]] = field(default_factory=dict)
    """Final means by group, then by system, in the order of first sight."""
    fields: tuple[FieldColumn, ...] = ()
    """The columns of the rubric's own fields, whether or not some item has text for them."""
    columns: set[ReviewColumn] = field(default_factory=lambda: set[ReviewColumn](ALWAYS))
    lengths: dict[ReviewColumn, int] = field(default_factory=dict)
    """Characters in all cells of a column together."""
    carried: set[str] = field(default_factory=set)
    """Keys of the rows whose expert entries were carried over."""

    @property
    def scored(self) -> int:
        """Items with a final score."""
        return sum(figures.final.n for figures in self.systems.values())

    @property
    def needs_sample_note(self) -> bool:
        """Whether some item was graded more than once, which intervals do not know."""
        return Column.SAMPLE in self.columns

    def leaderboard(self) -> list[str]:
        """Return the systems, highest final mean first, those without any score last."""
        return sorted(self.systems, key=self._rank)

    def _rank(self, system: str) -> tuple[bool, float]:
        mean = self.systems[system].final.mean().value
        return (mean is None, -(mean or 0.0))


def survey_grades(grades: Iterable[Grade], rubric: Rubric, entries: Mapping[str, ExpertEntry]) -> Survey:
    """Return the survey of `grades`, with what the expert has typed before in its place."""
    survey = Survey(rubric, score_classes(rubric.scale), fields=field_columns(rubric))
    for grade in grades:
        entry = entry_for(grade, entries)
        if entry is not NO_ENTRY:
            survey.carried.add(grade_key(grade))
        _look_at_texts(survey, grade)
        _count(survey, grade, entry)
    return survey


def _look_at_texts(survey: Survey, grade: Grade) -> None:
    item = grade.item
    texts: dict[ReviewColumn, int] = {
        **{column: len(field_text(item, column)) for column in survey.fields},
        Column.ID: len(item.id),
        Column.SYSTEM: len(item.system),
        Column.GROUP: len(item.group or ""),
        Column.QUESTION: len(item.question),
        Column.REFERENCE: len(item.reference),
        Column.CRITERIA: sum(len(criterion.text) + 5 for criterion in item.criteria),
        Column.ANSWER: len(item.answer),
        Column.ANALYSIS: len(grade.verdict.analysis),
        Column.SAMPLE: grade.sample > 1,
    }
    survey.count += 1
    survey.columns.update(column for column, length in texts.items() if length)
    for column, length in texts.items():
        survey.lengths[column] = survey.lengths.get(column, 0) + length


def _count(survey: Survey, grade: Grade, entry: ExpertEntry) -> None:
    system = grade.item.system
    figures = survey.systems.setdefault(system, SystemFigures([0] * len(survey.classes)))
    figures.planned += 1
    figures.needs_review += grade.needs_review
    judge, expert, final = grade.verdict.score, entry.number, final_score(grade, entry, survey.rubric)
    if judge is not None:
        figures.judge.add(judge)
    if expert is not None:
        figures.expert_count += 1
        _compare(figures, judge, expert)
    if final is not None:
        figures.final.add(final)
        place = class_index(survey.classes, final)
        if place is not None:
            figures.classes[place] += 1
    if grade.item.group:
        mean = survey.groups.setdefault(grade.item.group, {}).setdefault(system, RunningMean())
        if final is not None:
            mean.add(final)


def _compare(figures: SystemFigures, judge: float | None, expert: float) -> None:
    if judge is not None:
        figures.same_count += expert == judge
        figures.difference.add(expert - judge)
        figures.distance.add(abs(expert - judge))
