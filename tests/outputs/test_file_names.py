from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.outputs.file_names import safe_file_names


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gpt-4o", "gpt-4o"),
        ("internlm/x", "internlm__x"),
        ("a b", "a_b"),
        ("日本語", "日本語"),
        ("v1.5", "v1.5"),
        ("1", "1"),
    ],
)
def test_plain_names_stay(name: str, expected: str) -> None:
    assert safe_file_names([name]) == {name: expected}


@pytest.mark.parametrize("name", ["CON", "con.txt", "LPT1", "", "..", ".", "x" * 300, "語" * 100, " ", "//", "../.."])
def test_what_is_no_name_gets_a_hash(name: str) -> None:
    (made,) = safe_file_names([name]).values()
    assert made and made not in (".", "..") and len(made.encode()) < 140
    assert made.partition(".")[0].casefold() not in ("con", "lpt1")
    assert made[-8:].isalnum()


def test_names_that_would_meet_are_told_apart() -> None:
    made = safe_file_names(["a:b", "a_b", "A_B", "a?b", "a/b"])
    assert len({name.casefold() for name in made.values()}) == 5
    assert made["a:b"] == "a_b"


@pytest.mark.no_cover
@given(st.lists(st.text(max_size=40), max_size=8))
def test_any_names_are_different_and_inside(names: list[str]) -> None:
    made = safe_file_names(names)
    assert set(made) == set(names)
    assert len({name.casefold() for name in made.values()}) == len(made)
    assert all(Path(name).name == name and not name.startswith(".") for name in made.values())
