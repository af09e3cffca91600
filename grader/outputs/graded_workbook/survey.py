"""Goes through the grades once, for all that must be known before the first row is written; keeps no grade.

Its figures are the true values of Summary's formulas.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from grader.criterion_score import has_criterion_verdicts
from grader.outputs.graded_workbook.blind_choice import BlindChoice, BlindWish, can_be_drawn
from grader.outputs.graded_workbook.distribution import ScoreClass, class_index, score_classes
from grader.outputs.graded_workbook.expert_entries import NO_ENTRY, ExpertEntry, entry_for
from grader.outputs.graded_workbook.expert_result import expert_number, expert_result, shown_final, veiled
from grader.outputs.graded_workbook.keys import grade_key
from grader.outputs.graded_workbook.review_columns import ALWAYS, Column, FieldColumn, ReviewColumn, field_columns
from grader.outputs.graded_workbook.review_row import field_text, reasons_shown
from grader.outputs.review_queue import ReviewQueue, queue_of
from grader.records import Grade
from grader.rubric import Rubric
from grader.statistics.means import QuestionMeans, RunningMean


@dataclass(slots=True)
class Comparison:
    """The expert's scores beside the judge's, of rows that have both."""

    same_count: int = 0
    difference: RunningMean = field(default_factory=RunningMean)
    """Expert minus judge."""
    distance: RunningMean = field(default_factory=RunningMean)

    def add(self, expert: float, judge: float) -> None:
        """Count one row."""
        self.same_count += expert == judge
        self.difference.add(expert - judge)
        self.distance.add(abs(expert - judge))


@dataclass(slots=True)
class SystemFigures:
    """One system's figures, the expert's scores taken before the judge's."""

    classes: list[int]
    """How many final scores each class of the distribution holds."""
    questions: QuestionMeans
    """The final scores, several samples of one question averaged first, for the interval."""
    planned: int = 0
    needs_review: int = 0
    final: RunningMean = field(default_factory=RunningMean)
    """Of the rows' final scores, as the live formula has it."""
    judge: RunningMean = field(default_factory=RunningMean)
    blind_count: int = 0
    """Rows that are left out until they have been scored blind: their judge's scores are not shown yet."""
    expert_count: int = 0
    seen: Comparison = field(default_factory=Comparison)
    """Of rows whose judge's score the expert could see."""
    blind: Comparison = field(default_factory=Comparison)
    """Of rows that the expert scored blind."""

    @property
    def other_count(self) -> int:
        """Final scores between the values of the scale that are offered."""
        return self.final.n - sum(self.classes)


@dataclass(slots=True)
class Survey:
    """What the grades are like: which columns they need, how long their texts are, and all sums."""

    rubric: Rubric
    classes: tuple[ScoreClass, ...]
    queue: ReviewQueue
    """Which rows need review, and why."""
    count: int = 0
    systems: dict[str, SystemFigures] = field(default_factory=dict)
    groups: dict[str, dict[str, RunningMean]] = field(default_factory=dict)
    """Final means by group, then by system, in the order of first sight."""
    fields: tuple[FieldColumn, ...] = ()
    """The columns of the rubric's own fields, whether or not some item has text for them."""
    columns: set[ReviewColumn] = field(default_factory=lambda: set[ReviewColumn](ALWAYS))
    lengths: dict[ReviewColumn, int] = field(default_factory=dict)
    """Characters in all cells of a column together."""
    blind_rows: frozenset[str] = frozenset()
    """Keys of the rows on Blind."""
    masked: frozenset[str] = frozenset()
    """Keys of those of them whose judge's cells are not shown yet."""
    drawable_count: int = 0
    """Rows that could be scored blind."""
    criterion_count: int = 0
    """Criteria of all items together, where an expert may override the verdict on each."""
    levels: set[float] = field(default_factory=set)
    """Of these criteria."""
    carried: set[str] = field(default_factory=set)
    """Keys of the rows whose expert entries were carried over."""

    @property
    def scored(self) -> int:
        """Items with a final score."""
        return sum(figures.final.n for figures in self.systems.values())

    @property
    def blind_count(self) -> int:
        """Rows that no figure takes in yet."""
        return sum(figures.blind_count for figures in self.systems.values())

    @property
    def has_samples(self) -> bool:
        """Whether some item was graded more than once, which a formula over rows does not know."""
        return Column.SAMPLE in self.columns

    def leaderboard(self) -> list[str]:
        """Return the systems, highest final mean first, those without any score last."""
        return sorted(self.systems, key=self._rank)

    def _rank(self, system: str) -> tuple[bool, float]:
        mean = self.systems[system].final.mean().value
        return (mean is None, -(mean or 0.0))


def survey_grades(
    grades: Collection[Grade],
    rubric: Rubric,
    entries: Mapping[str, ExpertEntry],
    *,
    stored: Mapping[str, ExpertEntry] | None = None,
    blind: BlindWish | None = None,
    queue: ReviewQueue | None = None,
) -> Survey:
    """Return the survey of `grades`, with what the expert has typed before in its place.

    Args:
        grades: In criteria order; gone through twice where no queue is given.
        rubric: What the scores mean.
        entries: What is to stand in the expert's cells, by row key.
        stored: What the run's store holds of earlier reviews, by row key.
        blind: Which rows are to be scored blind.
        queue: What is known of all grades already.
    """
    disputed = frozenset(key for key, entry in (stored or {}).items() if entry.experts_differ)
    queue = queue or queue_of(grades, rubric, disputed)
    survey = Survey(rubric, score_classes(rubric.scale), queue, fields=field_columns(rubric))
    _choose_blind_rows(survey, grades, BlindChoice(wish=blind or BlindWish(), entries=entries), stored or {})
    for grade in grades:
        entry = entry_for(grade, entries)
        if entry is not NO_ENTRY:
            survey.carried.add(grade_key(grade))
        if entry.stale:
            survey.columns.add(Column.STALE)
        survey.drawable_count += can_be_drawn(grade)
        _look_at_texts(survey, grade)
        _look_at_criteria(survey, grade)
        _count(survey, grade, entry)
    survey.columns |= _helper_columns(survey)
    return survey


def _choose_blind_rows(
    survey: Survey, grades: Collection[Grade], choice: BlindChoice, stored: Mapping[str, ExpertEntry]
) -> None:
    """Find out which rows are blind; what is counted of the others depends on it, so all grades are seen before."""
    if not choice.is_needed:
        return
    revealed: set[str] = set()
    for grade in grades:
        if stored and entry_for(grade, stored).blind_score is not None:
            revealed.add(grade_key(grade))
        choice.see(grade)
    survey.blind_rows = choice.keys
    masked = survey.blind_rows - revealed
    # Other samples of the same answer would tell what the judge thinks of it.
    answers = {(grade.item.system, grade.item.id) for grade in grades if masked and grade_key(grade) in masked}
    others = {grade_key(grade) for grade in grades if answers and (grade.item.system, grade.item.id) in answers}
    survey.masked = masked | others


def _helper_columns(survey: Survey) -> set[ReviewColumn]:
    """Return the hidden columns that Review's formulas need."""
    needed: set[ReviewColumn] = set()
    if survey.blind_rows:
        needed |= {Column.BLIND_SCORE, Column.EXPERT_RESULT}
    if has_criterion_verdicts(survey.rubric):
        needed.add(Column.EXPERT_RESULT)
    return needed


def _look_at_criteria(survey: Survey, grade: Grade) -> None:
    if has_criterion_verdicts(survey.rubric):
        survey.criterion_count += len(grade.item.criteria)
        survey.levels.update(each.level for each in grade.item.criteria if each.level is not None)


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
    system, rubric = grade.item.system, survey.rubric
    is_masked = bool(survey.masked) and grade_key(grade) in survey.masked
    needs_review = bool(reasons_shown(grade, entry, survey.queue, is_masked=is_masked))
    if is_masked:
        grade = veiled(grade)
    if system not in survey.systems:
        questions = QuestionMeans(rubric.scale.two_scores)
        survey.systems[system] = SystemFigures([0] * len(survey.classes), questions)
    figures = survey.systems[system]
    figures.planned += 1
    figures.needs_review += needs_review
    judge, expert, final = grade.verdict.score, expert_number(grade, entry, rubric), shown_final(grade, entry, rubric)
    if judge is not None:
        figures.judge.add(judge)
    figures.expert_count += expert is not None
    figures.blind_count += is_masked and expert_result(grade, entry, rubric) is None
    _compare(figures, judge, expert, entry)
    if final is not None:
        figures.final.add(final)
        figures.questions.add(grade.item.id, final)
        place = class_index(survey.classes, final)
        if place is not None:
            figures.classes[place] += 1
    if grade.item.group:
        mean = survey.groups.setdefault(grade.item.group, {}).setdefault(system, RunningMean())
        if final is not None:
            mean.add(final)


def _compare(figures: SystemFigures, judge: float | None, expert: float | None, entry: ExpertEntry) -> None:
    """Count a row once: a blind score is compared itself, whatever was entered later with the judge's in view."""
    if judge is None:
        return
    if isinstance(entry.blind_score, float):
        figures.blind.add(entry.blind_score, judge)
    elif expert is not None:
        figures.seen.add(expert, judge)
