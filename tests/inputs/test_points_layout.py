from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from grader.errors import InputError
from grader.inputs.answers import read_answers
from grader.inputs.criteria_workbook import read_criteria_workbook
from grader.inputs.items import join_items
from grader.inputs.points_value import parse_points

Make = Callable[..., Path]
HEADER = ["Task ID", "Prompt", "Model answer", "Criterion", "Points", "Expert notes"]
ROWS = [
    HEADER,
    ["T1", "Why?", "Because.", "names the cause", 3, "check twice"],
    ["T1", None, None, "names a remedy", None, None],
    ["T2", "How?", "So.", "shows the steps", "2.5", None],
    ["T2", "How?", "So.", "is rude", -1, None],
]


def test_a_points_workbook(make_workbook: Make) -> None:
    table = read_criteria_workbook(make_workbook(ROWS))
    assert table.layout == "points"
    assert table.columns["criterion"] == "D"
    first, second = table.rows
    assert (first.item_id, first.question, first.answer, first.fields) == (
        "T1",
        "Why?",
        "Because.",
        {"expert_notes": "check twice"},
    )
    found = [(c.number, c.text, c.points, c.source and c.source.cell) for c in first.criteria]
    assert found == [(1, "names the cause", 3, "D2"), (2, "names a remedy", 1, "D3")]
    assert [criterion.points for criterion in second.criteria] == [2.5, -1]
    assert second.source.cell == "A4"
    assert table.notes[0].endswith("points are blank and count as 1: row 3")


def test_what_is_said_once_is_merged_over_the_rows(make_workbook: Make) -> None:
    rows = [HEADER, ["T1", "Why?", "Because.", "a", 1], [None, None, None, "b", 2], ["T2", "How?", "So.", "c", 1]]
    table = read_criteria_workbook(make_workbook(rows, merge=["A2:A3", "B2:B3", "C2:C3"]))
    assert [(row.item_id, row.question, row.answer, len(row.criteria)) for row in table.rows] == [
        ("T1", "Why?", "Because.", 2),
        ("T2", "How?", "So.", 1),
    ]
    assert "ids filled down from merged cells: row 3" in table.notes[0]


def test_one_criterion_merged_over_rows_counts_once(make_workbook: Make) -> None:
    rows = [HEADER, ["T1", "Why?", "x", "a", 1], ["T1", None, None, None, None], ["T1", None, None, "b", 1]]
    table = read_criteria_workbook(make_workbook(rows, merge=["D2:D3"]))
    assert [c.text for c in table.rows[0].criteria] == ["a", "b"]


def test_without_a_points_column_every_criterion_counts_one(make_workbook: Make) -> None:
    table = read_criteria_workbook(make_workbook([["id", "criterion"], ["1", "a"], ["1", "b"]]))
    assert [c.points for c in table.rows[0].criteria] == [1, 1]
    assert "no points column" in table.notes[0]


def test_rows_of_one_id_may_stand_apart(make_workbook: Make) -> None:
    rows = [["id", "question", "criterion", "points"], [1, "q", "a", 1], [2, "r", "b", 1], [1, "s", "c", 1]]
    table = read_criteria_workbook(make_workbook(rows))
    assert [[c.text for c in row.criteria] for row in table.rows] == [["a", "c"], ["b"]]
    assert any("the question differs within an id, and the first counts: B4" in note for note in table.notes)
    assert any("stand apart and are taken together: 1" in note for note in table.notes)


def test_a_number_beside_criteria_and_points_is_no_level(make_workbook: Make) -> None:
    rows = [["id", "criterion", "points", None, 50], [1, "a", 1, None, "remark"]]
    assert read_criteria_workbook(make_workbook(rows)).layout == "points"


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("N/A", "“N/A” is no number"),
        ("lots", "“lots” is no number"),
        ("50%", "is a percentage"),
        ("3,5", "has a comma; write 3.5"),
        ("5 pts", "has a word behind the number"),
        ("–5", "is no number"),
        (True, "TRUE is no number"),
        (datetime.datetime(2024, 3, 1), "it is a date"),
    ],
)
def test_points_that_are_no_plain_number_are_named_with_their_cell(
    make_workbook: Make, value: object, says: str
) -> None:
    rows = [HEADER, ["T1", "q", "x", "a", 1], ["T1", None, None, "b", value]]
    with pytest.raises(InputError, match=says) as caught:
        read_criteria_workbook(make_workbook(rows))
    assert caught.value.cell == "E3"
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "points"),
    [("−5", -5), ("３", 3), ("－２．５", -2.5), ("+2", 2), (" 4 ", 4), (".5", 0.5), (7, 7)],
)
def test_other_writings_of_a_number(text: object, points: float) -> None:
    assert parse_points(text) == points


@pytest.mark.parametrize("text", ["1_0", "nan", "inf", "1e3", "5²", "½", "1-3", "1.2.3"])
def test_what_python_would_take_for_a_number(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no number|has a word"):
        parse_points(text)


def test_a_number_shown_as_a_percentage(make_workbook: Make) -> None:
    path = make_workbook([HEADER, ["T1", "q", "x", "a", 0.5], ["T1", None, None, "b", 0.5]])
    workbook = openpyxl.load_workbook(path)
    workbook["Sheet1"]["E3"].number_format = "0.0%"
    workbook.save(path)
    with pytest.raises(InputError, match="50% is a percentage") as caught:
        read_criteria_workbook(path)
    assert caught.value.cell == "E3"


def test_points_merged_over_criteria(make_workbook: Make) -> None:
    rows = [HEADER, ["T1", "q", "x", "a", 4], ["T1", None, None, "b", None]]
    with pytest.raises(InputError, match="merged over several criteria"):
        read_criteria_workbook(make_workbook(rows, merge=["E2:E3"]))


def test_no_positive_points(make_workbook: Make) -> None:
    rows = [HEADER, ["T1", "q", "x", "a", 1], ["T2", "q", "x", "b", -1], ["T2", None, None, "c", 0]]
    with pytest.raises(InputError, match="no criterion of an id has positive points") as caught:
        read_criteria_workbook(make_workbook(rows))
    assert caught.value.cell == "A3"


def test_a_blank_criterion_and_a_blank_id(make_workbook: Make) -> None:
    with pytest.raises(InputError, match="the criterion is blank") as caught:
        read_criteria_workbook(make_workbook([HEADER, ["T1", "q", "x", None, 1], ["T1", None, None, "b", 1]]))
    assert caught.value.cell == "D2"
    with pytest.raises(InputError, match="a criterion without an id") as caught:
        read_criteria_workbook(make_workbook([HEADER, ["T1", "q", "x", "a", 1], [None, None, None, "b", 1]]))
    assert caught.value.cell == "A3"


def test_totals_and_footnotes_are_left_out_and_said(make_workbook: Make) -> None:
    rows = [*ROWS, ["Total", None, None, None, 5.5], [None], ["Note: made in May"], [None, None, None, None, 9]]
    table = read_criteria_workbook(make_workbook(rows))
    assert len(table.rows) == 2
    assert "left out, having no id or no criterion: rows 6, 8, 9" in table.notes[0]


def test_examples_are_left_out_and_said(make_workbook: Make) -> None:
    table = read_criteria_workbook(make_workbook([HEADER, ["(example 1)", "q", "x", "a", "?"], *ROWS[1:]]))
    assert [row.item_id for row in table.rows] == ["T1", "T2"]
    assert "template's examples: row 2" in table.notes[0]


def test_two_answers_under_one_id_matter_only_where_they_are_graded(make_workbook: Make, tmp_path: Path) -> None:
    rows = [HEADER, ["T1", "q", "one", "a", 1], ["T1", "q", "two", "b", 1]]
    table = read_criteria_workbook(make_workbook(rows))
    with pytest.raises(InputError, match="two different answers") as caught:
        join_items(table)
    assert caught.value.cell == "C3"
    answers = tmp_path / "a.jsonl"
    answers.write_text('{"id": "T1", "answer": "three"}\n', encoding="utf-8")
    assert [item.answer for item in join_items(table, [read_answers(answers)]).items] == ["three"]


def test_an_answer_column_that_is_empty(make_workbook: Make) -> None:
    table = read_criteria_workbook(make_workbook([HEADER, ["T1", "q", None, "a", 1]]))
    with pytest.raises(InputError, match="answer column is empty"):
        join_items(table)


def test_a_layout_that_the_rubric_does_not_want(make_workbook: Make) -> None:
    with pytest.raises(InputError, match="no level columns") as caught:
        read_criteria_workbook(make_workbook(ROWS), layout="tiered")
    assert "--rubric points" in str(caught.value.hint)
    assert str(caught.value).count("criteria.xlsx") == 1
    with pytest.raises(InputError, match="no criterion column") as caught:
        read_criteria_workbook(make_workbook(), layout="points")
    assert "--rubric tiered" in str(caught.value.hint)


def test_too_many_rows(make_workbook: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.inputs.id_rows.ROW_LIMIT", 3)
    with pytest.raises(InputError, match="more than 3 rows"):
        read_criteria_workbook(make_workbook(ROWS))


@pytest.mark.parametrize("name", ["plain", "layout", "table", "richtext", "kitchen_sink", "dates_1900"])
def test_the_layout_that_experts_use_most(shared: Path, name: str) -> None:
    path = shared / "workbooks" / "features" / f"{name}.xlsx"
    if name == "dates_1900":
        with pytest.raises(InputError):
            read_criteria_workbook(path)
        return
    table = read_criteria_workbook(path)
    assert [(row.item_id, len(row.criteria)) for row in table.rows] == [("T001", 5), ("T002", 5), ("T003", 5)]
    assert [c.points for c in table.rows[0].criteria] == [5, 3, 2, 4, -5]


def test_every_kind_of_bad_points_at_once(shared: Path) -> None:
    with pytest.raises(InputError, match="points cannot be read") as caught:
        read_criteria_workbook(shared / "workbooks" / "inputs" / "types_mixed_points.xlsx")
    assert caught.value.cell == "E7"
    assert "more)" in caught.value.message
