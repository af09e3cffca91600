from __future__ import annotations

import itertools
from typing import Any

import pytest

from grader.outputs.expert_ratings import expert_ratings
from grader.outputs.expert_scores import (
    effective_entries,
    expert_records,
    latest_overrides,
    standing_entries,
    tied_verdicts,
)
from grader.outputs.graded_workbook.keys import grade_key, text_hash
from grader.records import CriterionVerdict, Grade, Item, Override, Status, Verdict
from grader.rubric import Scale
from grader.statistics.ratings import Rating

ITEM = Item(id="1", system="s", answer="a")
GRADE = Grade(
    item=ITEM,
    verdict=Verdict(status=Status.OK, score=50, items=(CriterionVerdict(number=1, met=True),)),
    rubric="r",
    model="m",
)
OTHER = Grade(item=Item(id="2", system="s", answer="b"), verdict=GRADE.verdict, rubric="r", model="m")
SCALE = Scale(min=0, max=100)


def said(reviewer: str, score: float | None = None, **more: Any) -> Override:
    return Override(
        **{"system": "s", "item_id": "1", "text_hash": text_hash(ITEM), "reviewer": reviewer, "score": score, **more}
    )


def entry(*overrides: Override, scale: Scale = SCALE) -> Any:
    return effective_entries(overrides, [GRADE, OTHER], scale)[grade_key(GRADE)]


def test_without_overrides_there_is_nothing() -> None:
    assert effective_entries([], [GRADE], SCALE) == {}
    assert standing_entries(GRADE, {}) == ()


def test_one_experts_last_word_stands_as_it_is() -> None:
    found = entry(said("Anna", 25, comment="x"), said("Anna", 75, comment="good"))
    assert (found.score, found.comment, found.experts_differ) == (75, "good", False)
    assert set(effective_entries([said("Anna", 25)], [GRADE, OTHER], SCALE)) == {grade_key(GRADE)}


def test_of_several_the_mean_counts_in_whatever_order_they_came() -> None:
    overrides = [said("Anna", 0.1), said("Bob", 0.2, comment="b"), said("Cem", 0.3, comment="c")]
    found = {entry(*order).score for order in itertools.permutations(overrides)}
    assert len(found) == 1 and found.pop() == pytest.approx(0.2)
    assert entry(*reversed(overrides)).comment == "Bob: b\nCem: c"


def test_what_was_taken_back_no_longer_counts() -> None:
    assert entry(said("Anna", 25), said("Bob", 75), said("Anna")).score == 75
    assert effective_entries([said("Anna", 25), said("Anna")], [GRADE], SCALE) == {}


@pytest.mark.parametrize(
    ("scores", "scale", "differ"),
    [
        ((50, 60), SCALE, False),
        ((50, 60.5), SCALE, True),
        ((4, 4), Scale(min=1, max=5, step=1), False),
        ((4, 5), Scale(min=1, max=5, step=1), True),
    ],
)
def test_experts_differ_who_are_far_apart(scores: tuple[float, float], scale: Scale, differ: bool) -> None:
    assert entry(said("Anna", scores[0]), said("Bob", scores[1]), scale=scale).experts_differ is differ


def test_on_a_criterion_the_majority_decides_and_a_tie_leaves_it_to_the_judge() -> None:
    yes, no = (said(name, number=1, met=met) for name, met in (("Anna", True), ("Bob", False)))
    tie = entry(yes, no)
    assert (tie.criteria[(None, 1)].met, tie.experts_differ) == (None, True)
    majority = entry(yes, no, said("Cem", number=1, met=False, comment="no"))
    assert (majority.criteria[(None, 1)].met, majority.criteria[(None, 1)].comment) == (False, "Cem: no")


def test_blind_scores_are_kept_apart() -> None:
    found = entry(said("Anna", 25), said("Anna", 75, is_blind=True, comment="b"))
    assert (found.score, found.blind_score, found.blind_comment, found.number) == (25, 75, "b", 25)


def test_what_was_said_of_other_texts_is_shown_and_does_not_count() -> None:
    stale = [
        said("Anna", 25, text_hash="old", comment="x"),
        said("Bob", number=2, level=25.0, met=False, text_hash="old"),
        said("Bob", 5, is_blind=True, text_hash="old"),
    ]
    found = entry(*stale)
    assert found.number is None and not found.criteria
    assert found.stale == "Anna: 25, “x”\nBob: 25 (2) not met\nBob: 5 (blind)"
    assert entry(*stale, said("Anna", 50)).stale.startswith("Bob")  # Anna has looked again


def test_the_records_of_results() -> None:
    overrides = [
        said("Bob", 75, entered="t2"),
        said("Bob", number=1, met=True, comment="c", entered="t3"),
        said("Anna", 25, text_hash="old", entered="t1"),
    ]
    standing = standing_entries(GRADE, latest_overrides(overrides))
    assert expert_records(standing) == [
        {
            "reviewer": "Anna",
            "score": 25,
            "comment": "",
            "blind": False,
            "stale": True,
            "entered": "t1",
            "criteria": [],
        },
        {
            "reviewer": "Bob",
            "score": 75,
            "comment": "",
            "blind": False,
            "stale": False,
            "entered": "t3",
            "criteria": [{"level": None, "number": 1, "met": True, "comment": "c"}],
        },
    ]


def test_the_ratings_are_the_experts_and_the_judges_on_the_same() -> None:
    overrides = [
        said("Anna", 25),
        said("Anna", number=1, met=False),
        said("Bob", 75, is_blind=True),
        said("Cem", comment="only words"),
        said("Dan", 5, text_hash="old"),
    ]
    about: dict[str, Any] = {"system": "s", "item_id": "1", "sample": 1}
    assert list(expert_ratings([GRADE, OTHER], overrides)) == [
        Rating(**about, criterion=(None, 1), rater="judge", score=1.0),
        Rating(**about, rater="judge", score=50),
        Rating(**about, rater="Anna", score=25),
        Rating(**about, criterion=(None, 1), rater="Anna", score=0.0),
        Rating(**about, rater="Bob", score=75, is_blind=True),
    ]


def test_each_expert_speaks_once_blind_or_in_sight_of_the_judge() -> None:
    blind = [said("Anna", 0, is_blind=True), said("Cem", 30, is_blind=True)]
    assert (entry(*blind).score, entry(*blind).blind_score) == (None, 15)
    found = entry(*blind, said("Anna", 60), said("Bob", 90))
    assert (found.score, found.blind_score, found.experts_differ) == (60, 15, True)


def test_ties_are_told() -> None:
    split = [said("Anna", number=1, met=True), said("Bob", number=1, met=False)]
    assert entry(*split).experts_differ
    assert tied_verdicts(split, [GRADE, OTHER]) == ["s 1: (1)"]
    assert tied_verdicts([*split, said("Cem", number=1, met=True)], [GRADE]) == []
    assert tied_verdicts([], [GRADE]) == []
