"""No socket opens where none is needed (RELIABILITY 22): each command runs with every way to open one barred."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.cli.main import COMMANDS

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
IMPORT_ALL = """
import importlib, pkgutil, grader
for module in pkgutil.walk_packages(grader.__path__, "grader."):
    if module.name not in ("grader.__main__", "grader.judging.litellm_judge"):
        importlib.import_module(module.name)
"""


def guarded(code: str, *arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GRADER_")}
    return subprocess.run(
        [sys.executable, "-c", GUARD + code, *map(str, arguments)],
        cwd=cwd,
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


@pytest.mark.parametrize(
    "arguments",
    [
        ("prompts", "--criteria", "criteria.xlsx", "--answers", "apollo.jsonl"),
        ("prompts", "--criteria", "criteria.xlsx", "--answers", "apollo.jsonl", "--out", "prompts"),
        ("score", "--criteria", "criteria.xlsx", "--answers", "apollo.jsonl", "--model", "openai/gpt-4o", "--dry-run"),
        ("rubrics",),
        ("rubrics", "show", "likert"),
        ("rubrics", "new", "mine"),
        ("check", "--criteria", "criteria.xlsx", "--answers", "apollo.jsonl"),
        ("init", "--rubric", "likert", "new.xlsx"),
        ("--help",),
    ],
    ids=" ".join,
)
def test_no_socket_opens_in(
    arguments: tuple[str, ...], criteria_path: Path, answers_path: Path, tmp_path: Path
) -> None:
    if arguments[0] not in (*COMMANDS, "--help"):
        pytest.skip(f"there is no command {arguments[0]}")
    done = guarded(RUN, *arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_socket_opens_in_rescore(criteria_path: Path, answers_path: Path, tmp_path: Path) -> None:
    inputs = ("--criteria", "criteria.xlsx", "--answers", "apollo.jsonl", "--out", "run")
    graded = subprocess.run(
        [sys.executable, "-m", "grader", "score", *inputs, "--quiet"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert graded.returncode == 0
    done = guarded(RUN, "rescore", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
