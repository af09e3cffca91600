from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from grader.outputs.graded_workbook.keys import (
    comment_digest,
    grade_key,
    item_key,
    judge_hash,
    text_hash,
    texts_digest,
)
from grader.records import Criterion, Grade


def test_a_key_tells_system_id_and_sample_apart() -> None:
    keys = {item_key(*parts) for parts in (("a", "1", 1), ("a", "11", 1), ("a1", "1", 1), ("a", "1", 2))}

    assert len(keys) == 4
    assert item_key("a", "1", 1) == item_key("a", "1", 1)


def test_the_hash_follows_the_texts_and_the_key_does_not(grade: Callable[..., Grade]) -> None:
    one = grade(criteria=[Criterion(item_id="1", text="Names the dose")])
    edited = replace(one, item=replace(one.item, criteria=(Criterion(item_id="1", text="Names the unit"),)))

    assert grade_key(one) == grade_key(edited)
    assert text_hash(one.item) != text_hash(edited.item)
    assert text_hash(one.item) != text_hash(replace(one.item, answer="Another."))


def test_a_lone_surrogate_can_be_hashed(grade: Callable[..., Grade]) -> None:
    assert len(text_hash(grade(answer="\ud83d").item)) == 16


def test_keys_are_those_that_stand_in_workbooks_of_earlier_runs() -> None:
    assert item_key('gpt "4o" é😀\ud83d\n', "00123", 2) == "b4a62cd5179b98d7"
    assert judge_hash(50.0, "met\r\n é ", "_x000D_ “quoted”\n") == "c3aa5d54db87a8ec"
    assert comment_digest("a\\b \x07") == "63bbedfd03daaecb"
    assert texts_digest(" Why? ", "é\nso") == "49331b7db2e3579f"
