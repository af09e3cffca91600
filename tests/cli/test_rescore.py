from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from filelock import FileLock
from openpyxl import Workbook, load_workbook
from provider import Provider, Scripted

from grader.cli.main import cli
from grader.records import Item, Verdict
from grader.rubric import Rubric
from grader.scoring import registry
from grader.scoring.reading import Reading
from grader.scoring.rules.number import score_number

Grade = Callable[..., Result]
Results = Callable[[], list[dict[str, Any]]]

LINES = """\
name: lines
title: The same in lines
inputs: [question, answer, criteria]
template: tiered.j2
output: {format: labelled_lines, parts: [{name: score, kind: number}]}
scale: {min: 0, max: 100}
rule: number
"""


def rescore(*arguments: object, run: object = "run") -> Result:
    return CliRunner().invoke(cli, ["rescore", str(run), *map(str, arguments)])


@pytest.fixture
def unreadable(remote: Grade, provider: Provider, tmp_path: Path) -> Path:
    """A run whose judge gave its scores in lines where tags were wanted; and a rubric that reads lines."""
    provider.script = lambda request: Scripted(text="Score: 50" if "Q3?" not in request.prompt else "No.")
    assert remote("--reasks", "1").exit_code == 3
    provider.history.clear()
    path = tmp_path / "lines.yaml"
    path.write_text(LINES)
    return path


def test_nothing_changes_where_the_rules_have_not(remote: Grade, provider: Provider, tmp_path: Path) -> None:
    remote()
    before = {name: (tmp_path / "run" / name).read_bytes() for name in ("results.jsonl", "skipped.log")}
    provider.history.clear()
    done = rescore()
    assert done.exit_code == 0, done.output
    assert "3 grades read again: 0 changed in score or status" in done.stdout
    assert {name: (tmp_path / "run" / name).read_bytes() for name in before} == before
    assert provider.history == []


def test_what_changed_is_said_and_written(
    unreadable: Path, results: Results, provider: Provider, tmp_path: Path
) -> None:
    done = rescore("--rubric", unreadable)
    assert done.exit_code == 3  # question 3 still has no score
    assert "2 changed in score or status (2 gained a score, 0 lost theirs)" in done.stdout
    assert [line.split()[:4] for line in done.stdout.splitlines() if "parse_error" in line] == [
        ["apollo", "1", "parse_error", "50"],
        ["apollo", "2", "parse_error", "50"],
    ]
    assert [(row["score"], row["rubric"]) for row in results()] == [(50, "lines"), (50, "lines"), (None, "lines")]
    assert results()[0]["attempts"] == 2  # what was paid for stays counted
    assert (tmp_path / "run" / "skipped.log").read_text().count("\n") == 1
    summary = json.loads((tmp_path / "run" / "summary.json").read_text("utf-8"))
    assert (summary["rubric"], summary["items"]["scored"]) == ("lines", 2)
    assert "by grader" in summary["rescored"]
    graded = load_workbook(tmp_path / "run" / "graded.xlsx")
    assert graded.sheetnames == ["Criteria", "Review", "Summary", "Analysis", "About"]
    assert provider.history == []
    again = rescore()
    assert "0 changed in score or status" in again.stdout  # the run now is of that rubric


def test_a_dry_run_writes_nothing(unreadable: Path, tmp_path: Path) -> None:
    files = [tmp_path / "run" / name for name in ("results.jsonl", "summary.json", "skipped.log", "graded.xlsx")]
    before = [path.read_bytes() for path in files]
    done = rescore("--rubric", unreadable, "--dry-run")
    assert done.exit_code == 3
    assert "2 gained a score" in done.stdout
    assert [path.read_bytes() for path in files] == before
    assert "2 gained a score" in rescore("--rubric", unreadable, "--dry-run").stdout


def test_a_dry_run_of_a_whole_run_ends_well(grade: Grade) -> None:
    grade()
    assert rescore("--dry-run").exit_code == 0
    assert rescore("--dry-run", "--quiet").output == ""


def test_todays_rule_counts(remote: Grade, results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_flags(reading: Reading, item: Item, rubric: Rubric) -> Verdict:
        return score_number(reading, item, rubric)

    remote()
    assert results()[2]["flags"] == ["unreachable_score"]
    monkeypatch.setitem(registry.RULES, "tiered", without_flags)
    registry.find_rule.cache_clear()
    done = rescore(run="run/run.db")
    registry.find_rule.cache_clear()
    assert done.exit_code == 0, done.output
    assert "0 changed in score or status (0 gained a score, 0 lost theirs), 1 in other things" in done.stdout
    assert results()[2]["flags"] == []


def test_of_several_replies_the_same_decides_as_when_they_came(
    remote: Grade, results: Results, provider: Provider
) -> None:
    replies = iter(["<score>20</score>", "<score>100</score>"])
    provider.script = lambda _: Scripted(text=next(replies))
    remote("--only", "3")
    assert rescore().exit_code == 0
    assert results()[0]["score"] == 100


def test_empty_answers_have_the_floor(grade: Grade, answers_path: Path, tmp_path: Path, results: Results) -> None:
    answers_path.write_text('{"id": 1, "answer": " "}\n{"id": 2, "answer": "x"}\n{"id": 3, "answer": "y"}\n')
    grade("--samples", "2")
    path = tmp_path / "lines.yaml"
    path.write_text(LINES.replace("min: 0", "min: 1"))
    done = rescore("--rubric", path)
    assert (results()[0]["score"], results()[0]["flags"]) == (1, ["empty_answer"])
    assert "sample" in done.stdout


def test_without_the_criteria_file_its_sheets_are_taken_from_the_graded_workbook(
    grade: Grade, criteria_path: Path, answers_path: Path, tmp_path: Path
) -> None:
    grade()
    criteria_path.unlink()
    answers_path.unlink()
    done = rescore()
    assert done.exit_code == 0, done.output
    assert "not there any more" in done.stderr
    assert load_workbook(tmp_path / "run" / "graded.xlsx").sheetnames[:2] == ["Criteria", "Review"]
    (tmp_path / "run" / "graded.xlsx").unlink()
    assert "our sheets only" in rescore().stderr
    assert load_workbook(tmp_path / "run" / "graded.xlsx").sheetnames[0] == "Review"


def test_what_reads_as_before_is_not_said_to_be_rescored(grade: Grade, tmp_path: Path) -> None:
    grade()
    before = (tmp_path / "run" / "summary.json").read_bytes()
    done = rescore()
    assert "0 changed in score or status" in done.stdout
    assert (tmp_path / "run" / "summary.json").read_bytes() == before


def test_a_criteria_file_that_has_changed_is_told(grade: Grade, criteria_path: Path) -> None:
    grade()
    book = load_workbook(criteria_path)
    book["Criteria"]["A9"] = "more"
    book.save(criteria_path)
    assert "has changed since it was graded" in rescore().stderr


def test_questions_without_an_answer_stay_skipped(grade: Grade, answers_path: Path, tmp_path: Path) -> None:
    answers_path.write_text('{"id": 1, "answer": "x"}\n')
    grade()
    before = (tmp_path / "run" / "skipped.log").read_text()
    assert before.count("criteria without an answer") == 2
    assert rescore("--quiet").output == ""
    assert (tmp_path / "run" / "skipped.log").read_text() == before


def test_a_run_that_was_stopped_keeps_what_it_planned(grade: Grade, tmp_path: Path) -> None:
    grade()
    with sqlite3.connect(tmp_path / "run" / "run.db") as connection:
        connection.execute("DELETE FROM grade WHERE position = 0")
    done = rescore()
    assert done.exit_code == 3
    assert "1 of 3 items have no score" in done.stderr
    assert len((tmp_path / "run" / "results.jsonl").read_text().splitlines()) == 2


def test_many_changes_are_cut_short(
    grade: Grade, answers_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grade()
    monkeypatch.setattr("grader.cli.rescore._MOST_ROWS", 1)
    path = tmp_path / "lines.yaml"
    path.write_text(LINES)
    assert "… and 2 more" in rescore("--rubric", path, "--dry-run").stdout


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = rescore(run="empty")
    assert done.exit_code == 1
    assert "not the folder of a run" in done.stderr
    assert list((tmp_path / "empty").iterdir()) == []
    assert rescore(run="nowhere").exit_code == 2


def test_a_damaged_store(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.db").write_text("this is no database " * 100)
    done = rescore()
    assert done.exit_code == 1
    assert "cannot be used" in done.stderr


def test_a_store_without_a_head(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.db").touch()
    done = rescore()
    assert done.exit_code == 1
    assert "score" in done.stderr


def test_a_newer_store(grade: Grade, tmp_path: Path) -> None:
    grade()
    with sqlite3.connect(tmp_path / "run" / "run.db") as connection:
        connection.execute("PRAGMA user_version = 99")
    done = rescore()
    assert done.exit_code == 1
    assert "newer" in done.stderr


def test_a_locked_run(grade: Grade, tmp_path: Path) -> None:
    grade()
    with FileLock(tmp_path / "run" / "run.lock"):
        done = rescore()
    assert done.exit_code == 1
    assert "in use" in done.stderr


def test_a_rubric_that_does_not_exist(grade: Grade) -> None:
    grade()
    assert rescore("--rubric", "none.yaml").exit_code == 2


ITEMS_SHEET = [
    ("Rubric type", "tiered-items"),
    (None, None),
    ("Points of the levels", None),
    ("Level", "Points each"),
    (25, None),
    (50, None),
    (100, None),
]


def with_rubric_sheet(path: Path, rows: list[tuple[Any, Any]]) -> None:
    book = load_workbook(path)
    if "Rubric" in book.sheetnames:
        del book["Rubric"]
    sheet = book.create_sheet("Rubric")
    for row in [("Setting", "Value"), *rows]:
        sheet.append(row)
    book.save(path)


def edit_criteria(path: Path, cells: dict[str, Any]) -> None:
    book = load_workbook(path)
    for cell, value in cells.items():
        book["Criteria"][cell] = value
    book.save(path)


def met(request: Any) -> Scripted:
    """Say that the answer to question 1 meets its criterion at 25, and the others nothing."""
    levels = {"Q1?": [(25, 1), (50, 1), (50, 2)], "Q2?": [(50, 1), (100, 1)], "Q3?": [(100, 1)]}
    wanted = next(found for question, found in levels.items() if question in request.prompt)
    items = [
        {"level": level, "item": number, "met": level == 25, "evidence": "The far side of the moon."}
        for level, number in wanted
    ]
    return Scripted(text=json.dumps({"items": items}))


@pytest.fixture
def items_run(remote: Grade, provider: Provider, criteria_path: Path) -> Path:
    """A run of tiered-items by the workbook's own Rubric sheet; returns the workbook."""
    with_rubric_sheet(criteria_path, ITEMS_SHEET)
    provider.script = met
    done = remote()
    assert done.exit_code == 0, done.output
    provider.history.clear()
    return criteria_path


def test_the_points_of_the_rubric_sheet_are_todays(
    items_run: Path, results: Results, provider: Provider, tmp_path: Path
) -> None:
    assert [row["score"] for row in results()] == [25, 0, 0]
    with_rubric_sheet(items_run, [(25, 20) if row[0] == 25 else row for row in ITEMS_SHEET])
    done = rescore()
    assert done.exit_code == 0, done.output
    assert "1 changed in score or status" in done.stdout
    assert "the rubric has changed since the run was graded" in done.stderr and "sheet Rubric" in done.stderr
    assert [row["score"] for row in results()] == [20, 0, 0]
    again = rescore()
    assert "0 changed in score or status" in again.stdout and "the rubric has changed" not in again.stderr
    assert provider.history == []


def test_a_rubric_sheet_that_cannot_be_read_leaves_the_runs_own(items_run: Path) -> None:
    with_rubric_sheet(items_run, [(25, "many") if row[0] == 25 else row for row in ITEMS_SHEET])
    done = rescore("--dry-run")
    assert "0 changed in score or status" in done.stdout
    assert "the rubric is the one that the run kept, as it cannot be read again" in done.stderr


def test_without_the_workbook_the_kept_rubric_counts(items_run: Path) -> None:
    items_run.unlink()
    done = rescore("--dry-run")
    assert "the rubric is the one that the run kept" in done.stderr
    assert "0 changed in score or status" in done.stdout


def test_criteria_that_say_something_else_need_to_be_judged(items_run: Path, results: Results) -> None:
    edit_criteria(items_run, {"B2": "(1) mention the sun", "D4": None, "D5": None, "A4": 9, "C4": "(1) x"})
    done = rescore()
    assert "the criteria of 2 questions have changed since they were judged (id 1, 3)" in done.stderr
    assert "run score again" in done.stderr
    assert [row["score"] for row in results()] == [25, 0, 0]


def test_criteria_that_cannot_be_read_are_as_they_were(items_run: Path) -> None:
    edit_criteria(items_run, {"A3": 1})
    done = rescore("--dry-run")
    assert "the criteria are as the run kept them, as they cannot be read again" in done.stderr
    assert "0 changed" in done.stdout


def test_the_points_of_criteria_are_todays(
    remote: Grade, provider: Provider, tmp_path: Path, answers_path: Path, results: Results
) -> None:
    path = tmp_path / "points.xlsx"
    book = Workbook()
    sheet = book.create_sheet("Criteria", 0)
    for row in (["id", "criterion", "points"], [1, "moon", 1], [1, "date", 3], [2, "rocket", 2], [3, "site", 1]):
        sheet.append(row)
    book.save(path)
    answer = {1: [True, False], 2: [True], 3: [False]}

    def script(request: Any) -> Scripted:
        found = next(found for number, found in answer.items() if f"Q{number}?" in request.prompt)
        items = [{"item": i, "met": met, "evidence": ""} for i, met in enumerate(found, start=1)]
        return Scripted(text=json.dumps({"items": items}))

    provider.script = script
    assert remote(criteria=path).exit_code == 0
    assert results()[0]["score"] == 25
    edit_criteria(path, {"C2": 3})
    done = rescore()
    assert done.exit_code == 0, done.output
    assert [row["score"] for row in results()] == [50, 100, 0]
    assert "changed since" not in done.stderr.replace("has changed since it was graded", "")


def test_a_named_file_is_read_again_with_the_runs_options(grade: Grade, tmp_path: Path, results: Results) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(LINES.replace("labelled_lines, parts: [{name: score, kind: number}]", "tagged"))
    assert grade("--rubric", path).exit_code == 0
    path.write_text(path.read_text().replace("title: The same in lines", "title: Other"))
    done = rescore()
    assert "counts as it is now: rubric: lines, as named" in done.stderr
    path.unlink()
    assert "the rubric is the one that the run kept, as it cannot be read again" in rescore().stderr


def test_a_named_rubric_counts_beside_a_broken_workbook(grade: Grade, criteria_path: Path, tmp_path: Path) -> None:
    grade()
    criteria_path.write_bytes(b"PK no workbook")
    path = tmp_path / "lines.yaml"
    path.write_text(LINES)
    done = rescore("--rubric", path, "--dry-run")
    assert "the rubric is as named" in done.stderr
