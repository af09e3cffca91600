"""The order of the systems, and words for what is not there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from grader.outputs.report.sections import probe_rows, ranked
from grader.outputs.report.shown_text import cut_text, fit_text, text_limit
from grader.outputs.summary import empty_summary


def test_the_best_mean_comes_first_zero_counts_and_none_is_last() -> None:
    summary = empty_summary(planned={"none": 1, "zero": 1, "best": 1, "negative": 1})
    for system, score in (("zero", 0.0), ("best", 5.0), ("negative", -1.0)):
        summary.systems[system].final.add("1", score)
    run: Any = SimpleNamespace(summary=summary)
    assert [each.system for each in ranked(run)] == ["best", "zero", "negative", "none"]


def test_a_probe_of_which_little_is_known_is_still_a_table() -> None:
    assert probe_rows({"canaries": [{"name": "repeat"}]}) == [["repeat", "", "–", "–", ""]]
    assert probe_rows({}) == []


@pytest.mark.parametrize(("count", "limit"), [(0, 20_000), (500, 20_000), (1_000, 10_000), (100_000, 1_200)])
def test_the_more_items_the_less_of_each_text(count: int, limit: int) -> None:
    assert text_limit(count) == limit


def test_a_cut_text_says_how_much_is_missing() -> None:
    assert cut_text("abc", 3) == "abc"
    assert cut_text("abcdefgh", 3) == "abc [… 5 more characters: see results.jsonl]"


def test_what_a_page_cannot_hold_is_marked() -> None:
    assert fit_text("a\x00b\r\nc\rd\ud83d") == "a\ufffdb\nc\nd\ufffd"
