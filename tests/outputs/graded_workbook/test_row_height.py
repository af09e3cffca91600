from __future__ import annotations

from grader.outputs.graded_workbook.row_height import MAX_POINTS, display_width, line_count, row_points


def test_chinese_japanese_korean_and_emoji_count_double() -> None:
    assert display_width("abc") == 3
    assert display_width("答案") == 4
    assert display_width("é答😀") == 5


def test_lines_are_counted_by_breaks_and_by_width() -> None:
    assert line_count("", 20, 99) == 1
    assert line_count("a\n\nb", 20, 99) == 3
    assert line_count("word " * 40, 20, 99) > line_count("word " * 40, 60, 99) > 1
    assert line_count("字" * 50, 20, 99) > line_count("a" * 50, 20, 99)


def test_counting_stops_where_a_row_cannot_grow() -> None:
    assert line_count("x\n" * 1_000_000, 20, 33) == 33
    assert line_count("x" * 1_000_000, 20, 33) == 33


def test_a_row_is_as_high_as_its_longest_text_but_never_beyond_excels_limit() -> None:
    assert row_points([]) < row_points([("one\ntwo", 20)]) < row_points([("one", 20), ("one\ntwo\nthree", 20)])
    assert row_points([("x" * 100_000, 10)]) == MAX_POINTS
