"""The live formulas of Review's rows; their true values are those of `expert_result`.

They use only what Excel 2010, LibreOffice and Google Sheets compute alike, and nothing that depends on a locale. Keys
are looked for as `key*`, since a key of digits alone would be taken for a number. Scores typed as text are read as
`entry_values` reads them, apart from signs.
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

MOST_TYPED = 20_000
"""Rows of Review: with more, a long formula in each would make the file slow, and scores typed as text are not read."""

MOST_LEVELS = 12
"""A formula holds 8,192 characters, and each level takes its part of them."""


_NOTHING = '""'


class ReviewFormulas:
    """Writes the formulas of Review's rows, with `ROW` for the row's number."""

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

    def blind_score(self) -> str:
        """Return the formula that fetches the expert's score from the sheet Blind; empty text without one."""
        assert self._blind is not None
        place = f"MATCH({self._cell(Column.KEY)},{self._blind.range(Column.KEY)},0)"
        score = f"INDEX({self._blind.range(Column.EXPERT_SCORE)},{place})"
        return f'=IF(ISNUMBER({place}),IF(TRIM({score})="","",{self._typed(score)}),"")'

    def expert_result(self, by_criteria: float | None) -> str:
        """Return the expert's own score, else the blind one, else what the expert's verdicts give.

        `by_criteria` is what they give now, for workbooks too large to follow them.
        """
        formula = self._by_criteria() if self._verdicts else _literal(by_criteria)
        if Column.BLIND_SCORE in self._layout.columns:
            blind = self._cell(Column.BLIND_SCORE)
            formula = f'IF({blind}="",{formula},{blind})'
        expert = self._cell(Column.EXPERT_SCORE)
        return f'=IF(TRIM({expert})="",{formula},{self._typed(expert)})'

    def expert_values(self, grade: Grade, entry: ExpertEntry) -> tuple[float | str | None, float | None]:
        """Return the true value of `expert_result`, and what the expert's verdicts give by themselves."""
        by_criteria = expert_criteria_score(grade, entry, self._rubric)
        return expert_result(grade, entry, self._rubric), by_criteria

    def final(self) -> str:
        """Return the score that counts; empty where the expert's is no number, which its cell then shows in red."""
        judge, result = self._cell(Column.SCORE), self._result()
        judges = f'IF({judge}="","",{judge})'
        if self._has_own_result:
            return f'=IF({result}="",{judges},IF(ISNUMBER({result}),{result},""))'
        return f'=IF(TRIM({result})="",{judges},{self._typed(result, _NOTHING)})'

    def difference(self) -> str:
        """Return the expert's result minus the judge's score."""
        judge, result, final = self._cell(Column.SCORE), self._result(), self._cell(Column.FINAL)
        return f'=IF(AND(TRIM({result})<>"",COUNT({judge},{final})=2),{final}-{judge},"")'

    def _typed(self, cell: str, otherwise: str = "") -> str:
        if self._layout.row_count <= MOST_TYPED:
            return typed_score(cell, otherwise)
        return f"IF(ISNUMBER({cell}),{cell},{otherwise})" if otherwise else cell

    @property
    def _has_own_result(self) -> bool:
        return Column.EXPERT_RESULT in self._layout.columns

    def _result(self) -> str:
        return self._cell(Column.EXPERT_RESULT if self._has_own_result else Column.EXPERT_SCORE)

    def _cell(self, column: Column) -> str:
        return self._layout.cell_in_row(column)

    def _by_criteria(self) -> str:
        """Return the score that the criteria give, once the expert has a verdict on one and all have one."""
        key = self._cell(Column.KEY)
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


def typed_score(cell: str, otherwise: str = "") -> str:
    """Return a formula, without its `=`, for the number in a cell typed as text; else `otherwise`, or the cell.

    `62,5`, `62.5` and full-width digits are read in every locale, as only the digits are given to VALUE. Thousands
    such as `1.000` are not, and neither is anything with other characters.
    """
    otherwise = otherwise or cell
    plain = f'SUBSTITUTE(ASC(TRIM({cell})),",",".")'
    digits = f'SUBSTITUTE({plain},".","")'
    decimals = f'LEN({plain})-FIND(".",{plain}&".")'
    is_number = f'TEXT(VALUE({digits}),REPT("0",LEN({digits})))={digits}'
    is_clear = f'OR({decimals}<>3,LEN({plain})>7,LEFT({plain},1)="0")'
    number = f"VALUE({digits})/10^MAX(0,{decimals})"
    read = f"IF(AND({is_number},LEN({plain})-LEN({digits})<2,{is_clear}),{number},{otherwise})"
    return f"IF(ISNUMBER({cell}),{cell},IFERROR({read},{otherwise}))"


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
