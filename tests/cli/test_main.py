from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from grader import __version__
from grader.cli import main
from grader.cli.main import COMMANDS, cli
from grader.errors import GraderError, InputError, JudgeError, RubricError, RunError

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_help_lists_every_command_by_the_first_line_of_its_own_help(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None and command.help is not None
    line = command.help.split("\n\n")[0]
    assert line == COMMANDS[name][1]
    assert line in " ".join(run("--help").output.split())


def test_help_and_version_need_no_settings_and_import_nothing_heavy() -> None:
    code = (
        "import sys; from grader.cli.main import cli; cli(['--help'], standalone_mode=False);"
        "heavy = {'litellm', 'pandas', 'openpyxl', 'pydantic', 'jinja2', 'rich', 'yaml'} & set(sys.modules);"
        "sys.exit(f'{heavy}' if heavy else 0)"
    )
    done = python("-c", code)
    assert done.returncode == 0, done.stderr


def test_python_m_grader() -> None:
    done = python("-m", "grader", "--version")
    assert (done.returncode, done.stdout.strip()) == (0, f"grader, version {__version__}")
    done = python("-m", "grader", "no-such")
    assert done.returncode == 2
    assert "Usage: grader" in done.stderr


@pytest.mark.parametrize(("typed", "meant"), [("scor", "score"), ("rubric", "rubrics"), ("zzzzzz", None)])
def test_an_unknown_command_is_said_with_the_one_that_comes_closest(typed: str, meant: str | None) -> None:
    done = run(typed)
    assert done.exit_code == 2
    assert f"“{typed}”" in done.stderr
    assert (f"Did you mean {meant}?" in done.stderr) if meant else ("Did you mean" not in done.stderr)


def test_without_a_command_there_is_help() -> None:
    assert "Commands:" in run().output
    assert "Commands:" in python("-m", "grader", "-h").stdout


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("[score\n", "not valid TOML"),
        ("[scor]\nlimit = 1\n", "[scor] is no command; sections are score"),
        ("limit = 1\n", "[limit] is no command"),
        ("[rubrics]\ncolour = 1\n", "[rubrics] has no option “colour”"),
    ],
)
def test_settings_that_cannot_be_used_are_said(tmp_path: Path, toml: str, says: str) -> None:
    (tmp_path / "grader.toml").write_text(toml)
    done = run("rubrics")
    assert done.exit_code == 2
    assert says in done.stderr


def test_a_misspelt_option_is_said_with_the_one_that_comes_closest(tmp_path: Path) -> None:
    (tmp_path / "grader.toml").write_text("[score]\nconcurency = 1\n")
    assert "“concurency”. Did you mean concurrency?" in run("score", "--help").stderr


def test_settings_that_are_no_text_are_said(tmp_path: Path) -> None:
    (tmp_path / "grader.toml").write_bytes(b"[score]\nmodel = '\xff'\n")
    assert "not valid TOML" in run("rubrics").stderr


def test_settings_may_be_written_with_dashes_and_by_an_editor_that_marks_utf8(tmp_path: Path) -> None:
    (tmp_path / "grader.toml").write_text("\ufeff[score]\nmax-tokens = 5\n", encoding="utf-8")
    assert main._read_settings(tmp_path / "grader.toml") == {"score": {"max_tokens": 5}}
    assert run("rubrics").exit_code == 0


def test_settings_of_one_command_do_not_hinder_another(tmp_path: Path) -> None:
    (tmp_path / "grader.toml").write_text("[score]\nnonsense = 1\n")
    assert run("rubrics").exit_code == 0


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InputError("no id", path="c.xlsx", sheet="S", cell="B7", hint="Give one."), 2),
        (RubricError("no scale", path="r.yaml", hint="Give one."), 2),
        (JudgeError("no key", retryable=False, hint="Give one."), 1),
        (RunError("no room", hint="Give one."), 1),
        (GraderError("no", hint="Give one."), 1),
        (GraderError("no"), 1),
    ],
)
def test_what_a_user_can_put_right_is_said_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, error: GraderError, code: int
) -> None:
    def fail(_: Path) -> None:
        raise error

    monkeypatch.setattr(main, "_read_settings", fail)
    done = run("rubrics")
    assert done.exit_code == code
    assert done.stderr == f"Error: {error}\n" + ("Give one.\n" if error.hint else "")
    assert done.stdout == ""


def test_where_an_input_error_is() -> None:
    assert str(InputError("no id", path="c.xlsx", sheet="S", cell="B7")) == "c.xlsx [S!B7]: no id"
    assert str(InputError("no id", cell="line 2")) == "[line 2]: no id"
    assert str(InputError("no id")) == "no id"


def test_a_bug_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main, "_read_settings", lambda _: 1 / 0)
    assert isinstance(run("rubrics").exception, ZeroDivisionError)


def test_an_interrupt_ends_with_130_and_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "_read_settings", interrupt)
    done = run("rubrics")
    assert (done.exit_code, done.stderr) == (130, "\nInterrupted.\n")
