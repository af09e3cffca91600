from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.inputs.rubric_file import read_rubric
from grader.records import Criterion, Item, Reply, Status
from grader.rubric import Rubric
from grader.scoring.replies import score_reply
from grader.scoring.rules.tiered import reachable_scores

RUBRIC, _ = read_rubric("tiered")
TWENTY = RUBRIC.model_copy(update={"options": {"points": {25: 20}}})


def criteria(**counts: int) -> tuple[Criterion, ...]:
    """Return so many criteria of each level, as in `criteria(l25=2, l100=1)`."""
    return tuple(
        Criterion(item_id="1", text="x", number=number, level=int(level[1:]))
        for level, count in counts.items()
        for number in range(1, count + 1)
    )


@pytest.mark.parametrize(
    ("counts", "scores"),
    [
        ({}, (0,)),
        ({"l25": 1}, (0, 25)),
        ({"l25": 3}, (0, 25, 50, 75)),
        ({"l25": 6}, (0, 25, 50, 75, 100)),
        ({"l50": 1}, (0, 50)),
        ({"l50": 3}, (0, 50, 100)),
        ({"l100": 4}, (0, 100)),
        ({"l25": 2, "l50": 1, "l100": 1}, (0, 25, 50, 100)),
    ],
)
def test_reachable_scores(counts: dict[str, int], scores: tuple[float, ...]) -> None:
    assert reachable_scores(criteria(**counts), RUBRIC) == scores


def test_points_of_a_level_may_differ_from_the_level() -> None:
    assert reachable_scores(criteria(l25=6, l50=1), TWENTY) == (0, 20, 40, 50, 60, 80, 100)


def test_points_by_level_may_be_written_as_text() -> None:
    rubric = Rubric.model_validate({**RUBRIC.model_dump(), "options": {"points": {"25": "20"}}})
    assert rubric.level_points(25) == 20
    assert rubric.level_points(50) == 50


@pytest.mark.parametrize(
    ("rubric", "score", "is_unreachable"),
    [(RUBRIC, 25, False), (RUBRIC, 20, True), (TWENTY, 20, False), (TWENTY, 25, True), (RUBRIC, 33.3, True)],
)
def test_an_unreachable_score_is_kept_flagged_and_told(rubric: Rubric, score: float, is_unreachable: bool) -> None:
    item = Item(id="1", system="s", answer="a", criteria=criteria(l25=1, l100=1))
    verdict = score_reply(Reply(text=f"<analysis>x</analysis><score>{score}</score>"), item, rubric)
    assert (verdict.status, verdict.score) == (Status.OK, score)
    assert verdict.flags == (("unreachable_score",) if is_unreachable else ())
    assert ("possible scores are 0, " in verdict.reason) is is_unreachable


def test_the_shared_cases(shared: Path) -> None:
    lines = (shared / "cases" / "judge-replies.jsonl").read_text("utf-8").splitlines()
    cases = [case for case in map(json.loads, lines) if case["rubric"] == "tiered"]
    assert len(cases) >= 17
    item = Item(id="1", system="s", answer="a", criteria=criteria(l50=2, l100=1))
    for case in cases:
        said = case["reply"] if isinstance(case["reply"], dict) else {"content": case["reply"], "finish": "stop"}
        reply = Reply(text=said["content"] or "", finish_reason=said["finish"])
        verdict = score_reply(reply, item, RUBRIC)
        expected = case["expect"]
        assert (verdict.status, verdict.score) == (expected["status"], expected["score"]), case["case"]
        assert ("flag" not in expected) or expected["flag"] in verdict.flags, case["case"]
