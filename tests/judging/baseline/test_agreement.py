from __future__ import annotations

import pytest

from grader.judging.baseline.agreement import compare, covered


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        pytest.param("1.2 km", "It is 1200 m.", id="another unit"),
        pytest.param("1200 litres", "1,200 litres", id="thousands"),
        pytest.param("B", "The answer is (B).", id="multiple choice"),
        pytest.param("Yes", "Yes, it is.", id="yes"),
        pytest.param("No", "It is not needed.", id="no in other words"),
        pytest.param("7割です", "7割", id="Japanese number"),
        pytest.param("はい", "はい、そうです。", id="Japanese yes"),
        pytest.param("入口阀先关闭", "先关闭入口阀。", id="Chinese"),
        pytest.param(
            "Das Einlassventil wird zuerst geschlossen", "Zuerst wird das Einlassventil geschlossen.", id="German"
        ),
    ],
)
def test_the_same_in_other_words(expected: str, text: str) -> None:
    found = compare(expected, text)
    assert found.coverage >= 0.5 and found.numbers == 1 and not found.is_opposite


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        pytest.param("1.2 km", "It is 1.2 m.", id="wrong unit"),
        pytest.param("150 Wh", "15 Wh", id="wrong number"),
        pytest.param("B", "Both are best.", id="the letter only inside words"),
        pytest.param("Yes", "No, it is not.", id="no for yes"),
        pytest.param("No", "It is needed.", id="no denial"),
        pytest.param("いいえ", "はい。", id="Japanese yes for no"),
        pytest.param("Ja", "Nein.", id="German no for yes"),
        pytest.param("The inlet valve", "The pump is primed.", id="something else"),
        pytest.param("The inlet valve", " … ", id="nothing said"),
    ],
)
def test_something_else(expected: str, text: str) -> None:
    found = compare(expected, text)
    assert found.coverage < 0.35 or found.numbers == 0 or found.is_opposite


def test_what_the_question_gives_does_not_count_as_known() -> None:
    found = compare("30 W for 5 hours are 150 Wh", "It runs at 30 W for 5 hours.", given="30 W, 5 hours?")
    assert (found.numbers, found.number_count, found.wrong_numbers) == (0, 1, ("150 Wh",))


def test_tolerance() -> None:
    assert compare("735.6 W", "736 W").numbers == 1
    assert compare("735.6 W", "736 W", tolerance=0.0001).numbers == 0


def test_covered() -> None:
    assert covered("The pump is primed. The valve is closed.", "Prime the pump.") < 0.7
    assert covered("The pump is primed.", "The pump is primed.") == 1
    assert covered("", "anything") == 0
