"""Words for figures that are more than a format."""

from __future__ import annotations

from grader.statistics.figure_words import left_out_words


def test_one_question_is_no_plural() -> None:
    assert left_out_words(1) == "1 question has a score of one only, and is left out"
    assert left_out_words(1200) == "1,200 questions have a score of one only, and are left out"
