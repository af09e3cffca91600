"""The live formulas of Review's rows; their true values are those of `expert_result`.

They use only what Excel 2010, LibreOffice and Google Sheets compute alike, and nothing that depends on a locale. Keys
are looked for as `key*`, since a key of digits alone would be taken for a number.
"""

from __future__ import annotations

from collections.abc import Iterable

from grader.outputs.graded_workbook.blind_columns import BlindLayout
from grader.outputs.graded_workbook.expert_entries import ExpertEntry, expert_criteria_score
from grader.outputs.graded_workbook.expert_result import expert_result
from grader.outputs.graded_workbook.review_columns import Column, ReviewLayout
from grader.outputs.graded_workbook.verdicts_columns import MET, NOT_MET, VerdictColumn, VerdictsLayout
from grader.records import Grade
from grader.rubric import Rubric

MOST_COMPARISONS = 20_000_000
"""Rows of Review times rows of Verdicts: with more, each change would keep a spreadsheet busy for seconds."""

MOST_LEVELS = 12
"""A formula holds 8,192 characters, and each level takes its part of them."""


class ReviewFormulas:
    """Writes the formulas of a row (from 0) of Review."""

    def __init__(
        self,
        layout: ReviewLayout,
        rubric: Rubric,
        *,
        levels: Iterable[float] = (),
        verdicts: VerdictsLayout | None = None,
        blind: BlindLayout | None = None,
    ) -> None:
        self._layout = layout
        self._rubric = rubric
        self._levels = sorted(levels, reverse=True)
        self._verdicts = verdicts if is_live(layout.row_count, verdicts, self._levels) else None
        self._blind = blind

    @property
    def follows_verdicts(self) -> bool:
        """Whether the expert's verdicts on criteria change Final at once."""
        return self._verdicts is not None

    def blind_score(self, row: int) -> str:
        """Return the formula that fetches the expert's score from the sheet Blind; empty text without one."""
        assert self._blind is not None
        place = f"MATCH({self._cell(Column.KEY, row)},{self._blind.range(Column.KEY)},0)"
        score = f"INDEX({self._blind.range(Column.EXPERT_SCORE)},{place})"
        return f'=IF(ISNUMBER({place}),IF({score}="","",{score}),"")'

    def expert_result(self, row: int, by_criteria: float | None) -> str:
        """Return the expert's own score, else the blind one, else what the expert's verdicts give.

        `by_criteria` is what they give now, for workbooks too large to follow them.
        """
        formula = self._by_criteria(row) if self._verdicts else _literal(by_criteria)
        if Column.BLIND_SCORE in self._layout.columns:
            blind = self._cell(Column.BLIND_SCORE, row)
            formula = f'IF({blind}="",{formula},{blind})'
        expert = self._cell(Column.EXPERT_SCORE, row)
        return f'=IF({expert}="",{formula},{expert})'

    def expert_values(self, grade: Grade, entry: ExpertEntry) -> tuple[float | str | None, float | None]:
        """Return the true value of `expert_result`, and what the expert's verdicts give by themselves."""
        by_criteria = expert_criteria_score(grade, entry, self._rubric)
        return expert_result(grade, entry, self._rubric), by_criteria

    def final(self, row: int) -> str:
        """Return the score that counts; empty where the expert's is no number, which its cell then shows in red."""
        judge, result = self._cell(Column.SCORE, row), self._result(row)
        return f'=IF({result}="",IF({judge}="","",{judge}),IF(ISNUMBER({result}),{result},""))'

    def difference(self, row: int) -> str:
        """Return the expert's result minus the judge's score."""
        judge, result = self._cell(Column.SCORE, row), self._result(row)
        return f'=IF(COUNT({judge},{result})=2,{result}-{judge},"")'

    def _result(self, row: int) -> str:
        has_own_column = Column.EXPERT_RESULT in self._layout.columns
        return self._cell(Column.EXPERT_RESULT if has_own_column else Column.EXPERT_SCORE, row)

    def _cell(self, column: Column, row: int) -> str:
        return self._layout.cell(column, row)

    def _by_criteria(self, row: int) -> str:
        """Return the score that the criteria give, once the expert has a verdict on one and all have one."""
        key = self._cell(Column.KEY, row)
        entered = f"{self._count(key, VerdictColumn.EXPERT, MET)}+{self._count(key, VerdictColumn.EXPERT, NOT_MET)}"
        decided = f"{self._count(key, VerdictColumn.FINAL, MET)}+{self._count(key, VerdictColumn.FINAL, NOT_MET)}"
        score = self._points(key) if self._rubric.rule == "points" else self._tiers(key)
        return f'IF({entered}=0,"",IF({decided}<{self._count(key)},"",{score}))'

    def _count(self, key: str, column: VerdictColumn | None = None, words: str = "", level: float | None = None) -> str:
        assert self._verdicts is not None
        conditions = [f'{self._verdicts.range(VerdictColumn.KEY)},{key}&"*"']
        if column is not None:
            conditions.append(f'{self._verdicts.range(column)},"{words}"')
        if level is not None:
            conditions.append(f"{self._verdicts.range(VerdictColumn.LEVEL)},{cell_number(level)}")
        return f"COUNTIFS({','.join(conditions)})"

    def _tiers(self, key: str) -> str:
        scale = self._rubric.scale
        formula = cell_number(scale.min)
        for level in reversed(self._levels):
            met = self._count(key, VerdictColumn.FINAL, MET, level)
            points = cell_number(self._rubric.level_points(level))
            formula = f"IF({met}>0,MIN({cell_number(scale.max)},{met}*{points}),{formula})"
        return formula

    def _points(self, key: str) -> str:
        assert self._verdicts is not None
        points, keys = self._verdicts.range(VerdictColumn.POINTS), self._verdicts.range(VerdictColumn.KEY)
        sums = f'SUMIFS({points},{keys},{key}&"*",'
        possible = f'{sums}{points},">0")'
        reached = f'{sums}{self._verdicts.range(VerdictColumn.FINAL)},"{MET}")'
        top = cell_number(self._rubric.scale.max)
        return f'IF({possible}=0,"",{top}*MIN({possible},MAX(0,{reached}))/{possible})'


def is_live(row_count: int, verdicts: VerdictsLayout | None, levels: Iterable[float]) -> bool:
    """Return whether Final can follow the expert's verdicts without making the workbook slow."""
    if verdicts is None or row_count * verdicts.row_count > MOST_COMPARISONS:
        return False
    return len(list(levels)) <= MOST_LEVELS


def _literal(value: float | None) -> str:
    return '""' if value is None else cell_number(value)


def cell_number(value: float) -> str:
    """Return a number as formulas hold it in a file, whatever the locale."""
    return f"{value:.15g}"
