"""A run talks to the configured host and to no other; no proxy, no telemetry, no price list (RELIABILITY 22)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from provider import Provider

ROOT = Path(__file__).parents[2]
GUARD = """
import os, socket, sys

allowed = int(sys.argv.pop(1))

def barred(event, arguments):
    is_ours = True
    if event == "socket.connect":
        address = arguments[1]
        is_ours = isinstance(address, tuple) and address[:2] == ("127.0.0.1", allowed)
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        is_ours = arguments[0] in ("127.0.0.1", b"127.0.0.1")
    elif event in ("socket.sendto", "socket.bind"):  # urllib3 binds one to ::1 to see whether there is IPv6
        is_ours = arguments[1][0] in ("127.0.0.1", "::1")
    if not is_ours:
        sys.stderr.write(f"another host: {event} {arguments}\\n")
        sys.stderr.flush()
        os._exit(99)

sys.addaudithook(barred)
"""
GRADE = "from grader.cli.main import cli\ncli(sys.argv[1:])\n"
GRADE_ALONE = f"allowed = 0\n{GRADE}"


def guarded(code: str, provider: Provider, *arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("GRADER_", "LITELLM_"))}
    return subprocess.run(
        [sys.executable, "-c", GUARD + code, str(provider.port), *map(str, arguments)],
        cwd=cwd,
        env={**environment, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "key"},
        capture_output=True,
        text=True,
    )


def transports() -> tuple[str, ...]:
    from grader.cli.score import command

    return ("litellm", "direct") if any(each.name == "transport" for each in command.params) else ("litellm",)


@pytest.mark.parametrize("transport", transports())
def test_a_run_calls_the_configured_host_only(
    transport: str, provider: Provider, criteria_path: Path, answers_path: Path, tmp_path: Path
) -> None:
    words = ("score", "--criteria", "criteria.xlsx", "--answers", "apollo.jsonl", "--out", "run")
    judge = ("--model", "openai/gpt-4o", "--api-base", provider.base_url, "--max-cost", "5")
    chosen = ("--transport", transport) if len(transports()) > 1 else ()
    done = guarded(GRADE, provider, *words, *judge, *chosen, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(provider.history) >= 3


@pytest.fixture(scope="module")
def finished(
    _one_provider: Provider, small_inputs: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A folder where the offline judge has graded, every host barred, and how that ended."""
    folder = Path(shutil.copytree(small_inputs, tmp_path_factory.mktemp("finished"), dirs_exist_ok=True))
    words = ("score", "--criteria", "criteria.xlsx", "--answers", "apollo.jsonl", "--out", "run", "--model", "offline")
    return folder, guarded(GRADE_ALONE, _one_provider, *words, cwd=folder)


def test_the_offline_judge_calls_none(finished: tuple[Path, Any]) -> None:
    _, done = finished
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        "import socket; socket.getaddrinfo('example.org', 443)",
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 53))",
    ],
)
def test_the_guard_sees_another_host(provider: Provider, tmp_path: Path, code: str) -> None:
    assert guarded(code, provider, cwd=tmp_path).returncode == 99


def test_importing_litellm_calls_no_host(provider: Provider, tmp_path: Path) -> None:
    code = "from grader.judging.litellm_judge import import_litellm\nimport_litellm()\n"
    done = guarded(code, provider, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("words", [("rescore", "run"), ("review", "run/graded.xlsx")], ids=" ".join)
def test_what_is_done_with_a_finished_run_calls_none(
    words: tuple[str, ...], provider: Provider, finished: tuple[Path, Any]
) -> None:
    folder, _ = finished
    done = guarded(GRADE_ALONE, provider, *words, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert provider.history == []
