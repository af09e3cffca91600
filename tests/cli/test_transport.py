"""`--transport` and `--verbose`, as a user meets them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from provider import Provider, Request, Scripted

Grade = Callable[..., Result]
ROOT = Path(__file__).parents[2]


def test_the_same_grades_by_either_transport(remote: Grade, results: Callable[[], list[dict[str, Any]]]) -> None:
    def rows() -> list[dict[str, Any]]:
        return [{**row, "latency_seconds": None} for row in results()]

    assert remote("--transport", "direct").exit_code == 0
    direct = rows()
    assert remote("--fresh").exit_code == 0
    assert rows() == direct
    assert all(row["cost_usd"] and row["usage"] for row in direct)


@pytest.mark.parametrize("first", ["direct", "litellm"])
def test_a_run_begun_by_one_transport_is_finished_by_the_other_without_a_call(
    remote: Grade, provider: Provider, first: str
) -> None:
    assert remote("--transport", first).exit_code == 0
    made = len(provider.history)
    assert made >= 3
    other = {"direct": "litellm", "litellm": "direct"}[first]
    assert remote("--transport", other).exit_code == 0
    assert len(provider.history) == made


def test_it_is_an_option_like_the_others(
    remote: Grade, provider: Provider, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GRADER_SCORE_TRANSPORT", "direct")
    assert remote().exit_code == 0
    assert provider.history[0].headers["User-Agent"].startswith("grader/")
    summary = json.loads((tmp_path / "run" / "summary.json").read_text("utf-8"))
    assert "direct" in json.dumps(summary)
    monkeypatch.delenv("GRADER_SCORE_TRANSPORT")
    Path("grader.toml").write_text('[score]\ntransport = "direct"\n', encoding="utf-8")
    assert remote("--fresh").exit_code == 0
    assert provider.history[-1].headers["User-Agent"].startswith("grader/")
    assert "by direct" in remote("--dry-run").output
    assert "by LiteLLM" in remote("--dry-run", "--transport", "litellm").output


def test_a_provider_of_another_kind_is_refused_before_any_call(grade: Grade, provider: Provider) -> None:
    result = grade("--model", "anthropic/claude-sonnet-4-5", "--transport", "direct", "--api-base", provider.base_url)
    assert result.exit_code == 1
    assert "--transport litellm" in result.output
    assert not provider.history


def test_litellm_is_never_imported(provider: Provider, criteria_path: Path, answers_path: Path, tmp_path: Path) -> None:
    code = "import sys\nfrom grader.cli.main import cli\ncli(sys.argv[1:], standalone_mode=False)\n"
    code += (
        "print([name for name in ('litellm', 'openai', 'httpx', 'pandas', 'scipy', 'tiktoken') if name in sys.modules])"
    )
    arguments = ["score", "--criteria", criteria_path, "--answers", answers_path, "--quiet", "--out", tmp_path / "run"]
    arguments += ["--model", "openai/gpt-4o", "--api-base", provider.base_url, "--transport", "direct"]
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"
    assert provider.history


@pytest.mark.parametrize("transport", ["direct", "litellm"])
def test_verbose_tells_of_each_call_on_stderr_and_in_the_run_and_no_key(
    remote: Grade, provider: Provider, tmp_path: Path, transport: str
) -> None:
    def echoing(request: Request) -> Scripted:
        if len(provider.history) == 1:
            return Scripted(status=500, body=json.dumps({"error": {"message": str(dict(request.headers))}}).encode())
        return Scripted()

    provider.script = echoing
    result = remote("--transport", transport, "--verbose")
    assert result.exit_code == 0, result.output
    log = (tmp_path / "run" / "debug.log").read_text("utf-8")
    for item_id in "123":
        assert f"system apollo, id {item_id}, sample 1, ask 1, attempt" in log
        assert f"system apollo, id {item_id}, sample 1" in result.output
    assert "failed, status 500" in log
    assert "canary-key-0123456789" not in log + result.output
    assert "The far side of the moon" not in log


def test_without_it_the_log_is_short(remote: Grade, provider: Provider, tmp_path: Path) -> None:
    assert remote("--transport", "direct").exit_code == 0
    lines = (tmp_path / "run" / "debug.log").read_text("utf-8").splitlines()
    assert len(lines) == 2
    assert "3 grades wanted, by openai/gpt-4o" in lines[0]
    assert f"ended with 3 grades and {len(provider.history)} calls: no error" in lines[1]
