from __future__ import annotations

import datetime

import pytest

from grader.outputs.graded_workbook.entry_values import (
    Unclear,
    entered_comment,
    parse_entered_score,
    parse_entered_verdict,
)


@pytest.mark.parametrize(
    ("value", "score"),
    [
        *((50, 50.0), (50.5, 50.5), ("50", 50.0), (" 50 ", 50.0), ("3,5", 3.5), ("3.5", 3.5), ("0,500", 0.5)),
        *(("３", 3.0), ("３，５", 3.5), ("１００", 100.0), ("\u22125", -5.0), (".5", 0.5), ("5.", 5.0)),
        *(("", None), ("  ", None), ("\u200b", None), (None, None), (-0.0, 0.0)),
    ],
)
def test_one_plain_number_is_read_however_it_is_typed(value: object, score: float | None) -> None:
    assert parse_entered_score(value) == score


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("1,000", "thousands"),
        ("1.000", "thousands"),
        ("62.500", "thousands"),
        ("50 %", "not one plain number"),
        ("50%", "not one plain number"),
        ("50-60", "not one plain number"),
        ("50点", "not one plain number"),
        ("nan", "not one plain number"),
        ("1_0", "not one plain number"),
        ("5²", "not one plain number"),
        (True, "TRUE is no number"),
        (datetime.date(2026, 5, 3), "date"),
        (datetime.datetime(2026, 5, 3), "date"),
        (datetime.time(3, 5), "date"),
    ],
)
def test_what_could_mean_two_things_is_no_score(value: object, why: str) -> None:
    with pytest.raises(Unclear, match=why):
        parse_entered_score(value)


@pytest.mark.parametrize(
    ("value", "met"),
    [
        *(("met", True), (" Met ", True), ("not  met", False), ("YES", True), ("no", False), ("true", True)),
        *((1, True), (0.0, False), ("1", True), ("０", False), (True, True), (False, False), ("", None), (None, None)),
    ],
)
def test_a_verdict(value: object, met: bool | None) -> None:
    assert parse_entered_verdict(value) is met


@pytest.mark.parametrize("value", ["maybe", "x", 2, 0.5, "met not met", datetime.date(2026, 1, 1)])
def test_no_verdict(value: object) -> None:
    with pytest.raises(Unclear):
        parse_entered_verdict(value)


@pytest.mark.parametrize(
    ("value", "comment"),
    [("a _x000D_\n b\r\nc ", "a\n b\nc"), (5.0, "5"), (None, ""), (True, "True"), ("  ", "")],
)
def test_a_comment(value: object, comment: str) -> None:
    assert entered_comment(value) == comment
