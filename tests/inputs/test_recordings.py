from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grader.errors import InputError
from grader.inputs.recordings import read_recordings
from grader.records import RecordedReply


def read(tmp_path: Path, *lines: dict[str, Any] | str) -> list[RecordedReply]:
    path = tmp_path / "replies.jsonl"
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text(text, encoding="utf-8")
    return list(read_recordings(path))


def test_lines_made_by_hand(tmp_path: Path) -> None:
    assert read(tmp_path, {"id": 1.0, "reply": "a"}, "", {"id": " 2 ", "text": "b", "system": "s", "sample": 2}) == [
        RecordedReply(item_id="1", text="a"),
        RecordedReply(item_id="2", text="b", system="s", sample=2),
    ]


def test_lines_of_a_results_file_and_of_one_with_a_byte_order_mark(tmp_path: Path) -> None:
    line = {"system": 5, "id": "1", "sample": 1, "score": 50, "reply": "全角", "finish_reason": "stop"}
    assert read(tmp_path, "\ufeff" + json.dumps(line, ensure_ascii=False)) == [
        RecordedReply(item_id="1", text="全角", system="5", finish_reason="stop")
    ]


def test_a_line_without_a_reply_is_passed_over(tmp_path: Path) -> None:
    assert read(tmp_path, {"id": 1, "reply": ""}, {"id": 2, "reply": None}, {"id": 3}) == []


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("5", "no|not a record"),
        ('{"reply": "x"}', "not a record with an id"),
        ('{"id": null, "reply": "x"}', "not a record with an id"),
        ('{"id": " ", "reply": "x"}', "not a record with an id"),
        ('{"id": NaN, "reply": "x"}', "not a record with an id"),
        ('{"id": 1, "reply": 5}', "not a text"),
        ('{"id": 1, "reply": ["x"]}', "not a text"),
        ('{"id": 1, "reply": "x", "finish_reason": 5}', "not a text"),
        ('{"id": 1, "reply": "x", "sample": "two"}', "not a whole number"),
        ('{"id": 1, "reply": "x", "sample": [1]}', "not a whole number"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(tmp_path: Path, line: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        read(tmp_path, {"id": 1, "reply": "a"}, line)
    assert "[line 2]" in str(caught.value)
    assert '"reply"' in (caught.value.hint or "")


def test_a_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\xff")
    for name in ("none.jsonl", "bytes.jsonl"):
        with pytest.raises(InputError, match=r"cannot be read|there is no such file"):
            list(read_recordings(tmp_path / name))
