"""Runs the command as a user does, in this process or in one of its own."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from provider import Provider

from grader.cli.main import cli

Grade = Callable[..., Result]


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Run in an empty folder, with a key and no settings."""
    for name in [name for name in os.environ if name.startswith("GRADER_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("OPENAI_API_KEY", "canary-key-0123456789")
    monkeypatch.chdir(tmp_path)
    yield


@pytest.fixture
def grade(criteria_path: Path, answers_path: Path, tmp_path: Path) -> Grade:
    """Run `grader score` on the small inputs, in this process, with more arguments."""

    def run(*arguments: object, criteria: object = criteria_path, answers: object = answers_path) -> Result:
        command = ["score", "--criteria", criteria, "--answers", answers, "--out", tmp_path / "run", *arguments]
        return CliRunner().invoke(cli, [str(word) for word in command])

    return run


@pytest.fixture
def remote(grade: Grade, provider: Provider) -> Grade:
    """Run it with a model behind the loopback provider."""

    def run(*arguments: object, **inputs: object) -> Result:
        return grade("--model", "openai/gpt-4o", "--api-base", provider.base_url, *arguments, **inputs)

    return run


@pytest.fixture
def results(tmp_path: Path) -> Callable[[], list[dict[str, Any]]]:
    """Read results.jsonl of the last run."""

    def read() -> list[dict[str, Any]]:
        return [json.loads(line) for line in (tmp_path / "run" / "results.jsonl").read_text("utf-8").splitlines()]

    return read
