from __future__ import annotations

from grader.outputs.graded_workbook.wording import STATUS_WORDS, criteria_text, flag_words, verdict_words
from grader.records import Criterion, CriterionVerdict, Item, Status, Verdict


def test_every_status_has_words_that_say_whether_there_is_a_score() -> None:
    assert set(STATUS_WORDS) == set(Status)
    assert all(words.startswith("Scored") == status.is_scored for status, words in STATUS_WORDS.items())


def test_a_verdict_is_told_in_lines() -> None:
    verdict = Verdict(
        status=Status.OK,
        score=50,
        flags=("unreachable_score", "odd_thing"),
        dimensions={"context_precision": 7.0},
        items=(CriterionVerdict(number=1, met=True, level=50), CriterionVerdict(number=2, met=False, level=50)),
        reason="Possible are 0 and 100.",
    )

    assert verdict_words(verdict).split("\n") == [
        "Reached level 50",
        "These criteria cannot give this score",
        "Odd thing",
        "Possible are 0 and 100.",
        "Context precision: 7",
        "Met: 50 (1)",
        "Not met: 50 (2)",
    ]


def test_no_level_is_said_too_and_without_levels_the_status_is() -> None:
    unmet = CriterionVerdict(number=1, met=False, level=50)

    assert verdict_words(Verdict(status=Status.OK, score=0, items=(unmet,))).startswith("Reached no level")
    assert verdict_words(Verdict(status=Status.OK, score=0)) == "Scored"
    assert verdict_words(Verdict(status=Status.REPAIRED, score=0, items=(unmet,))).startswith("Scored, though")


def test_criteria_are_listed_with_level_number_and_points() -> None:
    tiered = Criterion(item_id="1", level=100, number=2, text="names X")
    weighted = Criterion(item_id="1", number=3, text="is wrong", points=-2)

    item = Item(id="1", system="s", answer="", criteria=(tiered, weighted))

    assert criteria_text(item) == "100 (2) names X\n(3) is wrong [-2 points]"


def test_a_flag_without_words_is_read_as_a_phrase() -> None:
    assert flag_words("new_flag") == "New flag"
