from __future__ import annotations

import datetime
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import InputError
from grader.inputs.columns import (
    cell_text,
    claimed_fields,
    closest,
    field_name,
    find_columns,
    header_key,
    listed_headers,
    missing_field,
    normalise_id,
)


@pytest.mark.parametrize("value", [1, 1.0, "1", " 1 ", "1.0", "1.00", "\u00a01\u200b", "１", "+1.0"])
def test_one_id_in_every_form(value: object) -> None:
    assert normalise_id(value) == "1"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("00123", "00123"),
        ("00123.0", "00123.0"),
        ("1.10", "1.10"),
        (1.5, "1.5"),
        (-2.0, "-2"),
        ("-2.0", "-2"),
        (1e20, "100000000000000000000"),
        ("ＡＢ１", "AB1"),
        (True, "TRUE"),
        (None, ""),
        (math.nan, ""),
        (" \u200b ", ""),
        (datetime.datetime(2024, 2, 29), "2024-02-29"),
        (datetime.datetime(2024, 2, 29, 10, 30), "2024-02-29T10:30:00"),
        (datetime.time(1, 2), "01:02:00"),
        (datetime.timedelta(hours=30), "1 day, 6:00:00"),
    ],
)
def test_ids_keep_what_makes_them_differ(value: object, expected: str) -> None:
    assert normalise_id(value) == expected


@given(st.one_of(st.text(), st.integers(), st.floats(allow_nan=False, allow_infinity=False)))
def test_normalising_an_id_twice_changes_nothing(value: object) -> None:
    assert normalise_id(normalise_id(value)) == normalise_id(value)


@given(st.integers(-(10**15), 10**15))
def test_a_number_and_its_text_are_one_id(number: int) -> None:
    assert {normalise_id(float(number)), normalise_id(f" {number} "), normalise_id(f"{number}.0")} == {str(number)}


@pytest.mark.parametrize(
    "header",
    ["query id", "Query ID", "query_id", "'query id'", "“Query\u00a0Id”", "QUERY\nID", "query-id", "\ufeffQueryId "],
)
def test_headers_match_whatever_their_writing(header: str) -> None:
    assert header_key(header) == "queryid"


@pytest.mark.parametrize("header", [25, 25.0, "25", "25.0", " '25' ", "２５"])
def test_numbers_are_one_header(header: object) -> None:
    assert field_name(header) == "25"


def test_lists_and_objects_become_json() -> None:
    assert cell_text(["ä", 1]) == '["ä", 1]'
    assert cell_text({"a": None}) == '{"a": null}'


def test_real_answer_files_hold_reference_and_answer() -> None:
    columns = find_columns(["id", "question", "gt_answer", "model_answer"], "answers")
    assert columns.fields == {"id": 0, "question": 1, "reference": 2, "answer": 3}


def test_answer_is_the_reference_in_a_questions_file() -> None:
    assert find_columns(["id", "answer"], "questions").fields == {"id": 0, "reference": 1}
    assert find_columns(["id", "answer", "reference"], "answers").fields == {"id": 0, "answer": 1, "reference": 2}


def test_a_list_gives_way_to_a_text() -> None:
    columns = find_columns(["id", "answer", "reference"], "questions", lists=(2,))
    assert columns.fields == {"id": 0, "reference": 1}
    assert columns.extras == {"reference_column": 2}


def test_two_columns_for_one_field_name_the_map() -> None:
    with pytest.raises(InputError, match="2 columns can be the answer: 'answer', 'model_answer'") as caught:
        find_columns(["id", "answer", "model_answer"], "answers")
    assert caught.value.hint is not None
    assert "--map" in caught.value.hint


def test_a_rarer_name_never_makes_a_field_ambiguous() -> None:
    columns = find_columns(["id", "task id"], "answers")
    assert columns.fields == {"id": 0}
    assert columns.extras == {"task_id": 1}


def test_a_map_has_the_last_word() -> None:
    columns = find_columns(
        ["id", "answer", "model_answer"], "answers", {"answer": "Model Answer", "Reference": "answer"}
    )
    assert columns.fields == {"id": 0, "answer": 2, "reference": 1}


def test_a_map_for_another_file_is_passed_over() -> None:
    assert find_columns(["id", "answer"], "answers", {"id": "Nummer"}).fields == {"id": 0, "answer": 1}


def test_a_map_of_the_answer_must_be_there() -> None:
    with pytest.raises(InputError, match=r"no column 'modle answer'.*closest is 'model_answer'"):
        find_columns(["id", "model_answer"], "answers", {"answer": "modle answer"})
    with pytest.raises(InputError, match="no column 'zzz'") as caught:
        find_columns(["id", "model_answer"], "answers", {"answer": "zzz"})
    assert caught.value.hint == "Correct it: --map answer=COLUMN"


def test_a_map_picks_the_column_that_is_written_like_it() -> None:
    headers = ["Task ID", "TASK ID", "answer"]
    assert find_columns(headers, "answers", {"id": "TASK ID"}).fields["id"] == 1
    with pytest.raises(InputError, match="2 columns can be the id"):
        find_columns(headers, "answers", {"id": "task_id"})


def test_claimed_fields_count_ambiguous_ones() -> None:
    assert claimed_fields(["id", "ID", "x"], "criteria") == {"id"}


def test_a_missing_field_is_explained_with_the_closest_name() -> None:
    message, hint = missing_field("id", ["Qestion ID", "", "x"], "answers", "row 1")
    assert message == "no id column in row 1, which has 'Qestion ID', 'x'; the closest is 'Qestion ID'"
    assert hint.endswith("--map id=Qestion ID")
    assert missing_field("id", [], "answers", "row 1")[0] == "no id column in row 1, which has nothing"


def test_closest_is_none_where_nothing_is_close() -> None:
    assert closest(["zebra"], ["id"]) is None


def test_long_lists_of_headers_are_cut() -> None:
    assert listed_headers([f"h{i}" for i in range(30)]).endswith("'h19' …")
