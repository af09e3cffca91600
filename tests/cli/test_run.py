"""`grader run` as its user runs it: files, exit codes, stages, stops, and keys that are seen nowhere."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from benchmark_cast import ITEMS, Cast, accuracy
from click.testing import CliRunner, Result
from provider import Provider, Scripted

from grader.benchmark_records import BenchmarkItem, Combination, SubScores
from grader.cli.main import cli
from grader.cli.run_progress import benchmark_progress
from grader.judging import redact

ROOT = Path(__file__).parents[2]
KEY = "canary-of-the-settings-42"
TIMES = (
    "worker_response_time_seconds",
    "accuracy_judge_response_time_seconds",
    "integrity_judge_response_time_seconds",
)


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    redact._KEPT_SECRETS.clear()


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["run", *map(str, arguments)])


def write(folder: Path, items: Sequence[Mapping[str, Any]] | None = None, **more: Any) -> Path:
    folder.mkdir(exist_ok=True)
    lines = "".join(json.dumps(item) + "\n" for item in (ITEMS if items is None else items))
    (folder / "L1.jsonl").write_text(lines, encoding="utf-8")
    content = {
        "WORKER_MODEL_IDS": ["offline"],
        "ACCURACY_JUDGE_MODEL_ID": "offline",
        "INTEGRITY_JUDGE_MODEL_ID": "offline",
        "DATASET_CONFIGS": {"L1": {"path": "./L1.jsonl"}},
        "PROMPT_VERSIONS_TO_TEST": ["DIRECT", "COT"],
        "RETRY_DELAY_SECONDS": 0,
        **more,
    }
    path = folder / "bench.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def remote(provider: Provider) -> dict[str, Any]:
    roles = {"ACCURACY_JUDGE": "acc", "INTEGRITY_JUDGE": "int"}
    return {
        "WORKER_API_URL": f"{provider.base_url}/chat/completions",
        "WORKER_API_TOKEN": KEY,
        "WORKER_MODEL_IDS": ["worker/a"],
        **{f"{role}_API_URL": provider.base_url for role in roles},
        **{f"{role}_API_TOKEN": KEY for role in roles},
        **{f"{role}_MODEL_ID": model for role, model in roles.items()},
    }


def results(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def settled(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return all results by file, without what may differ from run to run."""
    return {
        path.name: [{key: value for key, value in line.items() if key not in TIMES} for line in results(path)]
        for path in sorted(folder.rglob("ESI_Result_*.jsonl"))
    }


def test_the_whole_flow_without_a_key(tmp_path: Path) -> None:
    path = write(tmp_path / "b")
    result = run(path)
    assert result.exit_code == 0, result.output
    assert "no LLM" in result.output
    folder = tmp_path / "b" / "Result"
    assert {each.name for each in folder.iterdir()} >= {
        "ESI_Result_L1_offline_DIRECT.jsonl",
        "Summary_L1_offline_COT.json",
        "Skipped_Log_L1_offline_COT.txt",
        "bench",
    }
    assert (folder / "bench" / "run.db").is_file()
    assert (folder / "bench" / "graded.xlsx").is_file()
    summary = json.loads((folder / "Summary_L1_offline_COT.json").read_text("utf-8"))
    assert summary["combination_details"]["accuracy_strictness"] == "lenient"
    assert summary["is_baseline"] is True


def test_out_takes_all_files(tmp_path: Path) -> None:
    result = run(write(tmp_path / "b"), "--out", tmp_path / "o", "--quiet")
    assert result.exit_code == 0
    assert result.output == ""
    assert not (tmp_path / "b" / "Result").exists()
    assert len(list((tmp_path / "o").glob("*_L1_offline_*"))) == 6


def test_results_have_the_frameworks_fields(tmp_path: Path, provider: Provider) -> None:
    provider.script = Cast()
    run(write(tmp_path / "b", **remote(provider)))
    (line, *_) = results(tmp_path / "b" / "Result" / "ESI_Result_L1_worker__a_DIRECT.jsonl")
    assert line["id"] == "1"
    assert (line["worker_model_id"], line["worker_prompt_version"]) == ("worker/a", "DIRECT")
    assert (line["accuracy_judge_model_id"], line["integrity_judge_model_id"]) == ("acc", "int")
    assert line["judge_verdict_is_correct"] is True
    assert (line["accuracy_judge_reasoning"], line["integrity_judge_reasoning"]) == ("compared", "looked")
    assert json.loads(line["integrity_judge_raw_output"])["integrity_score"] == 80
    assert line["esi_score"] == pytest.approx(30 + 20 + 0.15 * 99.75 + 15 + 15)
    assert line["s_alignment_simple"] == 100
    assert line["status"] == "COMPLETED"
    assert line["processing_error_details"] is None


def test_items_without_an_esi_are_null_logged_and_exit_3(tmp_path: Path, provider: Provider) -> None:
    provider.script = Cast(accuracies={0: accuracy(True), 2: Scripted(text="who knows")})
    items: list[Mapping[str, Any]] = [*ITEMS, {"id": 4, "instruction": "", "question": "Q4?"}]
    path = write(tmp_path / "b", items, **remote(provider), PROMPT_VERSIONS_TO_TEST=["DIRECT"])
    with (tmp_path / "b" / "L1.jsonl").open("a", encoding="utf-8") as file:
        file.write("{broken\n")
    result = run(path, "--reasks", "0")
    assert result.exit_code == 3
    assert "2 of 4 items are not COMPLETED" in result.output
    lines = results(tmp_path / "b" / "Result" / "ESI_Result_L1_worker__a_DIRECT.jsonl")
    assert [line["status"] for line in lines] == [
        "COMPLETED",
        "ERROR_ACCURACY_JUDGE",
        "COMPLETED",
        "SKIPPED_DATA_INCOMPLETE",
    ]
    assert lines[1]["esi_score"] is None
    assert lines[1]["s_accuracy"] is None
    log = (tmp_path / "b" / "Result" / "Skipped_Log_L1_worker__a_DIRECT.txt").read_text("utf-8")
    assert "line 5: not read" in log
    assert "line 2: id 2: ERROR_ACCURACY_JUDGE" in log
    assert "line 4: id 4: SKIPPED_DATA_INCOMPLETE: the item has no instruction" in log


def test_answers_first_and_judged_later_elsewhere(tmp_path: Path, provider: Provider) -> None:
    cast = Cast()
    cast.workers[2] = Scripted(text="Reasoning: x\nFinal Answer: six W.", completion_tokens=1000)
    provider.script = cast
    path = write(tmp_path / "b", **remote(provider), PROMPT_VERSIONS_TO_TEST=["COT"])
    whole = run(path, "--out", tmp_path / "whole")
    assert whole.exit_code == 0, whole.output
    provider.history.clear()
    assert run(path, "--stage", "answers").exit_code == 0
    assert {request.body["model"] for request in provider.history} == {"worker/a"}
    answers = tmp_path / "b" / "Intermediate" / "WorkerOutput_L1_worker__a_COT.jsonl"
    assert [line["answer"] for line in results(answers)] == ["ten W", "six W", "ten W"]
    assert not (tmp_path / "b" / "Result" / "bench" / "graded.xlsx").exists()
    (tmp_path / "b" / "L1.jsonl").unlink()
    provider.history.clear()
    judged = run(path, "--stage", "judge", "--answers", answers, "--out", tmp_path / "later")
    assert judged.exit_code == 0, judged.output
    assert {request.body["model"] for request in provider.history} == {"acc", "int"}
    assert settled(tmp_path / "later") == settled(tmp_path / "whole")


def test_score_reads_the_answers(tmp_path: Path, provider: Provider) -> None:
    provider.script = Cast()
    path = write(tmp_path / "b", **remote(provider), PROMPT_VERSIONS_TO_TEST=["DIRECT"])
    run(path, "--stage", "answers", "--out", tmp_path / "o")
    answers = tmp_path / "o" / "WorkerOutput_L1_worker__a_DIRECT.jsonl"
    criteria = tmp_path / "criteria.csv"
    criteria.write_text("id,instruction,question,reference\n1,i,Q1?,ten W\n2,i,Q2?,ten W\n3,i,Q3?,ten W\n", "utf-8")
    words = ["score", "--criteria", criteria, "--answers", answers, "--rubric", "accuracy", "--out", tmp_path / "s"]
    result = CliRunner().invoke(cli, [*map(str, words), "--model", "offline"])
    assert result.exit_code == 0, result.output
    assert {line["system"] for line in results(tmp_path / "s" / "results.jsonl")} == {"worker/a"}


@pytest.mark.parametrize("words", [("--stage", "judge"), ("--answers", "bench.json")])
def test_stage_judge_and_answers_go_together(tmp_path: Path, words: tuple[str, ...]) -> None:
    write(tmp_path)
    result = run("bench.json", *words)
    assert result.exit_code == 2
    assert "go together" in result.output


def test_a_dry_run_calls_nothing_and_leaves_nothing(tmp_path: Path, provider: Provider) -> None:
    path = write(tmp_path / "b", **remote(provider))
    result = run(path, "--dry-run")
    assert result.exit_code == 0
    assert "2 combinations, 6 items: 6 calls to workers, 12 to judges" in result.output
    assert "cost of the workers: unknown" in result.output
    assert provider.history == []
    assert not (tmp_path / "b" / "Result").exists()


def test_a_cap_without_prices_is_refused(tmp_path: Path, provider: Provider) -> None:
    result = run(write(tmp_path / "b", **remote(provider)), "--max-cost", "1")
    assert result.exit_code == 2
    assert "none is known for acc, int, worker/a" in result.output
    assert run(write(tmp_path / "b"), "--max-cost", "1").exit_code == 0


def test_only_and_limit(tmp_path: Path, provider: Provider) -> None:
    provider.script = Cast()
    path = write(tmp_path / "b", **{**remote(provider), "WORKER_MODEL_IDS": ["worker/a", "worker/b"]})
    assert run(path, "--only-model", "worker/b", "--only-dataset", "L1", "--limit", "1").exit_code == 0
    assert {name: len(lines) for name, lines in settled(tmp_path / "b").items()} == {
        "ESI_Result_L1_worker__b_COT.jsonl": 1,
        "ESI_Result_L1_worker__b_DIRECT.jsonl": 1,
    }


def test_settings_that_cannot_be_used_exit_2_with_all_reasons(tmp_path: Path) -> None:
    result = run(write(tmp_path / "b", PROMPT_VERSIONS_TO_TEST=["DIRCT"]))
    assert result.exit_code == 2
    assert "Did you mean DIRECT?" in result.output
    result = run(write(tmp_path / "b", WORKER_MODEL_ID="x", MAX_RETRIES="x"))
    assert result.exit_code == 2
    assert "2 problems" in result.output


def test_a_judge_that_cannot_be_reached_is_an_error_that_says_what_to_do(tmp_path: Path, provider: Provider) -> None:
    provider.script = Cast(accuracies={0: Scripted(status=401)})
    result = run(write(tmp_path / "b", **remote(provider)))
    assert result.exit_code == 1
    assert "ACCURACY_JUDGE: the model acc cannot be called" in result.output
    assert "Check ACCURACY_JUDGE_API_URL, ACCURACY_JUDGE_API_TOKEN" in result.output
    assert "Traceback" not in result.output


def test_a_literal_key_warns_and_is_seen_nowhere(tmp_path: Path, provider: Provider) -> None:
    def careless(request: Any) -> Scripted:
        said = f"you sent {request.headers['Authorization']}"
        if request.body["model"] == "worker/a":
            return Scripted(text=said) if "Q1?" in request.prompt else Scripted(status=400, body=said.encode())
        return Scripted(text=said)

    provider.script = careless
    path = write(tmp_path / "b", **remote(provider))
    process = subprocess.run(
        [sys.executable, "-m", "grader", "run", str(path), "--out", str(tmp_path / "o"), "--verbose", "--reasks", "0"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 3, process.stderr
    assert "better: ${WORKER_API_TOKEN}" in process.stderr
    assert all(request.headers["Authorization"] == f"Bearer {KEY}" for request in provider.history)
    assert KEY not in process.stdout + process.stderr
    files = [each for each in (tmp_path / "o").rglob("*") if each.is_file()]
    assert len(files) > 6
    assert "status 400" in (tmp_path / "o" / "debug.log").read_text("utf-8") and "status 400" in process.stderr
    assert [each.name for each in files if KEY.encode() in each.read_bytes()] == []


def start(path: Path, out: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "grader", "run", str(path), "--out", str(out), "--transport", "direct"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(provider: Provider, calls: int) -> None:
    until = time.monotonic() + 30
    while len(provider.history) < calls and time.monotonic() < until:
        time.sleep(0.005)


@pytest.fixture
def long(tmp_path: Path, provider: Provider) -> Path:
    cast = Cast()
    cast.workers = {n: Scripted(text=f"{n} W", completion_tokens=n, seconds=0.03) for n in range(1, 31)}
    cast.accuracies = {n: accuracy(n % 3 > 0) for n in range(31)}
    provider.script = cast
    items = [{"id": n, "instruction": "i", "question": f"Q{n}?", "answer": "1 W"} for n in range(1, 31)]
    return write(tmp_path / "b", items, **remote(provider), MAX_CONCURRENT_ITEMS_PER_COMBO=2)


@pytest.mark.no_cover
@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_run_goes_on_to_the_files_of_one_that_was_not(
    tmp_path: Path, provider: Provider, long: Path, stop: signal.Signals
) -> None:
    assert run(long, "--out", tmp_path / "whole", "--transport", "direct").exit_code == 0
    calls = len(provider.history)
    assert calls == 120  # both prompts get the same answers, so that their judges are asked once
    provider.history.clear()
    for moment in (25, 60):
        process = start(long, tmp_path / "o")
        wait_for(provider, moment)
        process.send_signal(stop)
        _, errors = process.communicate(timeout=30)
        assert process.returncode == (130 if stop is signal.SIGINT else -signal.SIGKILL)
        if stop is signal.SIGINT:
            assert "To go on: grader run" in errors
            assert (tmp_path / "o" / "Summary_L1_worker__a_COT.json").is_file()
    assert run(long, "--out", tmp_path / "o", "--transport", "direct").exit_code == 0
    assert settled(tmp_path / "o") == settled(tmp_path / "whole")
    assert len(provider.history) <= calls + (2 * 8 if stop is signal.SIGKILL else 0)


def test_a_spent_budget_leaves_files_and_says_how_to_go_on(tmp_path: Path, provider: Provider) -> None:
    provider.script = Cast()
    items = [{"id": n, "instruction": "i", "question": f"Q{n}?", "answer": "ten W"} for n in range(1, 20)]
    prices = {name: [1000, 1000] for name in ("worker/a", "acc", "int")}
    path = write(tmp_path / "b", items, **remote(provider), PRICES=prices, WORKER_MAX_TOKENS=100, JUDGE_MAX_TOKENS=100)
    result = run(path, "--max-cost", "8", "--concurrency", "1")
    assert result.exit_code == 3
    assert "--max-cost" in result.output
    assert "× not reached; the same command goes on" in result.output
    summary = json.loads((tmp_path / "b" / "Result" / "Summary_L1_worker__a_COT.json").read_text("utf-8"))
    done = summary["processing_summary"]
    assert done["items_pipeline_completed_for_scoring"] + done["items_not_reached"] == 19
    assert done["items_not_reached"] > 0
    assert run(path, "--max-cost", "8").exit_code == 3
    assert 4 < len(provider.history) * 120e-3 <= 8  # dollars for 120 tokens each: the cap is for all goes
    assert run(path, "--dry-run").output.count("at most $") == 1


def test_a_budget_spent_before_any_item_is_done_leaves_files_too(tmp_path: Path, provider: Provider) -> None:
    provider.script = Cast()
    prices = {name: [1000, 1000] for name in ("worker/a", "acc", "int")}
    path = write(tmp_path / "b", **remote(provider), PRICES=prices, WORKER_MAX_TOKENS=100, JUDGE_MAX_TOKENS=100)
    result = run(path, "--max-cost", "0.5", "--concurrency", "1")
    assert result.exit_code == 3, result.output
    assert "6 × not reached; the same command goes on" in result.output
    assert len(provider.history) > 0
    summary = json.loads((tmp_path / "b" / "Result" / "Summary_L1_worker__a_COT.json").read_text("utf-8"))
    assert summary["processing_summary"]["items_not_reached"] == 3


def test_why_items_failed_is_said(tmp_path: Path, provider: Provider) -> None:
    cast = Cast()
    cast.workers[3] = Scripted(status=400)
    provider.script = cast
    result = run(write(tmp_path / "b", **remote(provider)))
    assert "2 × ERROR_WORKER_API" in result.output
    assert "2 × the worker's call failed" in result.output


def test_many_files_are_told_by_kind(tmp_path: Path) -> None:
    path = write(tmp_path / "b", PROMPT_VERSIONS_TO_TEST=["DIRECT", "COT", "EXPERT"])
    lines = run(path, "--out", tmp_path / "o").output.splitlines()
    told = [line for line in lines if line.startswith(str(tmp_path / "o"))]
    assert told == [
        str(tmp_path / "o" / "graded.xlsx"),
        f"{tmp_path / 'o' / 'ESI_Result_L1_offline_DIRECT.jsonl'} and 2 more like it",
        f"{tmp_path / 'o' / 'Summary_L1_offline_DIRECT.json'} and 2 more like it",
        f"{tmp_path / 'o' / 'Skipped_Log_L1_offline_DIRECT.txt'} and 2 more like it",
    ]


def test_items_whose_worker_failed_are_told_when_the_others_are_judged(tmp_path: Path, provider: Provider) -> None:
    cast = Cast()
    cast.workers[2] = Scripted(text="", finish_reason="content_filter")
    cast.workers[3] = Scripted(status=400)
    provider.script = cast
    path = write(tmp_path / "b", **remote(provider), PROMPT_VERSIONS_TO_TEST=["DIRECT"])
    run(path, "--stage", "answers", "--out", tmp_path / "o")
    answers = tmp_path / "o" / "WorkerOutput_L1_worker__a_DIRECT.jsonl"
    assert [line["id"] for line in results(answers)] == ["1"]  # an empty line would be graded
    result = run(path, "--stage", "judge", "--answers", answers, "--out", tmp_path / "o")
    assert "L1 · worker/a · DIRECT: of 3 items 2 have no answer in --answers" in result.output


def test_bars_show_averages_and_errors(capsys: pytest.CaptureFixture[str]) -> None:
    one = Combination(dataset="L1", model="m[0]", prompt_version="COT")
    with benchmark_progress({one: 3}, is_quiet=False, is_bar=True) as bars:
        scores = SubScores(accuracy=100)
        bars.finished(BenchmarkItem(combination=one, id="1", esi=80.0, sub_scores=scores))
        bars.finished(BenchmarkItem(combination=one, id="2", status="ERROR_WORKER_API"))
    shown = capsys.readouterr().err
    assert "L1 · m[0] · COT" in shown
    assert bars.tallies[one].state == "ACC 100.0 · ESI 80.0 · errors: worker 1"
    assert bars.done == 2


@pytest.mark.parametrize("name", ["new.json", "new.toml"])
def test_init_writes_settings_that_run(tmp_path: Path, name: str) -> None:
    path = tmp_path / "b" / name
    path.parent.mkdir()
    result = run(path, "--init")
    assert result.exit_code == 0, result.output
    assert str(path) in result.output
    assert run(path, "--out", tmp_path / "o").exit_code == 0
    before = path.read_bytes()
    assert run(path, "--init").exit_code != 0
    assert path.read_bytes() == before
