from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.inputs.numbering import split_numbered


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("(1) a\n(2) b", ("a", "b")),
        ("(1) a (2) b", ("a", "b")),
        ("(1) a; (2) b; (3) c", ("a;", "b;", "c")),
        ("(1) mention A and (2) mention B", ("mention A and", "mention B")),
        ("(1) x (2) y\r\n\r\n(3) z", ("x", "y", "z")),
        ("(1) a \r ( 2 ) b", ("a", "b")),
        ("\n\n (1) a", ("a",)),
        ("（1）第一（2）第二", ("第一", "第二")),
        ("1. a\n2. b", ("a", "b")),
        ("1. a; 2. b", ("a;", "b")),
        ("1) first 2) second", ("first", "second")),
        ("１．第一\n２．第二", ("第一", "第二")),
        ("1、甲\n2、乙", ("甲", "乙")),
        ("①a②b", ("a", "b")),
        ("⑴ a\n⑵ b", ("a", "b")),
        ("⒈ a\n⒉ b", ("a", "b")),
        ("- a\n- b\n  - sub\n- c", ("a", "b\n  - sub", "c")),
        ("• a\n•b", ("a", "b")),
        ("1. a\n  1.1 b\n2. c", ("a\n  1.1 b", "c")),
        ("One of:\n(1) a\n(2) b", ("One of: a", "b")),
        ("Name it:\n(1) a", ("Name it: a",)),
        ("(1) the answer is\n(2)\n(3) c", ("the answer is", "c")),
    ],
)
def test_numbered_items(text: str, items: tuple[str, ...]) -> None:
    assert split_numbered(text) == items


@pytest.mark.parametrize(
    "text",
    [
        "mention the `save_image` command",
        "explain why (1) is wrong",
        "1.5 mm is right",
        "-5 points",
        "2. June 2024",
        "(2) only",
        "10) a",
        "f(1) a",
        "v1. is old",
        "see\n(1) above",
        "(1)",
    ],
)
def test_a_cell_without_numbering_is_one_item(text: str) -> None:
    assert split_numbered(text) == (text,)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('(1) "set_io_pin_constraint -region top:10-^"(^ is a number larger than 30), or (see 2)', 1),
        ("(1) explain why option (2) is wrong", 1),
        ("(1) explain options (1) and (2)", 1),
        ("(1) explain options (1) and (2)\n(2) compare (3) with (2)\n(3) c", 3),
        ("(1) see step (2) of the manual\n(2) b", 2),
        ("(1) set x = (2)", 1),
        ("(1) call foo(2) then\n(2) b", 2),
        ("(1) The date 1.2.2024\n(2) v2.0 (3.5)", 2),
        ("1) a (see 2) and\n2) b", 2),
        ("1) uses the interval [1,2) of x", 1),
        ("1. use version 2. It is faster", 1),
        ("1. take 2. then 3", 1),
        ("(1) a\n(3) c", 1),
        ("(1) a\n1. b\n2. c", 1),
    ],
)
def test_only_the_next_expected_number_starts_an_item(text: str, count: int) -> None:
    assert len(split_numbered(text)) == count


@pytest.mark.parametrize("text", ["", "  ", "\n\r\n"])
def test_a_blank_cell_has_no_items(text: str) -> None:
    assert split_numbered(text) == ()


WORDS = st.text(alphabet="abcxyz ,.-_`äß字", min_size=1, max_size=30).map(lambda s: f"w{s.strip()}w")
STYLES = st.sampled_from(["({})", "（{}）", "{}.", "{})", "{}、"])


@given(st.lists(WORDS, min_size=1, max_size=12), STYLES, st.sampled_from(["\n", "\r\n", "\n\n", "  \n  "]))
def test_items_come_back_as_they_were_written(items: list[str], style: str, between: str) -> None:
    text = between.join(f"{style.format(i)} {item}" for i, item in enumerate(items, start=1))
    assert split_numbered(text) == tuple(items)


@given(st.text(alphabet="()（）123.、①②•- \nab", max_size=60))
def test_nothing_but_markers_is_lost(text: str) -> None:
    items = split_numbered(text)
    assert all(item == item.strip() and item for item in items)
    assert bool(items) == bool(text.strip())
    kept = [char for char in "".join(items) if char in "ab"]
    assert kept == [char for char in text if char in "ab"]


@given(st.text(max_size=200))
def test_any_text_can_be_split(text: str) -> None:
    assert bool(split_numbered(text)) == bool(text.strip())
