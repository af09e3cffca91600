from __future__ import annotations

import pytest

from grader.inputs.rubric_file import read_rubric
from grader.outputs.graded_workbook.keys import grade_key
from grader.outputs.review_queue import (
    ReviewQueue,
    Urgency,
    differ,
    near_edge,
    queue_of,
    review_reasons,
    urgent_reasons,
)
from grader.records import Grade, Item, Status, Verdict
from grader.rubric import Rubric, Scale


def rubric(name: str = "integrity") -> Rubric:
    return read_rubric(name)[0]


def grade(
    score: float | None = 50, *, id: str = "1", sample: int = 1, status: Status | None = None, **verdict: object
) -> Grade:
    status = status or (Status.OK if score is not None else Status.REFUSED)
    made = Verdict(status=status, score=score, **verdict)  # type: ignore[arg-type]
    return Grade(item=Item(id=id, system="alpha", answer="A"), verdict=made, rubric="r", model="m", sample=sample)


def reasons(*grades: Grade, name: str = "integrity") -> list[tuple[str, ...]]:
    queue = queue_of(grades, rubric(name))
    return [review_reasons(each, queue) for each in grades]


def test_a_plain_score_needs_no_review() -> None:
    assert reasons(grade(50)) == [()]


@pytest.mark.parametrize("status", [status for status in Status if not status.is_scored])
def test_no_score_says_why(status: Status) -> None:
    ((reason,),) = reasons(grade(None, status=status))

    assert reason.startswith("no score: ")
    assert "_" not in reason


def test_flags_and_a_lenient_reading_are_said_in_words_the_worst_first() -> None:
    found = reasons(grade(50, status=Status.REPAIRED, flags=("empty_answer", "capped", "odd_thing")))

    assert found == [("limited by low accuracy", "odd thing", "repaired")]


def test_an_empty_answer_alone_is_no_reason() -> None:
    assert reasons(grade(0, flags=("empty_answer",))) == [()]


@pytest.mark.parametrize(
    ("score", "edge"),
    [(27, None), (28, 30), (30, 30), (30.5, 30), (31, 30), (33, 30), (34, None), (60, 60), (0, None), (100, None)],
)
def test_scores_at_the_edge_of_a_band_are_near_it(score: float, edge: float | None) -> None:
    assert near_edge(score, rubric()) == edge
    assert reasons(grade(score)) == [() if edge is None else (f"near {edge}",)]


@pytest.mark.parametrize("name", ["likert", "checklist", "tiered", "tiered-items", "accuracy", "relevance", "points"])
def test_on_coarse_scales_and_without_bands_nothing_is_near(name: str) -> None:
    scale = rubric(name).scale
    scores = [scale.min + (scale.max - scale.min) * part / 20 for part in range(21)]

    assert [near_edge(score, rubric(name)) for score in scores] == [None] * 21


def test_samples_that_differ_by_more_than_a_tenth_of_the_scale_are_all_in_the_queue() -> None:
    apart = [grade(0, sample=1), grade(10.5, sample=2), grade(None, sample=3)]
    close = [grade(10, id="2", sample=1), grade(20, id="2", sample=2)]

    found = reasons(*apart, *close)

    assert found[:2] == [("samples differ: 0 to 10.5",)] * 2
    assert found[2] == ("no score: refused", "samples differ: 0 to 10.5")
    assert found[3:] == [(), ()]


def test_two_verdicts_of_a_binary_rubric_differ() -> None:
    assert reasons(grade(0), grade(100, sample=2), name="accuracy") == [("samples differ: 0 to 100",)] * 2


def test_a_tenth_of_a_small_scale_is_not_undone_by_rounding() -> None:
    scale = Scale(min=0, max=1, step=0.1)

    assert not differ([0.2, 0.3], scale)
    assert differ([0.2, 0.4], scale)
    assert not differ([0.2], scale)


def test_experts_that_differ_come_before_flags() -> None:
    one = grade(50, flags=("capped",))
    queue = ReviewQueue(rubric(), disputed={grade_key(one)})

    assert [reason.urgency for reason in urgent_reasons(one, queue)] == [Urgency.DISAGREEMENT, Urgency.FLAGGED]
    assert review_reasons(one, queue)[0] == "experts differ"
    assert review_reasons(grade(50, id="2"), queue) == ()
