"""Runs every command of docs/rubrics.md and compares what comes out with what the page says."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader.cli.main import cli

ROOT = Path(__file__).parents[1]
SECTIONS = dict(
    re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", (ROOT / "docs" / "rubrics.md").read_text("utf-8"), re.M | re.S)
)


def test_every_type_is_on_the_page() -> None:
    assert set(SECTIONS) == {path.stem for path in (ROOT / "rubrics").glob("*.yaml")}


@pytest.mark.parametrize("name", SECTIONS)
def test_the_page_tells_the_truth(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (command,) = re.findall(r"```sh\ngrader (.*?)\n```", SECTIONS[name], re.S)
    words = shlex.split(command.replace("\\\n", " "))
    done = CliRunner().invoke(cli, [*words, "--out", str(tmp_path)])
    assert done.exit_code in (0, 3), done.output
    outcome = SECTIONS[name].split("\n```\n")[1]
    said = dict(re.findall(r"^\| (\d+) \|.*?\| (–|[\d.]+) \|", outcome, re.M))
    rows = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text("utf-8").splitlines()]
    assert said == {row["id"]: "–" if row["score"] is None else f"{row['score']:g}" for row in rows}
