"""Criteria that say nearly the same are found, and those that differ where it matters are not."""

from __future__ import annotations

import time

import pytest

from grader.statistics import near_duplicates as module
from grader.statistics.item_analysis_records import CriterionText
from grader.statistics.near_duplicates import near_duplicates

SITE = "names the landing site on the Moon"


def criteria(*texts: tuple[str, str]) -> list[CriterionText]:
    return [
        CriterionText(item_id=item_id, place=(None, number), text=text)
        for number, (item_id, text) in enumerate(texts, start=1)
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Names the far side of the Moon", "names the far side  of the moon."),
        ("mentions the option --archive of rsync", "mentions the option --archive in rsync"),
        ("the tank pressure is given in bar", "in bar the tank pressure is given"),
    ],
)
def test_the_same_in_other_words_or_order_is_found(one: str, other: str) -> None:
    (pair,) = near_duplicates(criteria(("1", one), ("1", other)))
    assert pair.is_within_question
    assert pair.similarity >= 90


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("gives a pressure of 30 bar for the tank", "gives a pressure of 80 bar for the tank"),
        ("recommends to restart the service at once", "does not recommend to restart the service at once"),
        ("names Mars", "names Mars"),
        ("names the far side of the Moon", "explains how the archive is unpacked"),
    ],
)
def test_another_number_a_not_and_very_short_texts_are_none(one: str, other: str) -> None:
    assert near_duplicates(criteria(("1", one), ("1", other))) == ()


def test_those_of_one_question_come_first() -> None:
    found = near_duplicates(
        criteria(
            ("1", "names the landing site"),
            ("2", "names the landing site"),
            ("3", "gives the date of launch"),
            ("3", "gives the date of a launch"),
        )
    )
    assert [pair.is_within_question for pair in found] == [True, False]


def test_of_very_many_only_those_of_one_question_and_equal_ones_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_COMPARED", 2)
    found = near_duplicates(criteria(("1", SITE), ("1", SITE + "s"), ("2", SITE + "y"), ("3", SITE)))
    assert [(pair.first.item_id, pair.second.item_id) for pair in found] == [("1", "1"), ("1", "3")]


def test_a_text_that_stands_in_several_questions_is_still_seen_to_stand_twice_in_one() -> None:
    same = near_duplicates(criteria(("1", SITE), ("2", SITE), ("2", SITE)))
    assert [(pair.first.item_id, pair.second.item_id) for pair in same] == [("2", "2"), ("1", "2")]
    alike = near_duplicates(criteria(("1", SITE), ("2", SITE), ("2", SITE + "s")))
    assert [(pair.first.item_id, pair.second.item_id) for pair in alike] == [("2", "2"), ("1", "2")]


def test_ten_thousand_criteria_take_no_time() -> None:
    many = criteria(
        *((str(number // 4), f"explains step {number} of the procedure in words") for number in range(10_000))
    )
    began = time.perf_counter()
    assert near_duplicates(many) == ()
    assert time.perf_counter() - began < 5
