from __future__ import annotations

import pytest

from grader.errors import InputError
from grader.inputs.rubric_file import read_rubric
from grader.records import CellRef, Item
from grader.rubric_choice import check_items, guessed_rubric, with_options


def test_a_guess_is_said_aloud() -> None:
    choice = guessed_rubric("points")
    assert choice.rubric.name == "points"
    assert choice.note == "rubric: points, guessed from the columns of the criteria workbook"


def test_options_are_set_and_checked() -> None:
    rubric, _ = read_rubric("accuracy")
    assert with_options(rubric, {"strictness": "lenient"}).options["strictness"] == "lenient"
    assert with_options(rubric, {}) == rubric
    with pytest.raises(InputError, match="--strictness wild is not allowed") as caught:
        with_options(rubric, {"strictness": "wild"})
    assert "lenient, balanced, strict" in str(caught.value.hint)
    with pytest.raises(InputError, match="accuracy has no context role"):
        with_options(rubric, {"context_role": "reference"})


def test_an_items_own_option_is_located() -> None:
    rubric, _ = read_rubric("relevance")
    source = CellRef(path="a.xlsx", sheet="S", cell="A4")
    item = Item(id="7", system="s", answer="a", question="q", fields={"context_role": "boss"}, source=source)
    with pytest.raises(InputError, match="id 7: “boss”") as caught:
        check_items([item], rubric, ["a.xlsx"])
    assert caught.value.cell == "A4"


def test_one_item_that_has_the_field_is_enough() -> None:
    rubric, _ = read_rubric("likert")
    items = [Item(id=str(i), system="s", answer="a", question="q", reference="r" * i) for i in range(2)]
    assert check_items(items, rubric, ["a.xlsx"]) == []
    with pytest.raises(InputError, match=r"looked for a column “reference” in a\.xlsx, b\.jsonl"):
        check_items(items[:1], rubric, ["a.xlsx", "b.jsonl"])
