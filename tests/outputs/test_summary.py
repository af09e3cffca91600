from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from grader.outputs.graded_workbook.expert_entries import CriterionEntry, ExpertEntry
from grader.outputs.results_jsonl import ExpertView
from grader.outputs.summary import Summary, empty_summary, total_cost_usd, write_summary
from grader.records import CallTotals, Grade, Item, Reply, SkippedItem, Status, Usage, Verdict

_IDS = count(1)


def graded(
    score: float | None,
    *,
    system: str = "a",
    group: str | None = None,
    flags: tuple[str, ...] = (),
    replies: tuple[Reply, ...] = (),
    reason: str = "",
) -> Grade:
    status = Status.OK if score is not None else Status.PARSE_ERROR
    return Grade(
        item=Item(id=f"{next(_IDS)}", system=system, answer="x", group=group),
        verdict=Verdict(status=status, score=score, flags=flags, reason=reason),
        rubric="tiered",
        model="m",
        replies=replies,
    )


def summary_of(grades: list[Grade], planned: dict[str, int], skipped: tuple[SkippedItem, ...] = ()) -> Summary:
    summary = empty_summary(planned=planned, skipped=skipped)
    for grade in grades:
        summary.add(grade)
    return summary


def written(tmp_path: Path, summary: Summary, **run: Any) -> dict[str, Any]:
    write_summary(tmp_path / "summary.json", summary, run=run)
    record: dict[str, Any] = json.loads((tmp_path / "summary.json").read_text("utf-8"))
    return record


def test_what_has_no_score_is_no_nought() -> None:
    summary = summary_of([graded(100), graded(50), graded(None)], {"a": 3})
    assert summary.systems["a"].mean.value == 75
    assert (summary.systems["a"].mean.n, summary.unscored) == (2, 1)


def test_final_scores_stand_beside_the_judges(tmp_path: Path) -> None:
    summary = summary_of([graded(100)], {"a": 3})
    by_expert = ExpertView(entry=ExpertEntry(blind_score=50.0), final_score=50.0, needs_review=True)
    summary.add(graded(None), by_expert)
    criteria: dict[tuple[float | None, int], CriterionEntry] = {(None, 1): CriterionEntry(met=True)}
    summary.add(graded(50), ExpertView(entry=ExpertEntry(criteria=criteria), final_score=50.0))
    record = written(tmp_path, summary)["systems"][0]
    assert (record["n"], record["mean"], record["unscored"], record["needs_review"]) == (2, 75, 1, 1)
    final = record["final"]
    assert (final["n"], round(final["mean"], 2), final["reviewed"], final["changed"]) == (3, 66.67, 2, 1)


def test_what_was_never_reached_counts_as_unscored() -> None:
    summary = summary_of([graded(100)], {"a": 2, "b": 3})
    assert (summary.planned, summary.unscored) == (5, 4)
    assert summary.systems["b"].unscored == 3
    assert summary.systems["b"].mean.value is None


def test_systems_keep_the_order_of_the_plan() -> None:
    assert list(summary_of([graded(1, system="b"), graded(1, system="z")], {"c": 1, "b": 1}).systems) == ["c", "b", "z"]


@pytest.mark.parametrize(("unscored", "is_complete"), [(0, True), (5, True), (6, False), (100, False)])
def test_a_run_is_complete_from_95_in_100_scored(unscored: int, is_complete: bool) -> None:
    grades = [graded(50)] * (100 - unscored) + [graded(None)] * unscored
    assert summary_of(grades, {"a": 100}).is_complete is is_complete


def test_a_run_of_nothing_is_complete() -> None:
    assert summary_of([], {}).is_complete


def test_counts_by_status_reason_flag_and_review() -> None:
    grades = [
        graded(0, flags=("empty_answer",)),
        graded(20, flags=("unreachable_score", "suspicious")),
        graded(None, reason="No score."),
        graded(None, reason="No score.", system="b"),
    ]
    summary = summary_of(grades, {"a": 3, "b": 1})
    assert summary.statuses == {"ok": 2, "parse_error": 2}
    assert summary.reasons == {"parse_error: No score.": 2}
    assert (summary.systems["a"].flagged, summary.systems["a"].needs_review) == (1, 2)


def test_groups_come_in_the_order_met_with_means_of_their_own() -> None:
    summary = summary_of(
        [graded(50, group="y"), graded(100, group="x"), graded(0, group="y"), graded(None, group="z")], {"a": 4}
    )
    assert summary.groups == ["y", "x"]
    assert summary.systems["a"].groups["y"].mean().value == 25


def test_items_without_partner_are_counted_by_system_and_planned_by_none() -> None:
    skipped = (SkippedItem(system="a", item_id="9", reason="x"), SkippedItem(system="new", item_id="9", reason="x"))
    summary = summary_of([graded(50)], {"a": 1}, skipped)
    assert (summary.systems["a"].skipped, summary.systems["new"].skipped) == (1, 1)
    assert summary.unscored == 0


@pytest.mark.parametrize(
    ("calls", "cost"),
    [
        (CallTotals(), None),
        (CallTotals(calls=2, cost_usd=0.75), 0.75),
        (CallTotals(calls=2, cost_usd=0.25, unpriced=1), None),
    ],
)
def test_the_cost_is_known_only_where_every_price_is(calls: CallTotals, cost: float | None) -> None:
    assert total_cost_usd(empty_summary(planned={}, calls=calls)) == cost


def test_a_systems_cost_is_unknown_where_one_of_its_prices_is() -> None:
    summary = summary_of([graded(50, replies=(Reply(cost_usd=0.25),)), graded(50, replies=(Reply(),))], {"a": 2})
    assert summary.systems["a"].has_unknown_cost


def test_the_file_says_it_all(tmp_path: Path) -> None:
    reply = Reply(usage=Usage(prompt_tokens=10, completion_tokens=2), seconds=0.5, cost_usd=0.25)
    grades = [
        graded(100, replies=(reply, reply), group="g"),
        graded(50, replies=(reply,), group="g"),
        graded(None, system="b"),
    ]
    summary = summary_of(grades, {"a": 2, "b": 1})
    summary.calls = CallTotals(calls=3, prompt_tokens=30, completion_tokens=6, cost_usd=0.75)
    record = written(tmp_path, summary, run_id="r1")
    assert record["run_id"] == "r1"
    assert record["is_complete"] is False
    assert record["items"] == {"planned": 3, "scored": 2, "unscored": 1}
    assert record["usage"] == {"prompt_tokens": 30, "completion_tokens": 6}
    assert record["cost_usd"] == 0.75
    first, second = record["systems"]
    assert (first["n"], first["mean"], first["seconds"]) == (2, 75, 1.5)
    assert first["interval"][0] < 75 < first["interval"][1]
    assert first["groups"]["g"]["mean"] == 75
    assert (second["mean"], second["interval"], second["interval_reason"]) == (None, None, "nothing is scored")


def test_half_an_emoji_in_a_reason_does_not_cost_the_file(tmp_path: Path) -> None:
    record = written(tmp_path, summary_of([graded(None, reason="“\ud83d”")], {"a": 1}))
    assert record["unscored_reasons"] == {"parse_error: “?”": 1}


def test_of_many_reasons_the_most_common_are_kept(tmp_path: Path) -> None:
    grades = [graded(None, reason=str(number)) for number in range(30)] + [graded(None, reason="29")]
    reasons = written(tmp_path, summary_of(grades, {"a": 31}))["unscored_reasons"]
    assert len(reasons) == 20
    assert next(iter(reasons.items())) == ("parse_error: 29", 2)
