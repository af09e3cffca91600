from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet

from grader.outputs.graded_workbook.expert_entries import ExpertEntry
from grader.outputs.graded_workbook.review_columns import Column, column_index, column_letters
from grader.outputs.graded_workbook.review_formulas import typed_score
from grader.outputs.graded_workbook.review_row import reasons_shown
from grader.outputs.graded_workbook.text import CELL_LIMIT
from grader.outputs.graded_workbook.write import WrittenWorkbook
from grader.outputs.review_queue import ReviewQueue
from grader.records import Criterion, Grade, Status
from grader.rubric import Rubric, Scale

Write = Callable[..., WrittenWorkbook]
Make = Callable[..., Grade]


def review(written: WrittenWorkbook, *, name: str = "Review", values: bool = True) -> Worksheet:
    sheet = openpyxl.load_workbook(written.path, data_only=values)[name]
    assert isinstance(sheet, Worksheet)
    return sheet


def header(sheet: Worksheet) -> list[str]:
    return [str(cell.value) for cell in sheet[1]]


def column(sheet: Worksheet, name: str) -> list[object]:
    index = header(sheet).index(name) + 1
    return [sheet.cell(row, index).value for row in range(2, sheet.max_row + 1)]


def score_rule(sheet: Worksheet) -> DataValidation:
    """Return the rule over the expert's scores; others only explain a header."""
    rules: list[DataValidation] = [rule for rule in sheet.data_validations.dataValidation if rule.type is not None]
    (rule,) = rules
    return rule


def test_letters_and_places_of_columns_are_each_others_reverse() -> None:
    assert [column_letters(index) for index in (0, 25, 26, 701, 702, 16_383)] == ["A", "Z", "AA", "ZZ", "AAA", "XFD"]
    assert all(column_index(column_letters(index)) == index for index in range(0, 16_384, 97))


def test_only_columns_that_hold_something_are_there(write: Write, grade: Make, criteria_path: Path) -> None:
    plain = header(review(write([grade()], criteria_path)))
    criteria = [Criterion(item_id="1", text="Names the dose")]
    rich = grade(group="GUI", question="Why?", reference="So.", criteria=criteria, sample=2)

    full = header(review(write([grade(), rich], criteria_path)))

    assert set(full) - set(plain) == {"Sample", "Group", "Question", "Reference", "Criteria"}
    on_demand = {Column.JUDGE_SHOWN, Column.BLIND_SCORE, Column.EXPERT_RESULT, Column.STALE}
    assert full == [str(each) for each in Column if each not in on_demand]


def test_a_score_final_and_no_score_are_what_they_are(write: Write, grade: Make, criteria_path: Path) -> None:
    grades = [grade("1", score=75.0), grade("2", score=0.0), grade("3", score=None)]
    sheet = review(write(grades, criteria_path))

    assert column(sheet, "Judge score") == [75, 0, None]
    assert column(sheet, "Final") == [75, 0, None]
    assert column(sheet, "Difference") == [None, None, None]
    assert column(sheet, "Needs review") == [None, None, "no score: no clear verdict"]
    assert str(column(sheet, "Verdict")[2]).startswith("Not scored: no clear verdict")
    assert column(sheet, "Expert score") == [None, None, None]


def test_final_is_a_formula_over_its_own_row(write: Write, grade: Make, criteria_path: Path) -> None:
    sheet = review(write([grade("1"), grade("2")], criteria_path), values=False)
    judge, expert = (column_letters(header(sheet).index(name)) for name in ("Judge score", "Expert score"))

    read = typed_score(f"${expert}3", '""')
    assert column(sheet, "Final")[1] == f'=IF(TRIM(${expert}3)="",IF(${judge}3="","",${judge}3),{read})'


def test_text_stays_text_whatever_it_begins_with(write: Write, grade: Make, criteria_path: Path) -> None:
    texts = ["=1+1", "+1", "-5 points", "@SUM(A1)", "http://x.org/a", "00123", "<r><t>x</t></r>", "a & <b> _x0041_"]
    written = write([grade(str(n), answer=text) for n, text in enumerate(texts)], criteria_path)
    sheet = review(written, values=False)
    index = header(sheet).index("Answer") + 1
    cells = [sheet.cell(row, index) for row in range(2, len(texts) + 2)]

    assert {cell.data_type for cell in cells} <= {"s", "inlineStr"}
    # openpyxl does not undo Excel's escape of _x0041_ in a cell's own text; Excel does.
    assert [str(cell.value).replace("_x005F", "") for cell in cells] == texts
    assert all(cell.hyperlink is None for cell in cells)


def test_ids_keep_their_zeros(write: Write, grade: Make, criteria_path: Path) -> None:
    assert column(review(write([grade("007"), grade("1.0")], criteria_path)), "ID") == ["007", "1.0"]


def test_text_that_is_too_long_is_cut_and_said(write: Write, grade: Make, criteria_path: Path) -> None:
    written = write([grade(answer="x" * 100_000)], criteria_path)

    answer = str(column(review(written), "Answer")[0])

    assert len(answer) <= CELL_LIMIT
    assert "results.jsonl" in answer
    assert any("1 cell had more text" in note for note in written.notes)


def test_experts_choose_from_real_numbers_on_a_hidden_sheet(write: Write, grade: Make, criteria_path: Path) -> None:
    written = write([grade()], criteria_path)
    book = openpyxl.load_workbook(written.path)
    rule = score_rule(book["Review"])

    assert (rule.type, rule.formula1, rule.errorStyle) == ("list", "'_lists'!$A$1:$A$5", "warning")
    assert [cell.value for cell in book["_lists"]["A"]] == [0, 25, 50, 75, 100]
    assert book["_lists"].sheet_state == "veryHidden"


@pytest.mark.parametrize(
    ("scale", "kind", "style"),
    [
        (Scale(min=1, max=5, step=1), "list", None),
        (Scale(min=0, max=1), "decimal", None),
        (Scale(min=0, max=100, step=1), "list", None),
    ],
)
def test_the_rule_for_the_experts_score_follows_the_scale(
    write: Write,
    grade: Make,
    rubric_with: Callable[[Scale], Rubric],
    criteria_path: Path,
    scale: Scale,
    kind: str,
    style: str | None,
) -> None:
    written = write([grade(score=1.0)], criteria_path, rubric=rubric_with(scale))
    rule = score_rule(openpyxl.load_workbook(written.path)["Review"])

    assert (rule.type, rule.errorStyle) == (kind, style)


def test_review_is_a_table_with_frozen_ids_and_hidden_keys(write: Write, grade: Make, criteria_path: Path) -> None:
    book = openpyxl.load_workbook(write([grade("1"), grade("2")], criteria_path).path)
    sheet = book["Review"]
    (table,) = sheet.tables.values()

    assert table.displayName == "tblReview"
    assert table.ref == f"A1:{column_letters(sheet.max_column - 1)}3"
    assert [each.name for each in table.tableColumns] == header(sheet)
    assert not any("\n" in name for name in header(sheet))
    assert sheet.freeze_panes == "G2"
    assert sheet.column_dimensions["A"].hidden
    # One page wide is what is meant where only the height is said.
    assert (sheet.page_setup.orientation, sheet.page_setup.fitToHeight) == ("landscape", 0)
    assert sheet.print_title_rows == "$1:$1"


def test_rows_are_high_enough_for_their_text(write: Write, grade: Make, criteria_path: Path) -> None:
    grades = [grade("1", answer="short"), grade("2", answer="line\n" * 12), grade("3", answer="word " * 9_000)]
    heights = [review(write(grades, criteria_path)).row_dimensions[row].height for row in (2, 3, 4)]

    assert heights[0] < 40
    assert 12 * 12 < heights[1] < 12 * 20
    assert heights[2] == pytest.approx(409, abs=1)


def test_no_grades_make_an_empty_table(write: Write, criteria_path: Path) -> None:
    written = write([], criteria_path)

    assert review(written).tables["tblReview"].ref.endswith("2")
    assert review(written, name="Summary")["A2"].value == (
        "0 graded items, 0 systems. Rubric: Tiered criteria, scores from 0 to 100."
    )


def test_each_status_is_shown_without_a_number(write: Write, grade: Make, criteria_path: Path) -> None:
    statuses = [status for status in Status if not status.is_scored]
    grades = [grade(str(n), score=None, status=status) for n, status in enumerate(statuses)]
    sheet = review(write(grades, criteria_path))

    assert column(sheet, "Judge score") == [None] * len(statuses)
    assert all(str(words).startswith("Not scored") for words in column(sheet, "Verdict"))
    reasons = column(sheet, "Needs review")
    assert all(str(reason).startswith("no score: ") for reason in reasons)
    assert len(set(reasons)) == len(statuses)


def test_scores_with_many_digits_are_shown_with_two(write: Write, grade: Make) -> None:
    sheet = openpyxl.load_workbook(write([grade(score=100 / 3)]).path)["Review"]
    rules = [rule for area in sheet.conditional_formatting for rule in area.rules if rule.dxf and rule.dxf.numFmt]

    assert {rule.dxf.numFmt.formatCode for rule in rules} == {"0.0#", "+0.0#;-0.0#;0"}
    assert all(",2))>1E-9" in rule.formula[0] for rule in rules)


def test_a_stale_entry_is_a_reason_to_look(grade: Make, rubric: Rubric) -> None:
    reasons = reasons_shown(grade(), ExpertEntry(stale="Ann: 50"), ReviewQueue(rubric), is_masked=True)

    assert [each.words for each in reasons] == ["entry for earlier texts"]
    assert reasons_shown(grade(flags=("suspicious",)), ExpertEntry(), ReviewQueue(rubric), is_masked=True) == []
