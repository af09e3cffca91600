from __future__ import annotations

import pytest

from grader.inputs.context_passages import FIELD, find_passages, with_passages
from grader.records import Item

CAVE = (
    "The cave is open from May to September, daily from 10:00 to 17:00. Entry costs 9 euros, 5 for children. "
    "Dogs are not allowed."
)


def coverages(question: str, answer: str, context: str) -> list[str]:
    return [passage.coverage_words for passage in find_passages(question, answer, context)]


@pytest.mark.parametrize(
    ("question", "answer", "context", "expected"),
    [
        (
            "When can the cave be visited, and what does it cost?",
            "From May to September, daily from 10:00 to 17:00. Adults pay 9 euros, children 5.",
            CAVE,
            ["covered by the answer"] * 2,
        ),
        (
            "How deep is the cave?",
            "86 m; caves in limestone often go deeper.",
            "The cave has a length of 1.4 km and a depth of 86 m.",
            ["covered in part by the answer"],
        ),
        (
            "Who found the cave?",
            "It was found by miners in 1850.",
            "It was found in 1911 by the shepherd Anton Gruber.",
            ["not found in the answer"],
        ),
        (
            "Wie tief ist die Höhle, und wer hat sie gefunden?",
            "Die Höhle ist 86 m tief.",
            "Die Höhle ist 86 m tief.\n\nDie Höhle hat der Hirte Anton Gruber gefunden.",
            ["covered by the answer", "not found in the answer"],
        ),
    ],
)
def test_only_words_that_tell_something_count(question: str, answer: str, context: str, expected: list[str]) -> None:
    assert coverages(question, answer, context) == expected


def test_a_passage_of_the_questions_words_alone_is_covered_where_the_answer_has_them() -> None:
    assert coverages("Is the cave deep?", "The cave is deep.", "The cave is deep.") == ["covered by the answer"]
    assert coverages("Is the cave deep?", "Yes.", "The cave is deep.") == ["not found in the answer"]


def test_endings_and_the_form_of_digits_make_no_difference() -> None:
    context = "Ticket costs: 9 euros."
    assert coverages("Tickets?", "The cost is 9 Euro.", context) == ["covered by the answer"]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("洞穴从五月到九月开放。", "covered by the answer"),
        ("五月开放。", "covered in part by the answer"),
        ("洞穴冬天关闭。", "not found in the answer"),
    ],
)
def test_scripts_without_spaces_are_compared_by_pairs_of_signs(answer: str, expected: str) -> None:
    (passage,) = find_passages("洞穴从五月到九月开放吗", answer, "洞穴从五月到九月开放")
    # All words are the question's, so that they count after all.
    assert passage.coverage_words == expected


def test_numbers_are_found_inside_of_such_scripts() -> None:
    assert coverages("洞穴 有多深?", "深度是８６米", "洞穴 深度是86米") == ["covered by the answer"]
    assert coverages("洞窟 の深さは?", "深さは86メートルです", "洞窟 の深さは86メートルです") == [
        "covered by the answer"
    ]


def test_a_passage_without_any_telling_word_is_not_found() -> None:
    assert coverages("Is it?", "It is.", "It is.") == ["not found in the answer"]


def test_passages_become_lines_of_one_more_field() -> None:
    item = Item(
        id="1", system="s", question="What is the cost?", answer="9 euros, children 5.", fields={"context": CAVE}
    )
    with_field = with_passages(item)
    assert "- Entry costs 9 euros, 5 for children. (covered by the answer)" in with_field.fields[FIELD].splitlines()


def test_an_item_without_a_context_stays_as_it_is() -> None:
    item = Item(id="1", system="s", question="What is the cost?", answer="9 euros")
    assert with_passages(item) == item
