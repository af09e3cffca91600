from __future__ import annotations

import pytest

from grader.benchmark.cleaning import clean_answer


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("42 W", "42 W"),
        ("  42 W.\n", "42 W"),
        ("<think>40? No.</think>\n42 W", "42 W"),
        ("40? No.</think>The answer is: 42 W.", "42 W"),
        ("It emits <think> tags", "It emits <think> tags"),
        ("Answer: 42 W.", "42 W"),
        ("answer : 42 W", "42 W"),
        ("The answer is: 42 W", "42 W"),
        ("The final answer is 42 W", "42 W"),
        ("Expert Answer: 42 W", "42 W"),
        ("答案是：四十二瓦。", "四十二瓦"),
        ("好的，答案是：四十二瓦", "四十二瓦"),
        ("- 42 W", "42 W"),
        ("* 42 W", "42 W"),
        ('"42 W"', "42 W"),
        ("'42 W'", "42 W"),
        ("“42 W.”", "42 W"),
        ('"a" or "b"', '"a" or "b"'),
        ('""42""', '""42""'),
        ('Answer: - "42 W."', "42 W"),
        ("> 42 W", "42 W"),
        ("42 W...", "42 W..."),
        (".", "."),
        ("-5 W", "-5 W"),
        ("Answers differ by year", "Answers differ by year"),
        ("", ""),
        ("Final Answer: 42 W", "42 W"),
    ],
)
def test_what_stands_around_an_answer_is_cut(reply: str, answer: str) -> None:
    assert clean_answer(reply, "DIRECT").text == answer


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("Reasoning:\n1. a\n\nFinal Answer: 42 W.", "42 W"),
        ("Final Answer: 1\nno, wait\nfinal answer: 2", "2"),
        ("**Final Answer:** 42 W", "42 W"),
        ("**Final Answer**: 42 W", "42 W"),
        ("**Final Answer: 42 W**", "42 W"),
        ("**Final Answer:** x is **42 W**", "x is **42 W**"),
        ("Final Answer：四十二", "四十二"),
        ("Final Answer:\n- 42 W", "42 W"),
        ("Final Answer:", ""),
        ("<think>Final Answer: 1</think>Reasoning: x\nFinal Answer: 2", "2"),
    ],
)
def test_cot_counts_what_follows_the_last_marker(reply: str, answer: str) -> None:
    cleaned = clean_answer(reply, "COT")
    assert (cleaned.text, cleaned.is_correctly_formatted) == (answer, True)


def test_cot_without_its_marker_is_the_whole_text_and_not_correctly_formatted() -> None:
    cleaned = clean_answer("I think it is 42 W.", "COT")
    assert (cleaned.text, cleaned.is_correctly_formatted) == ("I think it is 42 W", False)
    assert clean_answer("I think it is 42 W.", "DIRECT").is_correctly_formatted
