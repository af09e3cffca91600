from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from openpyxl import load_workbook
from provider import Provider, Request, Scripted

from grader.cli.main import cli

Grade = Callable[..., Result]
Results = Callable[[], list[dict[str, Any]]]

FIELDS = (
    "system id sample rubric score status flags needs_review expert_score expert_comment final_score experts "
    "dimensions items analysis reply finish_reason model attempts usage cost_usd latency_seconds question answer "
    "reference group error"
).split()


def test_the_offline_judge_is_the_default_and_says_what_it_is(grade: Grade, results: Results, tmp_path: Path) -> None:
    done = grade()
    assert done.exit_code == 0, done.output
    assert "no LLM" in done.stderr
    assert [row["id"] for row in results()] == ["1", "2", "3"]
    assert list(results()[0]) == FIELDS
    assert all("no LLM" in row["analysis"] for row in results())
    summary = json.loads((tmp_path / "run" / "summary.json").read_text("utf-8"))
    assert summary["is_baseline"] is True
    assert summary["items"] == {"planned": 3, "scored": 3, "unscored": 0}
    assert (tmp_path / "run" / "skipped.log").read_text() == ""
    assert (tmp_path / "run" / "graded.xlsx").is_file()


def test_a_judge_behind_litellm(remote: Grade, results: Results, provider: Provider) -> None:
    done = remote()
    assert done.exit_code == 0, done.output
    assert [row["score"] for row in results()] == [50, 50, 50]
    assert results()[2]["flags"] == ["unreachable_score"]  # question 3 has level 100 only
    assert results()[0]["usage"] == {"prompt_tokens": 100, "completion_tokens": 20}
    assert len(provider.history) == 4  # one of them asked again about a score that cannot be
    assert "apollo" in done.output and "50.00" in done.output


def test_running_again_calls_nothing_and_changes_nothing(remote: Grade, results: Results, provider: Provider) -> None:
    remote()
    first = results()
    provider.history.clear()
    assert remote().exit_code == 0
    assert provider.history == []
    assert results() == first


def test_only_what_changed_is_judged_again(
    remote: Grade, results: Results, provider: Provider, answers_path: Path
) -> None:
    remote()
    provider.history.clear()
    lines = answers_path.read_text("utf-8").splitlines()
    answers_path.write_text("\n".join([lines[0], lines[1].replace("rocket", "Saturn V"), lines[2]]), encoding="utf-8")
    assert remote().exit_code == 0
    assert len(provider.history) == 1
    assert "Saturn V" in provider.history[0].prompt


def test_fresh_starts_anew(remote: Grade, provider: Provider) -> None:
    remote()
    provider.history.clear()
    remote("--fresh")
    assert len(provider.history) == 4


def test_an_unreadable_reply_is_asked_about_again_and_never_a_number(
    remote: Grade, results: Results, provider: Provider, tmp_path: Path
) -> None:
    provider.script = lambda request: Scripted(text="It is great." if "Q2?" in request.prompt else "<score>100</score>")
    done = remote()
    assert done.exit_code == 3
    assert [row["score"] for row in results()] == [100, None, 100] or results()[1]["score"] is None
    assert results()[1]["status"] == "parse_error"
    asked = [request for request in provider.history if "Q2?" in request.prompt]
    assert len(asked) == 3
    assert asked[1].body["messages"][-2] == {"role": "assistant", "content": "It is great."}
    assert "exactly this form" in asked[1].body["messages"][-1]["content"]
    assert (tmp_path / "run" / "skipped.log").read_text().startswith("apollo\t2\tparse_error\t")
    assert "INCOMPLETE" in done.stderr


def test_an_unreachable_score_is_asked_about_once_and_the_better_one_counts(
    remote: Grade, results: Results, provider: Provider
) -> None:
    def script(request: Request) -> Scripted:
        is_again = len(request.body["messages"]) > 2
        return Scripted(text="<score>100</score>" if is_again else "<score>20</score>")

    provider.script = script
    remote("--only", "3")
    assert (results()[0]["score"], results()[0]["flags"]) == (100, [])
    assert "0, 100" in provider.history[1].prompt


def test_a_truncated_reply_is_asked_for_with_twice_the_tokens(
    remote: Grade, results: Results, provider: Provider
) -> None:
    def script(request: Request) -> Scripted:
        is_long_enough = request.body["max_tokens"] >= 200
        return Scripted(finish_reason="stop" if is_long_enough else "length")

    provider.script = script
    remote("--only", "1", "--max-tokens", "100")
    assert results()[0]["score"] == 50
    assert [request.body["max_tokens"] for request in provider.history] == [100, 200]


def test_empty_answers_get_the_floor_without_a_call(
    remote: Grade, results: Results, provider: Provider, answers_path: Path
) -> None:
    answers_path.write_text('{"id": 1, "answer": "  "}\n{"id": 2, "answer": null}\n{"id": 3, "answer": "x"}\n')
    remote("--reasks", "0")
    assert [(row["score"], row["flags"]) for row in results()][:2] == [(0, ["empty_answer"]), (0, ["empty_answer"])]
    assert len(provider.history) == 1
    remote("--reasks", "0", "--judge-empty", "--fresh")
    assert len(provider.history) == 4
    assert "(empty)" in provider.history[1].prompt


def test_passing_faults_are_retried(remote: Grade, results: Results, provider: Provider) -> None:
    seen: set[str] = set()

    def script(request: Request) -> Scripted:
        question = re.findall(r"Q\d\?", request.prompt)[0]
        is_first = question not in seen
        seen.add(question)
        return Scripted(status=503) if is_first else Scripted()

    provider.script = script
    done = remote()
    assert done.exit_code == 0, done.output
    assert [row["score"] for row in results()] == [50, 50, 50]
    assert results()[0]["attempts"] == 2


@pytest.mark.parametrize(("status", "says"), [(401, "OPENAI_API_KEY"), (404, "--api-base"), (400, "scripted 400")])
def test_a_fault_that_every_call_would_meet_stops_the_run(
    remote: Grade, provider: Provider, status: int, says: str
) -> None:
    provider.script = lambda _: Scripted(status=status)
    done = remote("--concurrency", "1")
    assert says in done.stderr
    if status == 400:
        assert done.exit_code == 3  # about each call, for all we know; every one is told in skipped.log
    else:
        assert done.exit_code == 1
        assert len(provider.history) == 1


def test_an_unreachable_host(grade: Grade) -> None:
    done = grade("--model", "openai/gpt-4o", "--api-base", "http://127.0.0.1:9/v1")
    assert done.exit_code == 1
    assert "Cannot connect to host 127.0.0.1:9" in done.stderr and "--api-base" in done.stderr
    assert "Traceback" not in done.output


def test_a_missing_key(grade: Grade, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    done = grade("--model", "openai/gpt-4o")
    assert done.exit_code == 1
    assert "OPENAI_API_KEY" in done.stderr


def test_a_model_that_does_not_exist(grade: Grade) -> None:
    done = grade("--model", "gpt-nonsense")
    assert done.exit_code == 1
    assert "openai/gpt-4o" in done.stderr


def test_the_key_is_nowhere(remote: Grade, provider: Provider, tmp_path: Path) -> None:
    provider.script = lambda request: Scripted(status=400, body=f"you sent {request.headers}".encode())
    remote()
    assert provider.history[0].headers["Authorization"] == "Bearer canary-key-0123456789"
    for path in (tmp_path / "run").iterdir():
        assert b"canary-key" not in path.read_bytes(), path


def test_samples(remote: Grade, results: Results, provider: Provider) -> None:
    remote("--only", "1,2", "--samples", "3")
    assert [(row["id"], row["sample"]) for row in results()] == [(i, s) for i in "12" for s in (1, 2, 3)]
    assert len(provider.history) == 6


def test_limit_counts_questions(grade: Grade, results: Results) -> None:
    grade("--limit", "2")
    assert [row["id"] for row in results()] == ["1", "2"]


def test_only_of_an_unknown_id(grade: Grade) -> None:
    done = grade("--only", "1,9")
    assert done.exit_code == 2
    assert "9" in done.stderr


def test_a_dry_run_calls_nothing_and_writes_nothing(remote: Grade, provider: Provider, tmp_path: Path) -> None:
    done = remote("--dry-run")
    assert done.exit_code == 0
    assert "3 calls to openai/gpt-4o" in done.output and "at most $" in done.output
    assert provider.history == []
    assert not (tmp_path / "run").exists()


def test_max_cost_stops_cleanly_and_the_run_goes_on(remote: Grade, results: Results, provider: Provider) -> None:
    provider.script = lambda _: Scripted(completion_tokens=500)
    done = remote("--max-cost", "0.013", "--max-tokens", "500", "--concurrency", "3", "--reasks", "0")
    assert done.exit_code == 3
    assert "--max-cost" in done.stderr
    served = len(provider.history)
    assert 0 < served < 3
    assert remote("--max-tokens", "500", "--reasks", "0").exit_code == 0
    assert len(provider.history) == 3


def test_max_cost_before_any_item_is_done_leaves_files_too(
    remote: Grade, results: Results, provider: Provider, tmp_path: Path
) -> None:
    provider.script = lambda _: Scripted(text="no idea", completion_tokens=500)
    cap = ("--max-cost", "0.013", "--max-tokens", "500", "--concurrency", "3", "--reasks", "9")
    for _ in range(2):  # the second go is paid nothing: the first has spent all
        done = remote(*cap)
        assert done.exit_code == 3, done.output
        assert "higher --max-cost" in done.stderr and "3 × skipped: not reached" in done.stderr
        assert 0 < len(provider.history) < 3
        assert results() == [] and (tmp_path / "run" / "graded.xlsx").is_file()
    provider.script = lambda _: Scripted()
    assert remote("--max-tokens", "500", "--reasks", "9").exit_code == 0


def test_max_cost_that_no_call_fits_is_an_error(remote: Grade, provider: Provider, tmp_path: Path) -> None:
    assert remote("--max-cost", "0.0001", "--max-tokens", "500").exit_code == 1
    assert provider.history == [] and not (tmp_path / "run" / "results.jsonl").exists()


def test_what_a_stopped_run_did_not_reach_is_told(remote: Grade, provider: Provider, tmp_path: Path) -> None:
    provider.script = lambda _: Scripted(completion_tokens=500)
    done = remote("--max-cost", "0.013", "--max-tokens", "500", "--concurrency", "1", "--reasks", "0")
    assert "higher --max-cost" in done.stderr
    lines = (tmp_path / "run" / "skipped.log").read_text("utf-8").splitlines()
    assert {tuple(line.split("\t")[2:]) for line in lines} == {("skipped", "not reached: the run stopped before it")}
    summary = json.loads((tmp_path / "run" / "summary.json").read_text("utf-8"))
    assert summary["statuses"]["skipped"] == len(lines) == summary["items"]["unscored"]
    sheet = load_workbook(tmp_path / "run" / "graded.xlsx")["Summary"]
    assert any("STOPPED EARLY: 2 of 3" in str(cell.value) for row in sheet.iter_rows(max_row=6) for cell in row)


def test_a_score_stands_beside_the_reply_that_gave_it(remote: Grade, results: Results, provider: Provider) -> None:
    def script(request: Request) -> Scripted:
        is_again = len(request.body["messages"]) > 2
        return Scripted(text="no idea" if is_again else "<analysis>first</analysis><score>20</score>")

    provider.script = script
    assert remote("--only", "3").exit_code == 0
    (row,) = results()
    assert (row["score"], row["analysis"], row["error"]) == (20, "first", None)
    assert row["reply"].endswith("<score>20</score>")


def test_one_file_of_answers_in_the_settings(
    criteria_path: Path, answers_path: Path, tmp_path: Path, results: Results
) -> None:
    settings = f'[score]\ncriteria = "{criteria_path}"\nanswers = "{answers_path}"\nout = "run"\n'
    (tmp_path / "grader.toml").write_text(settings)
    assert CliRunner().invoke(cli, ["score"]).exit_code == 0
    assert len(results()) == 3


def test_max_cost_of_an_unknown_price_is_refused(grade: Grade) -> None:
    done = grade("--model", "openai/my-own", "--max-cost", "1")
    assert done.exit_code == 2
    assert "--price" in done.stderr


def test_a_price_of_ones_own(remote: Grade, results: Results) -> None:
    remote("--price", "1,2", "--only", "1")
    assert results()[0]["cost_usd"] == pytest.approx(100e-6 + 40e-6)


def test_options_from_environment_and_file(
    grade: Grade, results: Results, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "grader.toml").write_text('[score]\nlimit = 1\nmodel = "offline"\n')
    grade()
    assert len(results()) == 1
    monkeypatch.setenv("GRADER_SCORE_LIMIT", "2")
    grade()
    assert len(results()) == 2
    grade("--limit", "3")
    assert len(results()) == 3


def test_an_unknown_setting_is_named(grade: Grade, tmp_path: Path) -> None:
    (tmp_path / "grader.toml").write_text("[score]\nlimitt = 1\n")
    done = grade()
    assert done.exit_code == 2
    assert "limitt" in done.stderr and "limit" in done.stderr


def test_replaying_results(remote: Grade, results: Results, tmp_path: Path) -> None:
    remote()
    first = results()
    for recording in ("results.jsonl", "run.db"):
        (tmp_path / recording).write_bytes((tmp_path / "run" / recording).read_bytes())
        done = remote("--model", f"replay:{tmp_path / recording}", "--fresh")
        assert done.exit_code == 0, done.output
        assert [row["score"] for row in results()] == [row["score"] for row in first]


def test_quiet_says_nothing(grade: Grade) -> None:
    assert grade("--quiet").output == ""
