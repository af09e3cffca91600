"""No socket opens where none is needed (RELIABILITY 22): each command runs with every way to open one barred."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import xlsxwriter
from click.testing import CliRunner
from openpyxl import load_workbook

from grader.cli.main import COMMANDS, cli

ROOT = Path(__file__).parents[1]
GUARD = """
import socket, sys

def barred(event, arguments):
    if event.startswith("socket.") and event != "socket.gethostname":
        sys.stderr.write(f"a socket: {event} {arguments}\\n")
        sys.stderr.flush()
        import os
        os._exit(99)

sys.addaudithook(barred)
"""
RUN = """
from grader.cli.main import cli
cli(sys.argv[1:])
"""
RUN_ALL = """
import json
from grader.cli.main import cli

for words in json.load(sys.stdin):
    print("grader", *words, file=sys.stderr, flush=True)
    try:
        cli(words)
    except SystemExit as ending:
        if ending.code:
            raise
    with open("done.jsonl", "a") as done:
        print(json.dumps(words), file=done)
"""
"""One use after the other in one process, which ends at the first that fails or opens a socket."""
IMPORT_ALL = """
import importlib, pkgutil, grader
for module in pkgutil.walk_packages(grader.__path__, "grader."):
    if module.name not in ("grader.__main__", "grader.judging.litellm_judge"):
        importlib.import_module(module.name)
"""


def guarded(code: str, *arguments: object, cwd: Path, given: str = "") -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GRADER_")}
    return subprocess.run(
        [sys.executable, "-c", GUARD + code, *map(str, arguments)],
        cwd=cwd,
        input=given,
        env={**environment, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "key"},
        capture_output=True,
        text=True,
    )


def test_the_guard_sees_a_socket(tmp_path: Path) -> None:
    done = guarded("import socket; socket.create_connection(('127.0.0.1', 9))", cwd=tmp_path)
    assert done.returncode == 99


def test_no_module_opens_one_when_imported(tmp_path: Path) -> None:
    done = guarded(IMPORT_ALL, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


INPUTS = ("--criteria", "criteria.xlsx", "--answers", "apollo.jsonl")
QUIET: dict[str, tuple[tuple[str, ...], ...]] = {
    "score": ((*INPUTS, "--model", "openai/gpt-4o", "--dry-run"),),
    "run": (("settings.json", "--init"), ("settings.json", "--dry-run")),
    "check": (INPUTS,),
    "prompts": (INPUTS, (*INPUTS, "--out", "prompts")),
    "rescore": (("graded-run",),),
    "review": (("graded-run/graded.xlsx",),),
    "report": (("graded-run",),),
    "compare": (("graded-run",),),
    "probe": (("--criteria", "criteria.xlsx", "--model", "openai/gpt-4o", "--dry-run"),),
    "init": (("--rubric", "likert", "new.xlsx"),),
    "rubrics": ((), ("show", "likert"), ("new", "mine")),
}
"""How each command is used without calling a judge, one use after the other in one folder."""


def test_each_command_is_here() -> None:
    assert QUIET.keys() == COMMANDS.keys()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with inputs and a run that is graded, in whose workbook an expert has typed a score."""
    folder = tmp_path_factory.mktemp("quiet")
    with xlsxwriter.Workbook(str(folder / "criteria.xlsx")) as workbook:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, ["id", 25, 50, 100])
        sheet.write_row(1, 0, [1, "(1) mention the moon", "(1) name the far side", "(1) name the date"])
    (folder / "apollo.jsonl").write_text('{"id": 1, "question": "Where?", "answer": "The far side of the moon."}')
    (folder / "gemini.jsonl").write_text('{"id": 1, "question": "Where?", "answer": "Somewhere."}')
    answers = ("--answers", folder / "apollo.jsonl", "--answers", folder / "gemini.jsonl")
    inputs = ("--criteria", folder / "criteria.xlsx", *answers)
    graded = CliRunner().invoke(cli, ["score", *map(str, inputs), "--out", str(folder / "graded-run"), "--quiet"])
    assert graded.exit_code == 0, graded.output
    book = load_workbook(folder / "graded-run" / "graded.xlsx")
    header = [cell.value for cell in book["Review"][1]]
    book["Review"].cell(2, header.index("Expert score") + 1).value = 75
    book.save(folder / "graded-run" / "graded.xlsx")
    return folder


@pytest.fixture(scope="module")
def used(folder: Path) -> tuple[list[list[str]], str]:
    """Every use that came to its end without a socket; and what was said, at last of the one that did not."""
    uses = [[command, *arguments] for command, several in QUIET.items() for arguments in several]
    ran = guarded(RUN_ALL, cwd=folder, given=json.dumps(uses))
    done = folder / "done.jsonl"
    return [json.loads(line) for line in done.read_text("utf-8").splitlines()] if done.exists() else [], ran.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_no_socket_opens_in(command: str, used: tuple[list[list[str]], str]) -> None:
    done, said = used
    assert QUIET[command]
    for arguments in QUIET[command]:
        assert [command, *arguments] in done, said


@pytest.mark.parametrize("words", [("--help",), ("--version",)], ids=" ".join)
def test_nor_where_nothing_is_done(words: tuple[str, ...], tmp_path: Path) -> None:
    assert guarded(RUN, *words, cwd=tmp_path).returncode == 0
