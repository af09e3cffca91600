from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from grader.outputs.graded_workbook.blind_choice import BlindChoice, BlindWish
from grader.outputs.graded_workbook.keys import grade_key
from grader.records import Grade


def test_an_empty_answer_is_not_drawn_as_nobody_had_to_judge_it(grade: Callable[..., Grade]) -> None:
    answered, empty = grade("1", "a", 50), grade("2", "a", 0)
    empty = replace(empty, verdict=replace(empty.verdict, flags=("empty_answer",)))
    choice = BlindChoice(wish=BlindWish(count=2))
    for each in (answered, empty):
        choice.see(each)
    assert choice.keys == {grade_key(answered)}


def test_a_row_that_was_blind_before_stays_so(grade: Callable[..., Grade]) -> None:
    empty = grade("2", "a", 0)
    empty = replace(empty, verdict=replace(empty.verdict, flags=("empty_answer",)))
    choice = BlindChoice(wish=BlindWish(count=1, kept={grade_key(empty)}))
    choice.see(empty)
    assert choice.keys == {grade_key(empty)}
