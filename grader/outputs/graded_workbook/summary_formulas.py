"""The live formulas of Summary, all over columns of Review; their true values come from `survey`.

They use only what Excel 2010, LibreOffice and Google Sheets compute alike: SUMPRODUCT, because it needs no array
entry and takes text as nothing, and EXACT, because COUNTIFS would read `gpt*` as a pattern and merges `GPT` and `gpt`.
"""

from __future__ import annotations

from grader.outputs.graded_workbook.distribution import ScoreClass
from grader.outputs.graded_workbook.review_columns import Column, ReviewLayout
from grader.outputs.graded_workbook.review_row import NEEDS_REVIEW


class Formulas:
    """Writes formulas; `system` and `group` are the cells on Summary that hold a name, such as `$B7`."""

    def __init__(self, layout: ReviewLayout) -> None:
        self._layout = layout
        self._final = layout.range(Column.FINAL)
        self._judge = layout.range(Column.SCORE)
        self._expert = layout.range(Column.EXPERT_SCORE)
        self._difference = layout.range(Column.DIFFERENCE)

    def planned(self, system: str) -> str:
        """Return the count of a system's rows."""
        return f"=SUMPRODUCT(--{self._of(system)})"

    def scored(self, system: str) -> str:
        """Return the count of a system's rows with a final score."""
        return f"=SUMPRODUCT({self._of(system)}*ISNUMBER({self._final}))"

    def final_mean(self, system: str, count: str) -> str:
        """Return the mean of the final scores, whose number stands in the cell `count`."""
        return f'=IF({count}=0,"",SUMPRODUCT(--{self._of(system)},{self._final})/{count})'

    def half_interval(self, system: str, count: str, mean: str) -> str:
        """Return half the 95 % interval of a mean (Student t); empty for one score, or where all are the same."""
        total = f"SUMPRODUCT(--{self._of(system)},{self._final},{self._final})"
        squares = f"({total}-{count}*{mean}^2)"
        width = f"TINV(0.05,{count}-1)*SQRT({squares}/({count}-1)/{count})"
        return f'=IF({count}<2,"",IF({squares}<=1E-12*MAX(1,{total}),"",{width}))'

    def needs_review(self, system: str) -> str:
        """Return the count of a system's rows that an expert should look at."""
        marks = self._layout.range(Column.NEEDS_REVIEW)
        return f'=SUMPRODUCT({self._of(system)}*({marks}="{NEEDS_REVIEW}"))'

    def expert_count(self, system: str) -> str:
        """Return the count of the expert's scores."""
        return f"=SUMPRODUCT({self._of(system)}*ISNUMBER({self._expert}))"

    def judge_mean(self, system: str) -> str:
        """Return the mean of the judge's own scores."""
        count = f"SUMPRODUCT({self._of(system)}*ISNUMBER({self._judge}))"
        return f'=IF({count}=0,"",SUMPRODUCT(--{self._of(system)},{self._judge})/{count})'

    def group_mean(self, system: str, group: str) -> str:
        """Return the mean final score of a system in a group."""
        match = f"EXACT({self._layout.range(Column.GROUP)},{group})*{self._of(system)}"
        count = f"SUMPRODUCT({match}*ISNUMBER({self._final}))"
        return f'=IF({count}=0,"",SUMPRODUCT({match},{self._final})/{count})'

    def in_class(self, system: str, each: ScoreClass) -> str:
        """Return the count of a system's final scores in a class."""
        inside = f"({self._final}>={each.low:.12g})*({self._final}<{each.high:.12g})"
        return f"=SUMPRODUCT({self._of(system)}*ISNUMBER({self._final})*{inside})"

    def compared(self, system: str) -> str:
        """Return the count of rows scored by both the judge and the expert."""
        return f"=SUMPRODUCT({self._of(system)}*ISNUMBER({self._difference}))"

    def same(self, system: str, count: str) -> str:
        """Return the share of compared rows on which both gave the same score."""
        equal = f"SUMPRODUCT({self._of(system)}*ISNUMBER({self._difference})*({self._difference}=0))"
        return f'=IF({count}=0,"",{equal}/{count})'

    def mean_difference(self, system: str, count: str) -> str:
        """Return the mean of expert minus judge."""
        return f'=IF({count}=0,"",SUMPRODUCT(--{self._of(system)},{self._difference})/{count})'

    def mean_distance(self, system: str, count: str) -> str:
        """Return the mean distance between expert and judge, whichever is higher."""
        signed = f"{self._of(system)}*(({self._difference}>0)-({self._difference}<0))*ISNUMBER({self._difference})"
        return f'=IF({count}=0,"",SUMPRODUCT({signed},{self._difference})/{count})'

    def _of(self, system: str) -> str:
        return f"EXACT({self._layout.range(Column.SYSTEM)},{system})"
