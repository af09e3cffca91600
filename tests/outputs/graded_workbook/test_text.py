from __future__ import annotations

import pytest

from grader.outputs.graded_workbook.text import CELL_LIMIT, cut_text, fits, is_plain, line_text, safe_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\nwith lines", "plain\ttext\nwith lines"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("bell\x07 tab\x0b nul\x00 del\x7f", "bell␇ tab␋ nul␀ del␡"),
        ("lone \ud83d half", "lone � half"),
        ("\ud83d\ude00 as two halves", "😀 as two halves"),
        ("\ufffe and \uffff", "� and �"),
        ("_x0041_ stays", "_x0041_ stays"),
    ],
)
def test_text_is_made_safe_visibly(text: str, shown: str) -> None:
    assert safe_text(text) == shown


def test_what_is_thought_plain_needs_no_change_in_a_cell_nor_in_xml() -> None:
    plain = [char for char in map(chr, range(0x11_0000)) if is_plain(char)]
    assert not [char for char in plain if safe_text(char) != char or char in "&<>_"]
    assert {"a", "\n", "\t", "é", "字", "😀"} <= set(plain)


def test_a_cell_counts_an_emoji_twice() -> None:
    assert fits("x" * CELL_LIMIT)
    assert not fits("x" * (CELL_LIMIT + 1))
    assert fits("😀" * (CELL_LIMIT // 2))
    assert not fits("😀" * (CELL_LIMIT // 2 + 1))


@pytest.mark.parametrize("text", ["x" * 100_003, "😀" * 40_000, "x" + "😀" * 40_000])
def test_cut_text_fits_and_says_where_the_rest_is(text: str) -> None:
    cut = cut_text(text)

    assert fits(cut)
    assert f"{len(text):,} characters" in cut
    assert cut.endswith("results.jsonl]")
    assert cut[:15_000] == text[:15_000]


def test_a_line_has_no_breaks_and_a_limit() -> None:
    assert line_text(" a\nb\t c ", 10) == "a b c"
    assert line_text("abcdef", 4) == "abc…"
