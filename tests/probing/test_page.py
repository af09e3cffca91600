"""Runs every command of docs/probe.md, and compares the canaries that it explains with those that there are."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader.cli.main import cli
from grader.probing.canaries import CANARIES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "probe.md").read_text("utf-8")
COMMANDS = re.findall(r"```sh\ngrader (.*?)\n```", PAGE, re.S)


def test_every_canary_is_explained_in_the_order_of_the_table() -> None:
    explained = re.findall(r"^\| ([^|]+?) \| [^|]+ \| [^|]+ \|$", PAGE, re.M)[1:]
    assert explained == [canary.title.partition(":")[0] for canary in CANARIES]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_run(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    done = CliRunner().invoke(cli, [*shlex.split(command.replace("\\\n", " ")), "--out", str(tmp_path / "probe")])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "probe" / "probe.json").exists() is ("--dry-run" not in command)
    (calls,) = re.findall(r"(\d+) calls to", done.output)
    assert abs(int(calls) - (35 if "--quick" in command else 130)) <= 5


def test_the_options_on_the_page_exist() -> None:
    import click

    known = set()
    for name in ("probe", "score"):
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        known |= {option for parameter in command.params for option in parameter.opts}
    assert set(re.findall(r"(?<=[`\s])--[a-z-]+", PAGE)) <= known
