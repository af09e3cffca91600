"""The tables of Summary: leaderboard, by group, distribution, agreement; each says which rows it took."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grader.outputs.graded_workbook.distribution import is_closed
from grader.outputs.graded_workbook.review_columns import column_letters
from grader.outputs.graded_workbook.sheet import Book, Sheet, checked
from grader.outputs.graded_workbook.summary_formulas import Formulas, wilson_centre, wilson_half
from grader.outputs.graded_workbook.survey import Comparison, Survey, SystemFigures
from grader.statistics.means import RunningMean

SYSTEM, RANK, PLANNED, SCORED, MEAN, HALF, LOW, HIGH, UNSCORED, REVIEW, EXPERT, JUDGE, BLIND = range(13)
"""The leaderboard's columns, the last where rows are blind."""

_LEADERBOARD = [
    *("System", "Rank", "Items", "Scored", "Final mean", "± 95 %", "from", "to"),
    *("Not scored", "Needs review", "Expert scores", "Judge mean"),
]
_AGREEMENT = ("Compared", "Same score", "Mean difference", "Mean distance")
_HEADER_POINTS = 30
_NO_MEAN = RunningMean()


@dataclass(frozen=True, slots=True)
class Block:
    """The rows of a table below its header, and its columns, from 0."""

    header: int
    last_row: int
    last_column: int

    @property
    def first_row(self) -> int:
        """The first row below the header."""
        return self.header + 1


class SummaryTables:
    """Writes the tables; systems stand in the first column, in the order of the leaderboard."""

    def __init__(self, book: Book, sheet: Sheet, survey: Survey, formulas: Formulas) -> None:
        self._formats = book.formats
        self._sheet = sheet
        self._survey = survey
        self._formulas = formulas
        self._systems = survey.leaderboard()

    def write_leaderboard(self, row: int) -> Block:
        """Write one row per system, best mean first at the time of writing; the rank follows the figures."""
        labels = [*_LEADERBOARD, "Still blind"] if self._survey.masked else _LEADERBOARD
        block = self._start(row, labels, len(self._systems))
        for number, system in enumerate(self._systems, start=block.first_row):
            self._write_rank(number, system, block)
            self._write_counts(number, self._survey.systems[system])
            self._write_means(number, self._survey.systems[system])
        return block

    def write_groups(self, row: int) -> Block:
        """Write the final mean of each system in each group; the longer list of names goes down the page."""
        groups, systems = list(self._survey.groups), self._systems
        has_groups_down = len(groups) > len(systems)
        down, across = (groups, systems) if has_groups_down else (systems, groups)
        block = self._start(row, ("Group" if has_groups_down else "System", *across), len(down))
        for number, name in enumerate(down, start=block.first_row):
            self._sheet.text(number, SYSTEM, name, self._formats["row_label"])
            for column, other in enumerate(across, start=SYSTEM + 1):
                cells = [f"$A{number + 1}", f"{column_letters(column)}${block.header + 1}"]
                group, system = (name, other) if has_groups_down else (other, name)
                group_cell, system_cell = cells if has_groups_down else reversed(cells)
                value = self._survey.groups[group].get(system, _NO_MEAN).mean().value
                formula = self._formulas.group_mean(system_cell, group_cell)
                self._sheet.formula(number, column, formula, self._formats["mean"], value)
        return block

    def write_distribution(self, row: int) -> Block:
        """Write how many final scores of each system fall in each class."""
        classes = self._survey.classes
        has_others = not is_closed(self._survey.rubric.scale)
        labels = ("System", *(each.label for each in classes), *(["Other"] if has_others else []))
        block = self._start(row, labels, len(self._systems))
        for number, system in enumerate(self._systems, start=block.first_row):
            figures, cell = self._survey.systems[system], f"$A{number + 1}"
            self._sheet.text(number, SYSTEM, system, self._formats["row_label"])
            for column, (each, count) in enumerate(zip(classes, figures.classes, strict=True), start=SYSTEM + 1):
                self._sheet.formula(number, column, self._formulas.in_class(cell, each), self._formats["count"], count)
            if has_others:
                first, last = (f"{column_letters(column)}{number + 1}" for column in (1, block.last_column - 1))
                scored = self._formulas.scored(cell)
                others = f"{scored}-SUM({first}:{last})"
                self._sheet.formula(number, block.last_column, others, self._formats["count"], figures.other_count)
        return block

    def write_agreement(self, row: int) -> Block:
        """Write how the expert's scores compare with the judge's, those given blind apart; empty until there are some.

        The blind ones have columns of their own, where the workbook has a sheet Blind.
        """
        has_blind = bool(self._survey.blind_rows)
        labels = ("System", *_AGREEMENT, *((f"Blind: {label.lower()}" for label in _AGREEMENT) if has_blind else ()))
        block = self._start(row, labels, len(self._systems))
        made = self._formulas
        seen = (made.compared, made.same, made.mean_difference, made.mean_distance)
        blind = (made.blind_compared, made.blind_same, made.blind_difference, made.blind_distance)
        for number, system in enumerate(self._systems, start=block.first_row):
            figures = self._survey.systems[system]
            self._sheet.text(number, SYSTEM, system, self._formats["row_label"])
            self._write_comparison(number, 1, figures.seen, *seen)
            if has_blind:
                self._write_comparison(number, 1 + len(_AGREEMENT), figures.blind, *blind)
        return block

    def _write_comparison(
        self,
        row: int,
        column: int,
        found: Comparison,
        compared: Callable[[str], str],
        *shares: Callable[[str, str], str],
    ) -> None:
        """Write the count of rows compared and beside it the figures over them."""
        cell, count, n = f"$A{row + 1}", f"${column_letters(column)}{row + 1}", found.difference.n
        self._sheet.formula(row, column, compared(cell), self._formats["count"], n)
        values = (found.same_count / n if n else None, found.difference.mean().value, found.distance.mean().value)
        for place, (formula, style, value) in enumerate(
            zip(shares, ("share", "signed_mean", "mean"), values, strict=True), start=column + 1
        ):
            self._sheet.formula(row, place, formula(cell, count), self._formats[style], value)

    def _start(self, row: int, labels: Sequence[str], row_count: int) -> Block:
        checked(self._sheet.raw.set_row(row, _HEADER_POINTS))
        for column, label in enumerate(labels):
            style = "table_header_left" if column == SYSTEM else "table_header"
            self._sheet.text(row, column, label, self._formats[style])
        return Block(row, row + row_count, len(labels) - 1)

    def _write_rank(self, row: int, system: str, block: Block) -> None:
        cell, column = f"{column_letters(MEAN)}{row + 1}", column_letters(MEAN)
        all_means = f"{column}${block.first_row + 1}:{column}${block.last_row + 1}"
        formula = f'=IF(ISNUMBER({cell}),RANK({cell},{all_means}),"")'
        self._sheet.text(row, SYSTEM, system, self._formats["row_label"])
        self._sheet.formula(row, RANK, formula, self._formats["count"], self._rank(system))

    def _rank(self, system: str) -> int | None:
        means = {name: self._survey.systems[name].final.mean().value for name in self._systems}
        mine = means[system]
        return None if mine is None else 1 + sum(mean is not None and mean > mine for mean in means.values())

    def _write_counts(self, row: int, figures: SystemFigures) -> None:
        system, formulas = f"$A{row + 1}", self._formulas
        unscored = f"=C{row + 1}-D{row + 1}" + (f"-M{row + 1}" if self._survey.masked else "")
        cells = {
            PLANNED: (formulas.planned(system), figures.planned),
            SCORED: (formulas.scored(system), figures.final.n),
            UNSCORED: (unscored, figures.planned - figures.final.n - figures.blind_count),
            REVIEW: (formulas.needs_review(system), figures.needs_review),
            EXPERT: (formulas.expert_count(system), figures.expert_count),
        }
        if self._survey.masked:
            cells[BLIND] = (formulas.blind(system), figures.blind_count)
        for column, (formula, value) in cells.items():
            self._sheet.formula(row, column, formula, self._formats["count"], value)

    def _write_means(self, row: int, figures: SystemFigures) -> None:
        system, count, mean, half = (f"${letter}{row + 1}" for letter in "ADEF")
        final, interval = figures.final.mean(), figures.questions.mean()
        half_value = None if interval.high is None or interval.low is None else (interval.high - interval.low) / 2
        centre, half_formula = mean, self._formulas.half_interval(system, count, mean)
        low, high = interval.low, interval.high
        two_scores = self._survey.rubric.scale.two_scores
        if self._survey.has_samples:  # what a formula over rows cannot tell
            half_formula = ""
            if final.value is not None and half_value is not None:
                low, high = final.value - half_value, final.value + half_value
        elif two_scores:
            centre, half_formula = wilson_centre(count, mean, two_scores), wilson_half(count, mean, two_scores)
        cells = {
            MEAN: (self._formulas.final_mean(system, count), "strong_mean", final.value),
            **({HALF: (half_formula, "mean", half_value)} if half_formula else {}),
            LOW: (f'=IF({half}="","",{centre}-{half})', "mean", low),
            HIGH: (f'=IF({half}="","",{centre}+{half})', "mean", high),
            JUDGE: (self._formulas.judge_mean(system), "mean", figures.judge.mean().value),
        }
        for column, (formula, style, value) in cells.items():
            self._sheet.formula(row, column, formula, self._formats[style], value)
        if not half_formula:
            self._write_half(row, half_value)

    def _write_half(self, row: int, value: float | None) -> None:
        if value is None:
            self._sheet.blank(row, HALF, self._formats["mean"])
        else:
            self._sheet.number(row, HALF, value, self._formats["mean"])
