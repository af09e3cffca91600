from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.outputs.graded_workbook.expert_entries import CriterionEntry, ExpertEntry
from grader.outputs.results_jsonl import ExpertView, cost_usd, recording, result_record
from grader.records import Criterion, CriterionVerdict, Grade, Item, Reply, SkippedItem, Status, Usage, Verdict

ITEM = Item(id="1", system="s", answer="全角 a", question="q", reference="r", group="g")


def graded(
    score: float | None = 50, *, replies: tuple[Reply, ...] = (), status: Status | None = None, **verdict: Any
) -> Grade:
    status = status or (Status.OK if score is not None else Status.PARSE_ERROR)
    return Grade(
        item=ITEM,
        verdict=Verdict(status=status, score=score, **verdict),
        rubric="tiered",
        model="m",
        sample=2,
        replies=replies,
    )


def written(tmp_path: Path, grades: list[Grade], skipped: tuple[SkippedItem, ...] = ()) -> tuple[str, str]:
    """Return the texts of results.jsonl and skipped.log."""
    paths = tmp_path / "results.jsonl", tmp_path / "skipped.log"
    with recording(*paths) as record:
        for grade in grades:
            record.grade(grade)
        for item in skipped:
            record.skipped(item)
    results, log = (path.read_bytes().decode("utf-8") for path in paths)
    return results, log


def test_a_record_has_every_field() -> None:
    replies = (
        Reply(text="What?", usage=Usage(prompt_tokens=10, completion_tokens=1), seconds=0.5, cost_usd=0.25, attempts=2),
        Reply(text="50.", usage=Usage(prompt_tokens=20, completion_tokens=2), seconds=0.25, cost_usd=0.5),
    )
    items = (CriterionVerdict(number=1, met=True, level=25, evidence="e"),)
    grade = graded(
        50.0, replies=replies, flags=("unreachable_score",), dimensions={"a": 8.0}, items=items, analysis="why"
    )
    assert result_record(grade) == {
        "system": "s",
        "id": "1",
        "sample": 2,
        "rubric": "tiered",
        "score": 50,
        "status": "ok",
        "flags": ["unreachable_score"],
        "needs_review": True,
        "expert_score": None,
        "expert_comment": "",
        "final_score": 50,
        "experts": [],
        "dimensions": {"a": 8},
        "items": [{"number": 1, "met": True, "level": 25, "evidence": "e"}],
        "analysis": "why",
        "reply": "50.",
        "finish_reason": None,
        "model": "m",
        "attempts": 3,
        "usage": {"prompt_tokens": 30, "completion_tokens": 3},
        "cost_usd": 0.75,
        "latency_seconds": 0.75,
        "question": "q",
        "answer": "全角 a",
        "reference": "r",
        "group": "g",
        "error": None,
    }


@pytest.mark.parametrize(("score", "text"), [(50.0, "50"), (0.0, "0"), (33.5, "33.5"), (None, "null"), (0.8, "0.8")])
def test_whole_scores_are_written_whole_and_none_as_null(tmp_path: Path, score: float | None, text: str) -> None:
    assert f'"score": {text},' in written(tmp_path, [graded(score)])[0]


def test_what_experts_made_of_it() -> None:
    criteria: dict[tuple[float | None, int], CriterionEntry] = {
        (25.0, 1): CriterionEntry(met=False, comment="no"),
        (25.0, 2): CriterionEntry(comment="?"),
        (50.0, 1): CriterionEntry(met=True),
    }
    entry = ExpertEntry(score=25.0, comment="a", blind_score=50.0, blind_comment="b", criteria=criteria)
    texts = tuple(Criterion(item_id="1", text="t", level=level, number=number) for level, number in criteria)
    items = tuple(CriterionVerdict(number=number, level=25, met=True) for number in (1, 2))
    grade = graded(50, items=items)
    grade = replace(grade, item=replace(grade.item, criteria=texts))
    record = result_record(grade, ExpertView(entry=entry, final_score=25.0, experts=[{"reviewer": "A"}]))
    assert (record["score"], record["expert_score"], record["final_score"]) == (50, 25, 25)
    assert (record["expert_comment"], record["experts"], record["needs_review"]) == ("a\nb", [{"reviewer": "A"}], False)
    judged = {"number": 1, "met": True, "level": 25, "evidence": ""}
    assert record["items"] == [
        {**judged, "expert_met": False, "expert_comment": "no", "final_met": False},
        {**judged, "number": 2, "expert_met": None, "expert_comment": "?", "final_met": True},
        {**judged, "met": None, "level": 50, "expert_met": True, "expert_comment": "", "final_met": True},
    ]


def test_a_grade_without_a_call() -> None:
    record = result_record(graded(0, flags=("empty_answer",)))
    assert (record["reply"], record["attempts"], record["cost_usd"]) == ("", 0, 0.0)
    assert record["needs_review"] is False


def test_why_there_is_no_score() -> None:
    assert result_record(graded(None, reason="No score."))["error"] == "No score."
    failed = graded(None, status=Status.PROVIDER_ERROR, reason="HTTP 500", replies=(Reply(error="HTTP 500"),))
    assert result_record(failed)["error"] == "HTTP 500"
    assert result_record(graded(20, reason="odd"))["error"] is None


@pytest.mark.parametrize(
    ("replies", "cost"),
    [
        ((), 0.0),
        ((Reply(cost_usd=0.1), Reply(cost_usd=0.2)), 0.3),
        ((Reply(cost_usd=0.1), Reply(cost_usd=None)), None),
        ((Reply(cost_usd=0.1), Reply(error="x")), 0.1),
        ((Reply(cost_usd=0.1), Reply(error="x", cost_usd=0.2)), 0.3),
        ((Reply(cost_usd=None), Reply(error="x", cost_usd=0.2)), None),
        ((Reply(error="x"),), None),
        ((Reply(cost_usd=0.0),), 0.0),
    ],
)
def test_a_cost_is_known_only_where_that_of_every_served_call_is(
    replies: tuple[Reply, ...], cost: float | None
) -> None:
    assert cost_usd(graded(replies=replies)) == (None if cost is None else pytest.approx(cost))


def test_one_line_a_grade_in_the_order_given_in_plain_text(tmp_path: Path) -> None:
    results, log = written(tmp_path, [graded(50), graded(None, reason="x"), graded(0, analysis="two\nlines")])
    assert [json.loads(line)["score"] for line in results.split("\n")[:-1]] == [50, None, 0]
    assert "全角" in results
    assert log == "s\t1\tparse_error\tx\n"


def test_the_log_of_what_has_no_score_keeps_to_one_line_each_and_names_items_without_partner(tmp_path: Path) -> None:
    skipped = (SkippedItem(system="s", item_id="9", reason="criteria without an answer"),)
    _, log = written(tmp_path, [graded(None, reason="a\tb\n c"), graded(50)], skipped)
    assert log == "s\t1\tparse_error\ta b c\ns\t9\tskipped\tcriteria without an answer\n"


def test_half_an_emoji_in_a_reply_costs_neither_file(tmp_path: Path) -> None:
    grade = graded(None, reason="The score “\ud83d” is odd.", replies=(Reply(text="\ud83d"),))
    results, log = written(tmp_path, [grade, graded(50)])
    assert [json.loads(line)["reply"] for line in results.split("\n")[:-1]] == ["?", ""]
    assert "“?”" in log
