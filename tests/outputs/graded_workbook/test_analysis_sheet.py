"""The sheet Analysis shows what the analysis found, figure by figure, and nothing while rows are blind."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from openpyxl import load_workbook

from grader.outputs.graded_workbook.analysis_sheet import write_analysis
from grader.outputs.graded_workbook.names import SheetNames
from grader.outputs.graded_workbook.sheet import Book
from grader.statistics.item_analysis import item_analysis
from grader.statistics.item_analysis_records import AnalysedAnswer, CriterionText, ItemAnalysis

CRITERIA = [
    CriterionText(item_id=item_id, place=(50.0, number), text=text)
    for item_id, number, text in (
        ("1", 1, "names the landing site on the Moon"),
        ("1", 2, "names a landing site on the Moon"),
        ("2", 1, "=1+1 explains how the probe brakes " + "slowly " * 60),
    )
]


def analysis() -> ItemAnalysis:
    answers = []
    for place, system in enumerate("abcd"):
        met: dict[tuple[float | None, int], bool] = {(50.0, 1): True, (50.0, 2): place > 1}
        answers.append(AnalysedAnswer(system=system, item_id="1", score=25.0 * place, length=place, met=met))
        answers.append(AnalysedAnswer(system=system, item_id="2", score=100.0, length=9, met={(50.0, 1): place > 0}))
    return item_analysis(answers, CRITERIA, scale=(0.0, 100.0), values=(0.0, 50.0, 100.0))


def rows(found: ItemAnalysis) -> list[list[Any]]:
    target = BytesIO()
    book = Book(target, mean_format="0.00", is_streamed=False, width_unit=1.0)
    write_analysis(book, SheetNames(), found)
    book.close()
    return [list(row) for row in load_workbook(target)["Analysis"].iter_rows(values_only=True)]


def test_each_criterion_and_question_has_a_row_with_its_figures() -> None:
    lines = rows(analysis())
    always = next(line for line in lines if line[:2] == ["1", "50 (1)"])
    assert always[3:5] == [4, 1]
    assert always[5] == "51% to 100%"
    assert always[10].startswith("always met (4 of 4)")
    assert [line[8:10] for line in lines if line[0] == "2" and line[1] is None] == [[1, 0]]


def test_findings_come_first_and_are_counted() -> None:
    lines = rows(analysis())
    titles = [line[0] for line in lines if line[0]]
    assert "Criteria: 3, 1 of them with a finding" in titles
    assert titles.index("Use of the scale") < titles.index("Criteria: 3, 1 of them with a finding")


def test_near_duplicates_stand_side_by_side() -> None:
    (pair,) = [line for line in rows(analysis()) if line[10] == "counted twice in one question"]
    assert (pair[4], pair[5]) == ("1", "50 (2)")
    assert pair[6] == "names a landing site on the Moon"


def test_long_criteria_are_cut_and_never_formulas() -> None:
    (text,) = {line[2] for line in rows(analysis()) if str(line[2]).startswith("=1+1")}
    assert text.endswith("…") and len(text) == 240


def test_without_verdicts_and_duplicates_their_tables_are_left_out() -> None:
    answer = AnalysedAnswer(system="a", item_id="1", score=None, length=1)
    titles = [str(line[0]) for line in rows(item_analysis([answer], [], scale=(0.0, 1.0)))]
    assert not [title for title in titles if title.startswith("Criteria")]
    assert "All systems" in titles
