from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from grader.cli.main import cli
from grader.inputs.rubric_file import list_rubrics, read_rubric


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["rubrics", *arguments])


@pytest.mark.parametrize("name", list_rubrics())
def test_every_rubric_is_listed_with_its_title_and_can_be_shown(name: str) -> None:
    lines = run().output.splitlines()
    assert [line for line in lines if line.split()[:1] == [name]] == [f"{name:14} {read_rubric(name)[0].title}"]
    shown = run("show", name)
    assert shown.output == list_rubrics()[name].read_text("utf-8")


def test_a_rubric_of_the_users_own_is_listed_and_shown(tmp_path: Path) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "own.yaml").write_text('name: own\ntitle: "My own"\n')
    (tmp_path / "rubrics" / "notes.txt").write_text("title: not this")
    (tmp_path / "rubrics" / "bare.yaml").write_text("name: bare\n")
    assert "own            My own\n" in run().output
    assert "not this" not in run().output
    assert "bare" in run().output
    assert run("show", "own").output.startswith("name: own")


def test_an_unknown_rubric_is_said_with_those_there_are() -> None:
    done = run("show", "none")
    assert done.exit_code == 2
    assert "none" in done.stderr and "tiered" in done.stderr
    assert "Traceback" not in done.output


def test_what_is_shown_is_a_rubric_to_start_from(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(run("show", "tiered").output, encoding="utf-8")
    assert read_rubric(str(tmp_path / "mine.yaml"))[0] == read_rubric("tiered")[0]
