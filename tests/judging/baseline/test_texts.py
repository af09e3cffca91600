from __future__ import annotations

import pytest

from grader.judging.baseline.length_limits import broken_limit
from grader.judging.baseline.question import split_checklist
from grader.judging.baseline.statements import split_statements


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One. Two! Three?", 3),
        ("It is 1.2 km long.", 1),
        ("- one\n- two\n\n- three", 3),
        ("In order: 1) one 2) two", 3),
        ("①一つ②二つ", 2),
        ("これは一。これは二。", 2),
        ("a; b", 2),
        (" … ", 0),
    ],
)
def test_statements(text: str, count: int) -> None:
    assert len(split_statements(text)) == count


@pytest.mark.parametrize(
    ("question", "answer", "is_broken"),
    [
        ("Answer in at most 3 words.", "one two three four", True),
        ("Answer in at most 4 words.", "one two three four", False),
        ("10文字以内で答えてください。", "これはとても長い答えになりました。", True),
        ("10文字以内で答えてください。", "7割", False),
        ("不超过5字", "这是一个很长的答案", True),
        ("Höchstens 2 Sätze!", "Eins. Zwei. Drei.", True),
        ("Höchstens 20 Zeichen", "kurz", False),
        ("No more than 2 lines", "a\n\nb\nc", True),
        ("In two words or so", "one two three four", False),
    ],
)
def test_length_limits(question: str, answer: str, is_broken: bool) -> None:
    assert (broken_limit(question, answer) is not None) is is_broken


def test_a_checklist_is_a_point_for_each_line() -> None:
    text = "1. Does the response mention boots?\n- Is the answer polite?\n\nA map is named."
    assert split_checklist(text) == ("mention boots", "polite", "A map is named.")
