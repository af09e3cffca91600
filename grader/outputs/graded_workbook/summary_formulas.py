"""The live formulas of Summary, all over columns of Review; their true values come from `survey`.

They use only what Excel 2010, LibreOffice and Google Sheets compute alike: SUMPRODUCT, because it needs no array
entry and takes text as nothing, and EXACT, because COUNTIFS would read `gpt*` as a pattern and merges `GPT` and `gpt`.
"""

from __future__ import annotations

from grader.outputs.graded_workbook.distribution import ScoreClass
from grader.outputs.graded_workbook.expert_result import BLIND
from grader.outputs.graded_workbook.review_columns import Column, ReviewLayout


class Formulas:
    """Writes formulas; `system` and `group` are the cells on Summary that hold a name, such as `$B7`."""

    def __init__(self, layout: ReviewLayout) -> None:
        self._layout = layout
        self._final = layout.range(Column.FINAL)
        self._judge = layout.range(Column.SCORE)
        expert = layout.range(Column.EXPERT_RESULT if Column.EXPERT_RESULT in layout.columns else Column.EXPERT_SCORE)
        self._has_expert = f'({expert}<>"")*ISNUMBER({self._final})'
        self._blind = layout.range(Column.BLIND_SCORE) if Column.BLIND_SCORE in layout.columns else None
        self._difference = layout.range(Column.DIFFERENCE)

    def planned(self, system: str) -> str:
        """Return the count of a system's rows."""
        return f"=SUMPRODUCT(--{self._of(system)})"

    def scored(self, system: str) -> str:
        """Return the count of a system's rows with a final score."""
        return f"=SUMPRODUCT({self._of(system)}*ISNUMBER({self._final}))"

    def blind(self, system: str) -> str:
        """Return the count of a system's rows that no figure takes in until they have been scored blind."""
        return f'=SUMPRODUCT({self._of(system)}*({self._final}="{BLIND}"))'

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
        return f'=SUMPRODUCT({self._of(system)}*({marks}<>""))'

    def expert_count(self, system: str) -> str:
        """Return the count of the expert's scores."""
        return f"=SUMPRODUCT({self._of(system)}*{self._has_expert})"

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
        """Return the count of rows scored by both the judge and the expert who could see the judge's score."""
        return f"=SUMPRODUCT({self._seen(system)})"

    def same(self, system: str, count: str) -> str:
        """Return the share of these rows on which both gave the same score."""
        equal = f"SUMPRODUCT({self._seen(system)}*({self._difference}=0))"
        return f'=IF({count}=0,"",{equal}/{count})'

    def mean_difference(self, system: str, count: str) -> str:
        """Return the mean of expert minus judge."""
        return f'=IF({count}=0,"",SUMPRODUCT({self._seen(system)},{self._difference})/{count})'

    def mean_distance(self, system: str, count: str) -> str:
        """Return the mean distance between expert and judge, whichever is higher."""
        signed = f"{self._seen(system)}*(({self._difference}>0)-({self._difference}<0))"
        return f'=IF({count}=0,"",SUMPRODUCT({signed},{self._difference})/{count})'

    def blind_compared(self, system: str) -> str:
        """Return the count of rows that the expert scored blind and the judge too."""
        return f"=SUMPRODUCT({self._scored_blind(system)})"

    def blind_same(self, system: str, count: str) -> str:
        """Return the share of these rows on which both gave the same score."""
        equal = f"SUMPRODUCT({self._scored_blind(system)}*({self._blind}={self._judge}))"
        return f'=IF({count}=0,"",{equal}/{count})'

    def blind_difference(self, system: str, count: str) -> str:
        """Return the mean of the blind score minus the judge's."""
        return f'=IF({count}=0,"",({self._between(self._scored_blind(system))})/{count})'

    def blind_distance(self, system: str, count: str) -> str:
        """Return the mean distance between the blind score and the judge's."""
        signed = f"{self._scored_blind(system)}*(({self._blind}>{self._judge})-({self._blind}<{self._judge}))"
        return f'=IF({count}=0,"",({self._between(signed)})/{count})'

    def _seen(self, system: str) -> str:
        """Return 1 for each row that counts as compared; a blind score is compared by itself."""
        not_blind = f"*(1-ISNUMBER({self._blind}))" if self._blind else ""
        return f"{self._of(system)}*ISNUMBER({self._difference}){not_blind}"

    def _scored_blind(self, system: str) -> str:
        return f"{self._of(system)}*ISNUMBER({self._blind})*ISNUMBER({self._judge})"

    def _between(self, rows: str) -> str:
        # Apart, because a difference of columns that hold texts is an error.
        return f"SUMPRODUCT({rows},{self._blind})-SUMPRODUCT({rows},{self._judge})"

    def _of(self, system: str) -> str:
        return f"EXACT({self._layout.range(Column.SYSTEM)},{system})"


_Z = "NORMSINV(0.975)"


def wilson_centre(count: str, mean: str, ends: tuple[float, float]) -> str:
    """Return the middle of Wilson's interval of a mean of two scores, `ends`; it is nearer to their middle."""
    floor, span = ends[0], ends[1] - ends[0]
    share = f"(({mean}-{floor:.12g})/{span:.12g})"
    return f"({floor:.12g}+{span:.12g}*({share}+{_Z}^2/2/{count})/(1+{_Z}^2/{count}))"


def wilson_half(count: str, mean: str, ends: tuple[float, float]) -> str:
    """Return half the width of that interval, of an expert's score between the two too (it then is too wide)."""
    floor, span = ends[0], ends[1] - ends[0]
    share = f"(({mean}-{floor:.12g})/{span:.12g})"
    root = f"SQRT({share}*(1-{share})/{count}+{_Z}^2/4/{count}^2)"
    return f'=IF({count}=0,"",{span:.12g}*{_Z}*{root}/(1+{_Z}^2/{count}))'
