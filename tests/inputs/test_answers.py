from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.errors import InputError
from grader.inputs.answers import read_answers
from grader.inputs.questions import read_questions

Make = Callable[..., Path]


def write(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_a_file_of_one_system(tmp_path: Path) -> None:
    path = write(
        tmp_path / "llava_v1.6.jsonl",
        {"id": 1, "question": " Why?", "gt_answer": "g", "model_answer": " a ", "Scenario Code": 3.1},
        {"id": 2, "question": "How?", "gt_answer": "h", "model_answer": None},
        {"id": "00123", "question": "", "gt_answer": "", "model_answer": ""},
    )
    table = read_answers(path)
    first = table.answers[0]
    assert (first.item_id, first.system, first.text) == ("1", "llava_v1.6", " a ")
    assert first.extra == {"question": " Why?", "reference": "g", "scenario_code": "3.1"}
    assert first.source is not None
    assert (first.source.path, first.source.cell) == (str(path), "line 1")
    assert [answer.item_id for answer in table.answers] == ["1", "2", "00123"]
    assert [answer.text for answer in table.answers[1:]] == ["", ""]
    assert table.file_system == "llava_v1.6"


def test_a_file_of_several_systems(tmp_path: Path) -> None:
    records = [{"session_id": "s", "model_test": name, "model_output": "x"} for name in ("reka/edge", "b", "")]
    assert [a.system for a in read_answers(write(tmp_path / "all.jsonl", *records)).answers] == [
        "reka/edge",
        "b",
        "all",
    ]


ANSWERS = [("1", "a"), ("2", "b")]


@pytest.mark.parametrize(
    "text",
    [
        '[{"id": 1, "answer": "a"},\n {"id": 2, "answer": "b"}]',
        '{"1": {"answer": "a"}, "2": {"answer": "b"}}',
        '{"data": [{"id": 1, "answer": "a"}, {"id": 2, "answer": "b"}]}',
        '{"id": 1, "answer": "a"}\n\n{"id": 2, "answer": "b"}',
        '\ufeff{"id": 1, "answer": "a"}\r\n{"id": 2, "answer": "b"}',
    ],
)
@pytest.mark.parametrize("suffix", ["json", "jsonl", "txt"])
def test_every_shape_of_json(tmp_path: Path, text: str, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    path.write_text(text, encoding="utf-8", newline="")
    assert [(a.item_id, a.text) for a in read_answers(path).answers] == ANSWERS


@pytest.mark.parametrize(
    "text",
    [
        '{\n"1": {"qid": 1, "answer": "a"},\n"x": {"qid": 2, "answer": "b"}}',
        '{\n"data": [{"id": 1, "answer": "a"}, {"id": 2, "answer": "b"}]}',
    ],
)
def test_one_object_over_several_lines(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    assert [(a.item_id, a.text) for a in read_answers(path).answers] == ANSWERS


def test_one_lone_object(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{\n"id": 1,\n"answer": "a"}', encoding="utf-8")
    assert len(read_answers(path).answers) == 1


def test_utf16_json(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes('{"id": 1, "answer": "ä"}\n'.encode("utf-16"))
    assert read_answers(path).answers[0].text == "ä"


def test_json_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes('{"id": 1, "answer": "ä"}\n'.encode("cp1252"))
    with pytest.raises(InputError, match=r"line 1\]: this line is not proper JSON: it is not UTF-8 text"):
        read_answers(path)
    assert read_answers(path, encoding="cp1252").answers[0].text == "ä"


@pytest.mark.parametrize("line", ["{broken", '"text"', "[1]", "true", "null", "3", "[" * 100_000, "1" * 5000])
def test_a_broken_line_is_named_and_can_be_skipped(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 1, "answer": "a"}\n' + line + '\n{"id": 2, "answer": "b"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"\[line 2\]") as caught:
        read_answers(path)
    assert caught.value.hint is not None
    assert "--skip-bad-lines" in caught.value.hint
    table = read_answers(path, skip_bad_lines=True)
    assert len(table.answers) == 2
    assert table.notes == (f"{path}: broken lines left out: 1 (line 2)",)


def test_many_broken_lines_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 1, "answer": "a"}\n' + "x\n" * 12, encoding="utf-8")
    assert read_answers(path, skip_bad_lines=True).notes[0].endswith("12 (lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 …)")


@pytest.mark.parametrize(
    ("text", "place"), [('[{"id": 1},\n oops]', "line 2"), ('[{"id":1, "answer":""}, 3]', "record 2")]
)
def test_broken_json_is_named(tmp_path: Path, text: str, place: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_answers(path)
    assert caught.value.cell == place


def test_json_that_nests_too_deeply(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(InputError, match="not proper JSON"):
        read_answers(path)


def test_half_characters_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 1, "answer": "cut \\ud83d"}\n{"id": 2, "answer": "\\ud83d\\ude00"}\n', encoding="utf-8")
    assert [a.text for a in read_answers(path).answers] == ["cut \ufffd", "😀"]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(b'{"id": 1, "answer": "a"}\n'))
    monkeypatch.setattr(sys, "stdin", stream)
    table = read_answers("-")
    assert (table.answers[0].system, table.path) == ("stdin", "-")


def test_a_missing_column_is_explained(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {"id": 1, "answr": "a"})
    with pytest.raises(
        InputError, match=r"line 1\]: no answer column .* which has 'id', 'answr'; the closest is 'answr'"
    ):
        read_answers(path)
    assert read_answers(path, column_map={"answer": "answr"}).answers[0].text == "a"


def test_an_ambiguous_column_is_explained(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {"id": 1, "answer": "a", "prediction": "b"})
    with pytest.raises(InputError, match=r"line 1\]: 2 columns can be the answer"):
        read_answers(path)
    with pytest.raises(InputError, match="no column 'c'"):
        read_answers(path, column_map={"answer": "c"})


def test_a_record_that_lacks_a_column_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {"id": 1, "answer": "a"}, {"id": 2})
    with pytest.raises(InputError, match=r"line 2\]: no answer column"):
        read_answers(path)


def test_duplicates_and_blank_ids_are_all_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", *({"id": i, "answer": ""} for i in (1, 2, "1.0", " 1 ")))
    with pytest.raises(InputError, match=r"a 1 \(first in line 1\) in line 3, a 1 \(first in line 1\) in line 4"):
        read_answers(path)
    path = write(tmp_path / "a.jsonl", *({"id": i, "answer": ""} for i in (1, "", None)))
    with pytest.raises(InputError, match=r"the id is blank \(line 2, line 3\)"):
        read_answers(path)


def test_no_answers(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("\n\n", encoding="utf-8")
    with pytest.raises(InputError, match="no answer in the file"):
        read_answers(path)


def test_a_workbook_of_answers(make_workbook: Make) -> None:
    rows = [["title"], ["ID", "Response", "notes"], ["1", "a"], [None], ["2", None, "n"], ["3", "c"]]
    table = read_answers(make_workbook({"x": [], "Data": rows}, name="gpt.xlsx", hide_rows=[3]), sheet="data")
    assert [(a.item_id, a.text, a.extra["notes"]) for a in table.answers] == [
        ("1", "a", ""),
        ("2", "", "n"),
        ("3", "c", ""),
    ]
    assert table.answers[0].source is not None
    assert table.answers[0].source.cell == "A3"
    assert [note.partition("]: ")[2] or note.partition(": ")[2] for note in table.notes] == [
        "sheet 'Data' is read; there are also 'x' (--sheet NAME)",
        "hidden or filtered out, and used all the same: row 3",
    ]


def test_a_workbook_without_answers_names_its_columns(make_workbook: Make) -> None:
    with pytest.raises(InputError, match=r"\[Sheet1!row 1\]: no answer column in row 1, which has 'ID', 'text'"):
        read_answers(make_workbook([["ID", "text"], ["1", "a"]]))
    with pytest.raises(InputError, match="the sheet is empty"):
        read_answers(make_workbook([]))


def test_an_ambiguous_header_in_a_workbook_is_located(make_workbook: Make) -> None:
    with pytest.raises(InputError, match=r"\[Sheet1!row 1\]: 2 columns can be the id"):
        read_answers(make_workbook([["ID", "id", "answer"], ["1", "1", "a"]]))


def test_merged_ids_and_short_rows_in_a_table(make_workbook: Make) -> None:
    rows = [["id", "model", "answer"], ["1", "a", "x"], [None, "b", "y"]]
    table = read_answers(make_workbook(rows, merge=["A2:A3"]))
    assert [(a.item_id, a.system) for a in table.answers] == [("1", "a"), ("1", "b")]


def test_a_csv_of_answers(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("id\tanswer\n001\t\n002\tb\n", encoding="utf-8")
    assert [(a.item_id, a.text) for a in read_answers(path).answers] == [("001", ""), ("002", "b")]


def test_a_table_of_questions(tmp_path: Path) -> None:
    record = {"id": 1, "question": "Why?", "image": "q1.png", "answer": "gold", "reference": ["doc_2"], "type": "hard"}
    table = read_questions(write(tmp_path / "q.jsonl", record))
    question = table.questions["1"]
    assert (question.question, question.reference) == ("Why?", "gold")
    assert question.fields == {"group": "hard", "image": "q1.png", "reference_column": '["doc_2"]'}
    assert table.notes == (
        f"{tmp_path / 'q.jsonl'}: another column is the reference, so 'reference' is kept as reference_column",
    )


def test_questions_that_cannot_be_told_apart(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"an id occurs twice \(1 \(first in line 1\) in line 2\)"):
        read_questions(write(tmp_path / "q.jsonl", {"id": 1}, {"id": "1"}))
    with pytest.raises(InputError, match="the id is blank"):
        read_questions(write(tmp_path / "q.jsonl", {"id": ""}))
    with pytest.raises(InputError, match="no question in the file"):
        read_questions(write(tmp_path / "q.json", []))
