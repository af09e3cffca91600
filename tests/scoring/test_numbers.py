from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.plain_text import normalise
from grader.records import Status
from grader.rubric import Scale
from grader.scoring.numbers import parse_integer, parse_number, parse_score
from grader.scoring.reading import UnreadableReply

PERCENT = Scale(min=0, max=100)
LIKERT = Scale(min=1, max=5, step=1)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("50", 50),
        (" 50\n", 50),
        ("8.0", 8),
        ("33.5", 33.5),
        ("-5", -5),
        ("50.", 50),
        ("50/100", 50),
        ("50 / 100.0", 50),
        ("85%", 85),
        ("85 %", 85),
        ("**50**", 50),
        ("`50`", 50),
        ('"50"', 50),
        ("[50]", 50),
        ("**[50]**", 50),
        ("１００", 100),
        ("５０．５", 50.5),
        ("５０／１００", 50),
        ("−5", -5),
        ("5\u200b0", 50),
        ("007", 7),
    ],
)
def test_what_is_one_number(text: str, number: float) -> None:
    assert parse_number(normalise(text), PERCENT) == number


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "fifty", "NaN", "nan", "inf", "-inf", "1_0", "1e2", "0x10", "50-100", "50–100", "50 to 100"),
        *(
            "50 or 75",
            "50, 75",
            "5/10",
            "50/",
            "/100",
            "50/100/100",
            "1,000",
            "+50",
            ".5",
            "50 points",
            "5²",
            "½",
            "五十",
        ),
        *("50 75", "--5", "50%%", "[]", "**", '"', "50/100%", "٥٠", "True", "null", "50\n75"),
    ],
)
def test_what_is_no_number(text: str) -> None:
    assert parse_number(normalise(text), PERCENT) is None


def test_a_denominator_counts_only_where_it_is_the_scales_maximum() -> None:
    assert parse_number("4/5", LIKERT) == 4
    assert parse_number("4/10", LIKERT) is None
    assert parse_number("4/100", LIKERT) is None


def test_a_percentage_counts_only_on_a_scale_to_100() -> None:
    assert parse_number("4%", LIKERT) is None
    assert parse_number("4%", Scale(min=1, max=100)) is None


def test_minus_nought_is_nought() -> None:
    number = parse_number("-0", PERCENT)
    assert number == 0
    assert math.copysign(1, number or 0.0) == 1


@pytest.mark.parametrize("text", ["101", "-1", "1" + "0" * 400])
def test_off_the_scale_is_neither_clamped_nor_a_parse_error(text: str) -> None:
    with pytest.raises(UnreadableReply) as caught:
        parse_score([text], PERCENT)
    assert caught.value.status is Status.OUT_OF_RANGE
    assert "0 to 100" in caught.value.reason


def test_between_the_steps_of_a_scale_is_off_it_and_never_rounded() -> None:
    with pytest.raises(UnreadableReply) as caught:
        parse_score(["4.5"], LIKERT)
    assert caught.value.status is Status.OUT_OF_RANGE


def test_equal_scores_are_one_and_different_ones_none() -> None:
    assert parse_score(["50", "50.0", "50/100"], PERCENT) == 50
    with pytest.raises(UnreadableReply) as caught:
        parse_score(["50", "100"], PERCENT)
    assert caught.value.status is Status.PARSE_ERROR
    assert "50, 100" in caught.value.reason


def test_a_conflict_counts_before_the_scale() -> None:
    with pytest.raises(UnreadableReply) as caught:
        parse_score(["50", "500"], PERCENT)
    assert caught.value.status is Status.PARSE_ERROR


def test_one_unreadable_score_among_readable_ones_spoils_them() -> None:
    with pytest.raises(UnreadableReply) as caught:
        parse_score(["50", "or maybe 75"], PERCENT)
    assert caught.value.status is Status.PARSE_ERROR
    assert "or maybe 75" in caught.value.reason


@pytest.mark.parametrize("value", [True, False, None, [50, 75], {"score": 50}, float("nan"), float("inf")])
def test_json_values_that_are_no_number(value: object) -> None:
    with pytest.raises(UnreadableReply):
        parse_score([value], PERCENT)


@pytest.mark.parametrize("value", [50, 50.0, "50", "５０"])
def test_json_values_that_are_one(value: object) -> None:
    assert parse_score([normalise(value) if isinstance(value, str) else value], PERCENT) == 50


@pytest.mark.parametrize("value", [2, 2.0, "2", " 2 "])
def test_whole_numbers_of_json(value: object) -> None:
    assert parse_integer(value) == 2


@pytest.mark.parametrize("value", [True, None, 2.5, "2.5", "two", "2/5", "2%", [2], float("inf"), ""])
def test_what_is_no_whole_number_of_json(value: object) -> None:
    with pytest.raises(UnreadableReply):
        parse_integer(value)


@pytest.mark.parametrize("value", [0.1, 0.3, 0.7, 1.0])
def test_a_scale_in_tenths_holds_every_tenth(value: float) -> None:
    assert Scale(min=0, max=1, step=0.1).contains(value)
    assert not Scale(min=0, max=1, step=0.1).contains(value - 0.05)


def test_nan_is_on_no_scale() -> None:
    assert not PERCENT.contains(float("nan"))


@given(st.text())
def test_any_text_is_one_number_or_none(text: str) -> None:
    number = parse_number(normalise(text), PERCENT)
    assert number is None or not math.isnan(number)


@given(
    st.lists(st.one_of(st.text("0123456789./%-[]*"), st.floats(), st.booleans(), st.none(), st.integers()), min_size=1)
)
def test_any_candidates_are_a_score_on_the_scale_or_unreadable(candidates: list[object]) -> None:
    try:
        assert LIKERT.contains(parse_score(candidates, LIKERT))
    except UnreadableReply as error:
        assert error.status in (Status.PARSE_ERROR, Status.OUT_OF_RANGE)


def test_what_is_wrapped_without_end_is_no_number() -> None:
    for start, end in (("[", "]"), ('"', '"'), ("**", "**")):
        assert parse_number(start * 50_000 + "5" + end * 50_000, Scale(min=0, max=10)) is None
        assert parse_number(start * 3 + " 5 " + end * 3, Scale(min=0, max=10)) == 5
