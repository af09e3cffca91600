from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from provider import Provider, Scripted

Grade = Callable[..., Result]

UNCHANGED = "they were left as they are"


def test_a_finished_run_is_left_as_it_is(remote: Grade, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert remote().exit_code == 0
    files = [path for path in (tmp_path / "run").iterdir() if path.suffix in (".xlsx", ".json", ".jsonl")]
    before = {path: path.stat().st_mtime_ns for path in files}
    monkeypatch.setitem(sys.modules, "grader.judging.litellm_judge", None)  # so that it cannot be imported

    again = remote()

    assert again.exit_code == 0, again.output
    assert UNCHANGED in again.output and "apollo" in again.output
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_what_was_deleted_is_written_again(remote: Grade, tmp_path: Path, provider: Provider) -> None:
    remote()
    (tmp_path / "run" / "graded.xlsx").unlink()
    provider.history.clear()

    again = remote()

    assert UNCHANGED not in again.output
    assert (tmp_path / "run" / "graded.xlsx").is_file()
    assert provider.history == []


def test_a_call_that_failed_is_made_again(remote: Grade, tmp_path: Path, provider: Provider) -> None:
    script = provider.script
    provider.script = lambda _: Scripted(status=500)
    remote("--max-retries", "0")
    provider.script = script
    provider.history.clear()

    remote("--max-retries", "0")

    assert provider.history
    summary = json.loads((tmp_path / "run" / "summary.json").read_text("utf-8"))
    assert summary["items"]["scored"] == 3


def test_another_option_is_graded_anew(remote: Grade) -> None:
    remote()

    assert UNCHANGED not in remote("--judge-empty").output
