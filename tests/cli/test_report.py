"""`grader report` as a user types it: where the page goes, what it says, and what it refuses."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from provider import Provider, Scripted

from grader.cli.main import cli

Grade = Callable[..., Result]


def report(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["report", *map(str, arguments)])


def item_data(path: Path) -> Any:
    text = path.read_text("utf-8")
    begin = text.index('id="item-data">') + len('id="item-data">')
    return json.loads(text[begin : text.index("</script>", begin)])


def test_the_page_goes_into_the_run_and_the_run_is_not_changed(grade: Grade, tmp_path: Path) -> None:
    grade("--model", "offline")
    store = tmp_path / "run" / "run.db"
    before = hashlib.sha256(store.read_bytes()).hexdigest()
    done = report(tmp_path / "run")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("3 items, ")
    assert done.stdout.rstrip().endswith("report.html")
    assert (tmp_path / "run" / "report.html").is_file()
    assert hashlib.sha256(store.read_bytes()).hexdigest() == before


def test_a_run_is_named_by_a_file_in_it_too_and_out_says_where(grade: Grade, tmp_path: Path) -> None:
    grade("--model", "offline")
    done = report(tmp_path / "run" / "results.jsonl", "--out", tmp_path / "page.html", "--quiet")
    assert (done.exit_code, done.output) == (0, "")
    assert (tmp_path / "page.html").is_file()
    assert not (tmp_path / "run" / "report.html").exists()


def test_several_runs_stand_side_by_side(grade: Grade, tmp_path: Path) -> None:
    grade("--model", "offline")
    grade("--model", "offline", "--out", tmp_path / "again" / "run", "--rubric", "tiered-items")
    done = report(tmp_path / "run", tmp_path / "again" / "run", "--out", tmp_path / "both.html")
    assert done.exit_code == 0, done.output
    data = item_data(tmp_path / "both.html")
    assert data["runs"] == [f"{tmp_path.name}/run", "again/run"]
    assert [each["run"] for each in data["items"]] == [0, 0, 0, 1, 1, 1]


def test_it_is_written_while_the_run_is_in_use(grade: Grade, tmp_path: Path) -> None:
    grade("--model", "offline")
    with sqlite3.connect(tmp_path / "run" / "run.db") as other:
        other.execute("BEGIN IMMEDIATE")
        assert report(tmp_path / "run").exit_code == 0
        other.rollback()
    other.close()


def test_a_run_named_twice_is_refused(grade: Grade, tmp_path: Path) -> None:
    grade("--model", "offline")
    done = report(tmp_path / "run", tmp_path / "run" / "run.db")
    assert done.exit_code == 2
    assert "a run is named twice" in done.stderr


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = report(tmp_path / "empty")
    assert done.exit_code == 1
    assert "is not the folder of a run" in done.stderr


def test_a_benchmark_is_refused_with_the_place_of_its_matrix(grade: Grade, tmp_path: Path) -> None:
    grade("--model", "offline")
    with sqlite3.connect(tmp_path / "run" / "run.db") as store:
        store.execute("INSERT INTO item VALUES (0, '{}', '[]')")
    store.close()
    done = report(tmp_path / "run")
    assert done.exit_code == 1
    assert "benchmark of grader run" in done.stderr
    assert "graded.xlsx" in done.stderr


def test_a_run_in_which_nothing_is_graded_is_refused(grade: Grade, tmp_path: Path) -> None:
    grade("--model", "offline")
    with sqlite3.connect(tmp_path / "run" / "run.db") as store:
        store.execute("DELETE FROM grade")
    store.close()
    assert "nothing is graded yet" in report(tmp_path / "run").stderr


def test_a_probe_is_shown_from_the_folder_or_from_where_it_is(grade: Grade, tmp_path: Path) -> None:
    grade("--model", "offline")
    canary = {
        "name": "empty",
        "title": "Empty answers",
        "wants": "the floor",
        "outcome": "fail",
        "failures": {"n": 4, "value": 0.25},
        "margin": -0.5,
        "reason": "one got 50",
    }
    fine = {**canary, "title": "Injections", "outcome": "pass", "failures": {"n": 9, "value": 0.0}, "at_most": 1 / 3}
    content = {"outcome": "fail", "canaries": [canary, fine, {}]}
    (tmp_path / "run" / "probe.json").write_text(json.dumps(content), "utf-8")
    assert report(tmp_path / "run").exit_code == 0
    page = (tmp_path / "run" / "report.html").read_text("utf-8")
    assert "Empty answers" in page and "1 of 4" in page and "0 of 9, so at most 33%" in page
    other = tmp_path / "other.json"
    other.write_text(json.dumps({**content, "outcome": "not_tested"}), "utf-8")
    assert report(tmp_path / "run", "--probe", other).exit_code == 0
    assert "Outcome: <strong>not tested</strong>" in (tmp_path / "run" / "report.html").read_text("utf-8")


def test_a_file_that_is_no_probe_is_refused(grade: Grade, tmp_path: Path) -> None:
    grade("--model", "offline")
    odd = ('{"canaries": [1]}', '{"canaries": [{"failures": [1]}]}', '{"canaries": [{"margin": NaN}]}')
    for content in ("{}", "[1]", "not JSON", *odd):
        (tmp_path / "odd.json").write_text(content, "utf-8")
        done = report(tmp_path / "run", "--probe", tmp_path / "odd.json")
        assert done.exit_code == 2
        assert "odd.json" in done.stderr


def test_a_comparison_that_is_none_is_refused(grade: Grade, tmp_path: Path) -> None:
    grade("--model", "offline")
    for content in ('{"pairs": [1]}', '{"pairs": [{"difference": {"n": "x"}}]}', '{"pairs": [], "scale": [1]}'):
        (tmp_path / "run" / "compare.json").write_text(content, "utf-8")
        done = report(tmp_path / "run")
        assert done.exit_code == 2
        assert "compare.json" in done.stderr and "Traceback" not in done.stderr


def test_a_probe_says_of_which_judge_and_rubric_it_is(grade: Grade, tmp_path: Path) -> None:
    grade("--model", "offline")
    own = {"outcome": "pass", "canaries": [], "model": "offline", "rubric": "tiered", "notes": ["Reads no prompt."]}
    for content, words in (
        (own, "Of offline with the rubric tiered. Reads no prompt."),
        (
            {**own, "model": "gpt"},
            "Of gpt with the rubric tiered. This run was judged by offline with the rubric tiered.",
        ),
    ):
        (tmp_path / "run" / "probe.json").write_text(json.dumps(content), "utf-8")
        assert report(tmp_path / "run").exit_code == 0
        assert words in (tmp_path / "run" / "report.html").read_text("utf-8")


def test_a_comparison_of_other_scores_than_todays_is_called_so(grade: Grade, tmp_path: Path) -> None:
    grade("--model", "offline")
    record = json.loads((tmp_path / "run" / "summary.json").read_text("utf-8"))["systems"][0]
    warning = "Scores have changed since"
    for mean, is_old in ((record["final"]["mean"], False), (record["final"]["mean"] + 1, True), (None, True)):
        standing = {"name": record["system"], "mean": {"n": 3, "value": mean}}
        content = {"kind": "systems", "scores": "final", "pairs": [], "standings": [standing]}
        (tmp_path / "run" / "compare.json").write_text(json.dumps(content), "utf-8")
        assert report(tmp_path / "run").exit_code == 0
        assert (warning in (tmp_path / "run" / "report.html").read_text("utf-8")) is is_old


def test_a_comparison_beside_the_run_is_shown(grade: Grade, tmp_path: Path) -> None:
    grade("--model", "offline")
    pair = {
        "first": "a <b>",
        "second": "b",
        "difference": {"n": 9, "value": 3.5, "low": -1.0, "high": 8.0},
        "p_holm": 0.0004,
        "wins": 5,
        "ties": 3,
        "losses": 1,
        "is_told_apart": True,
    }
    pairs = [pair, {**pair, "p_holm": None, "is_told_apart": False}]
    (tmp_path / "run" / "compare.json").write_text(json.dumps({"scale": [0, 100], "pairs": pairs}), "utf-8")
    assert report(tmp_path / "run").exit_code == 0
    page = (tmp_path / "run" / "report.html").read_text("utf-8")
    assert "a &lt;b&gt; and b" in page and "\u22121.00 to 8.00" in page and "below 0.001" in page


def test_an_unfinished_run_is_called_so(remote: Grade, tmp_path: Path, provider: Provider) -> None:
    provider.script = lambda _: Scripted(status=400)
    remote("--max-retries", "0", "--reasks", "0")
    done = report(tmp_path / "run")
    assert done.exit_code == 0, done.output
    assert "run is incomplete: 3 of 3 items have no score" in done.stderr
    assert "<strong>Incomplete.</strong>" in (tmp_path / "run" / "report.html").read_text("utf-8")
    items = item_data(tmp_path / "run" / "report.html")["items"]
    assert {(each["status"], each["final"]) for each in items} == {("provider_error", None)}


def test_a_long_text_is_cut_with_words_that_say_so(grade: Grade, tmp_path: Path) -> None:
    answers = tmp_path / "long.jsonl"
    answers.write_text(json.dumps({"id": 1, "question": "Q?", "answer": "moon " * 5_000}) + "\n", "utf-8")
    grade("--model", "offline", "--only", "1", answers=answers)
    assert report(tmp_path / "run").exit_code == 0
    (item,) = item_data(tmp_path / "run" / "report.html")["items"]
    assert item["answer"][-1].endswith("more characters: see results.jsonl]")
