"""A workbook beyond the limits of reading is refused, and read where `--read-limit` raises them (RELIABILITY 20)."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from grader.cli.main import cli

pytestmark = pytest.mark.no_cover


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, criteria_path: Path, answers_path: Path) -> None:
    """A folder with answers, and criteria in which a part becomes a thousand times larger when it is unpacked."""
    monkeypatch.chdir(tmp_path)
    with zipfile.ZipFile(criteria_path) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    parts["xl/worksheets/sheet1.xml"] += b" " * 3_000_000
    with zipfile.ZipFile(criteria_path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in parts.items():
            package.writestr(name, data)


def run(command: str, *arguments: str) -> Result:
    inputs = ["--criteria", "criteria.xlsx", "--answers", "apollo.jsonl"]
    graded = ["--out", "run", "--model", "offline"] if command == "score" else []
    return CliRunner().invoke(cli, [command, *inputs, *graded, *arguments])


@pytest.mark.parametrize("command", ["check", "prompts", "score"])
def test_a_limit_of_reading_is_told_with_the_option_that_raises_it(command: str) -> None:
    refused = run(command)
    assert refused.exit_code == 2
    assert "times when unpacked" in refused.output
    assert "--read-limit 10" in refused.output
    read = run(command, "--read-limit", "20")
    assert read.exit_code == 0, read.output


def test_a_run_that_was_read_so_is_scored_again_so() -> None:
    assert run("score", "--read-limit", "20").exit_code == 0
    again = CliRunner().invoke(cli, ["rescore", "run"])
    assert again.exit_code == 0, again.output
