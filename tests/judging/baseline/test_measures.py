from __future__ import annotations

import pytest

from grader.judging.baseline.measures import lacking, read_measures, without_measures


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("It is 3.5 km, or -2", [3.5, -2]),
        ("EVA-03 and disk3 and v1.2.3", []),
        ("数は34,392人です", [34392]),
        ("1.2e6 kJ", [1.2e6]),
        ("２０ｍ", [20]),
        ("20-30 m", [20, 30]),
    ],
)
def test_numbers_are_found_and_names_are_not(text: str, values: list[float]) -> None:
    assert [measure.value for measure in read_measures(text)] == values


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("2 h", "120 minutes", True),
        ("5 mW", "5 MW", False),
        ("5 km", "5", True),
        ("5 km", "5 kg", False),
        ("3 Stunden", "3 時間", True),
        ("7割", "70%", True),
        ("5 apples", "5 pears", True),
    ],
)
def test_units(one: str, other: str, is_same: bool) -> None:
    assert (lacking(read_measures(one), read_measures(other), 0.001) == ()) is is_same


def test_what_is_left() -> None:
    assert without_measures("E=1.73kWh in all").split() == ["E=", "in", "all"]
