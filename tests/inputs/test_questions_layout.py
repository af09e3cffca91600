from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.errors import InputError
from grader.inputs.criteria_table import Layout
from grader.inputs.criteria_workbook import read_criteria_workbook
from grader.inputs.items import join_items

Make = Callable[..., Path]


def test_a_table_of_questions(make_workbook: Make) -> None:
    header = ["id", "question", "reference", "context", "Context role", "instruction", "raw output", "answer"]
    rows = [header, ["007", "q", "r", "c", "supplementary", "i", "thinking", "a"], [8, "q2", None, None]]
    table = read_criteria_workbook(make_workbook(rows), layout="questions")
    first, second = table.rows
    assert (table.layout, first.item_id, first.question, first.reference, first.answer) == (
        *("questions", "007", "q", "r", "a"),
    )
    assert first.criteria == ()
    assert first.fields == {
        "context": "c",
        "context_role": "supplementary",
        "instruction": "i",
        "raw_output": "thinking",
    }
    assert (second.item_id, second.reference) == ("8", "")


def test_without_a_rubric_the_types_are_listed(make_workbook: Make) -> None:
    with pytest.raises(InputError, match="questions without criteria: none of 'id', 'question', 'answer'") as caught:
        read_criteria_workbook(make_workbook([["id", "question", "answer"], [1, "q", "a"]]))
    assert "--rubric accuracy, checklist, integrity, likert, relevance" in str(caught.value.hint)


def test_a_checklist_with_a_row_for_each_point(make_workbook: Make) -> None:
    header = ["id", "query", "checklist", "answer"]
    rows = [header, [1, "q", "polite?", "a"], [1, None, "short?"], [1, "q", "right?"], [2, "r", "one\ntwo", "b"]]
    table = read_criteria_workbook(make_workbook(rows), layout="questions")
    assert [row.fields["checklist"] for row in table.rows] == ["polite?\nshort?\nright?", "one\ntwo"]
    rows = [header, [1, "q", "polite?", "a"], [None, None, "short?"], [None, None, None, "x"]]
    merged = read_criteria_workbook(make_workbook(rows, merge=["A2:A4", "B2:B4"]), layout="questions")
    assert merged.rows[0].fields["checklist"] == "polite?\nshort?"


def test_an_id_that_occurs_twice(make_workbook: Make) -> None:
    rows = [["id", "question", "checklist"], [1, "q", "x"], [1, "other", None]]
    with pytest.raises(InputError, match=r"an id occurs twice \(1 \(first in A2\) in A3\)") as caught:
        read_criteria_workbook(make_workbook(rows), layout="questions")
    assert caught.value.cell == "A3"


def test_a_question_without_an_id(make_workbook: Make) -> None:
    rows = [["id", "question"], [1, "q"], [None, "r"], [3, "s"]]
    with pytest.raises(InputError, match="a question without an id") as caught:
        read_criteria_workbook(make_workbook(rows), layout="questions")
    assert caught.value.cell == "A3"


def test_a_lone_id_is_a_question_and_a_footnote_is_none(make_workbook: Make) -> None:
    header = ["id", "question", "mine"]
    rows = [header, [1, "q"], [2], [None, None, "?"], [3, "r"], ["Total"], [None], ["Source: me"], [None, "or so"]]
    table = read_criteria_workbook(make_workbook(rows), layout="questions")
    assert [row.item_id for row in table.rows] == ["1", "2", "3"]
    assert "left out, having no id or no question: rows 4, 6, 8, 9" in table.notes[0]
    rows = [header, [1, "q"], ["Total"], [3, "r"]]
    table = read_criteria_workbook(make_workbook(rows), layout="questions")
    assert [row.item_id for row in table.rows] == ["1", "3"]


def test_what_is_missing_is_named(make_workbook: Make) -> None:
    with pytest.raises(InputError, match="no question column in row 1, which has 'id', 'note'"):
        read_criteria_workbook(make_workbook([["id", "note"], [1, "x"]]), layout="questions")


def test_only_examples(make_workbook: Make) -> None:
    rows = [["id", "question"], ["(example 1)", "q"], ["(Example two)", "r"]]
    with pytest.raises(InputError, match="only the examples") as caught:
        read_criteria_workbook(make_workbook(rows), layout="questions")
    assert caught.value.cell == "A2"


def test_its_own_answers_are_graded(make_workbook: Make) -> None:
    header = ["id", "question", "history", "checklist", "answer"]
    history = '[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]'
    rows = [header, [1, "q", history, '["polite?", "short?"]', "a"]]
    join = join_items(read_criteria_workbook(make_workbook(rows), layout="questions"))
    assert dict(join.items[0].fields) == {"history": "User: Hi\n\nAssistant: Hello", "checklist": "polite?\nshort?"}
    assert join.items[0].answer == "a"


@pytest.mark.parametrize("word", ["Summe", "Total:", "GESAMT", "合計", "Durchschnitt"])
@pytest.mark.parametrize(
    ("layout", "header", "row", "sums"),
    [
        ("tiered", ["ID", "Question", 25, 50], ["Q1", "Why?", "(1) a", "(1) b"], [None, 6, "3,5"]),
        ("points", ["ID", "Question", "Criterion", "Points"], ["Q1", "Why?", "Names a", 2], [None, 6, 12]),
        ("questions", ["ID", "Question", "Reference"], ["Q1", "Why?", "So."], [6, 4.5]),
    ],
)
def test_a_line_that_adds_up_directly_below_the_table_is_no_question(
    make_workbook: Make, layout: Layout, header: list[object], row: list[object], sums: list[object], word: str
) -> None:
    table = read_criteria_workbook(make_workbook([header, row, [word, *sums]]), layout=layout)

    assert [each.item_id for each in table.rows] == ["Q1"]
    assert any("left out" in note and "row 3" in note for note in table.notes)


def test_a_question_whose_id_is_such_a_word_stays_one(make_workbook: Make) -> None:
    table = read_criteria_workbook(
        make_workbook([["ID", "Question"], ["Gesamt", "What is it all about?"]]), layout="questions"
    )

    assert [each.item_id for each in table.rows] == ["Gesamt"]
