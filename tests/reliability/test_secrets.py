"""A key is in no file and on no screen, even where the provider says it back (RELIABILITY 21)."""

from __future__ import annotations

import contextlib
import logging
import os
import subprocess
import sys
import traceback
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from provider import Provider, Request, Scripted

from grader.cli.main import cli
from grader.judging.debug_log import debug_log
from grader.judging.redact import redact_reply, secrets_in_replies

ROOT = Path(__file__).parents[2]
KEY = "canary-key-0123456789"
PASSWORD = "canary-word-9876543210"


def echoed(request: Request) -> str:
    return " ".join(f"{name}: {value}" for name, value in request.headers.items()).replace('"', "")


FAULTS = {
    "refused": lambda r: Scripted(status=400, body=f'{{"error": {{"message": "you sent {echoed(r)}"}}}}'.encode()),
    "wrong key": lambda r: Scripted(status=401, body=f"Incorrect API key provided: {echoed(r)}".encode()),
    "not found": lambda r: Scripted(status=404, body=f"<html>{echoed(r)}</html>".encode()),
    "server error": lambda r: Scripted(status=500, body=echoed(r).encode()),
    "too many": lambda r: Scripted(status=429, body=echoed(r).encode(), headers={"Retry-After": "0"}),
    "broken body": lambda r: Scripted(body=echoed(r).encode()),
    "in a header": lambda r: Scripted(status=503, headers={"X-Debug": r.headers["Authorization"]}),
}
"""What a careless provider does."""


SECRETS = {"OPENAI_API_KEY": KEY, "DB_PASSWORD": PASSWORD}


def grade(
    folder: Path, provider: Provider, *arguments: object, command: str = "score", is_own_process: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run grader with a key that is to be seen nowhere."""
    words = {
        "score": (
            *("--criteria", "criteria.xlsx", "--answers", "apollo.jsonl", "--out", "run"),
            *("--model", "openai/gpt-4o", "--api-base", provider.base_url, "--max-retries", "1"),
        ),
        "rescore": ("run",),
    }[command]
    given = [command, *words, *map(str, arguments)]
    foreign = [name for name in os.environ if name.startswith("GRADER_")]
    if not is_own_process:
        with contextlib.chdir(folder):
            done = CliRunner(env={**dict.fromkeys(foreign), **SECRETS}).invoke(cli, given)
        if done.exc_info is not None and not isinstance(done.exception, SystemExit | None):
            traceback.print_exception(done.exception)
        return subprocess.CompletedProcess(given, done.exit_code, done.stdout, done.stderr)
    environment = {name: value for name, value in os.environ.items() if name not in foreign}
    return subprocess.run(
        [sys.executable, "-m", "grader", *given],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(ROOT), **SECRETS},
        capture_output=True,
        text=True,
    )


def leaks(folder: Path, *outputs: str) -> Iterator[str]:
    """Yield where a key stands: files, parts of workbooks, and what was printed."""
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix in (".xlsx", ".xlsm"):
            with zipfile.ZipFile(path) as package:
                yield from (f"{path.name}:{name}" for name in package.namelist() if is_secret(package.read(name)))
        elif path.is_file() and is_secret(path.read_bytes()):
            yield str(path.relative_to(folder))
    yield from (f"printed: {text}" for text in outputs if is_secret(text.encode()))


def is_secret(content: bytes) -> bool:
    return KEY.encode() in content or PASSWORD.encode() in content


def transports() -> tuple[str, ...]:
    from grader.cli.score import command

    return ("litellm", "direct") if any(each.name == "transport" for each in command.params) else ("litellm",)


@pytest.mark.no_cover
@pytest.mark.parametrize("transport", transports())
@pytest.mark.parametrize("fault", FAULTS)
def test_a_key_that_a_provider_says_back_is_kept_nowhere(
    fault: str, transport: str, provider: Provider, criteria_path: Path, answers_path: Path, tmp_path: Path
) -> None:
    provider.script = FAULTS[fault]
    arguments = ("--transport", transport) if len(transports()) > 1 else ()
    done = grade(tmp_path, provider, *arguments)
    assert done.returncode in (1, 3), done.stdout + done.stderr
    assert "Error: " in done.stderr or "scored" in done.stdout
    assert provider.history[0].headers["Authorization"] == f"Bearer {KEY}"
    again = grade(tmp_path, provider, command="rescore")
    assert not list(leaks(tmp_path, done.stdout, done.stderr, again.stdout, again.stderr))
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("transport", transports())
def test_nor_one_that_stands_in_a_reply(
    transport: str, provider: Provider, criteria_path: Path, answers_path: Path, tmp_path: Path
) -> None:
    provider.script = lambda request: Scripted(
        text=f"<analysis>{echoed(request)} {PASSWORD}</analysis><score>50</score>"
    )
    done = grade(tmp_path, provider, *(("--transport", transport) if len(transports()) > 1 else ()))
    assert done.returncode == 0, done.stderr
    again = grade(tmp_path, provider, command="rescore")
    assert not list(leaks(tmp_path, done.stdout, done.stderr, again.stdout, again.stderr))


@pytest.mark.parametrize("transport", transports())
def test_nor_one_by_which_a_judge_declines(
    transport: str, provider: Provider, criteria_path: Path, answers_path: Path, tmp_path: Path
) -> None:
    def decline(request: Request) -> Scripted:
        message = {"role": "assistant", "content": None, "refusal": f"Not for {echoed(request)} {PASSWORD}"}
        return Scripted(choices=[{"index": 0, "finish_reason": "stop", "message": message}])

    provider.script = decline
    done = grade(tmp_path, provider, "--transport", transport)
    assert done.returncode == 3, done.stderr
    again = grade(tmp_path, provider, command="rescore")
    assert b"Not for" in (tmp_path / "run" / "results.jsonl").read_bytes()
    assert not list(leaks(tmp_path, done.stdout, done.stderr, again.stdout, again.stderr))


@pytest.mark.parametrize("transport", transports())
def test_nor_one_in_the_reason_why_a_reply_ended(
    transport: str, provider: Provider, criteria_path: Path, answers_path: Path, tmp_path: Path
) -> None:
    def end(request: Request) -> Scripted:
        message = {"role": "assistant", "content": "<analysis>a</analysis><score>50</score>"}
        reason = f"ended by {echoed(request)} {PASSWORD}"
        return Scripted(
            choices=[{"index": 0, "finish_reason": "stop", "native_finish_reason": reason, "message": message}]
        )

    provider.script = end
    done = grade(tmp_path, provider, "--transport", transport)
    assert done.returncode == 0, done.stderr
    assert b"ended by" in (tmp_path / "run" / "results.jsonl").read_bytes()
    assert not list(leaks(tmp_path, done.stdout, done.stderr))


@pytest.mark.parametrize("transport", transports())
def test_nor_one_that_was_typed_into_the_command(
    transport: str, provider: Provider, criteria_path: Path, answers_path: Path, tmp_path: Path
) -> None:
    with_password = provider.base_url.replace("://", f"://me:{PASSWORD}@")
    typed = ("--api-base", with_password, "--transport", transport)
    done = grade(tmp_path, provider, *typed, is_own_process=transport == "direct")
    found = list(leaks(tmp_path, done.stdout, done.stderr))
    assert not found, done.stderr


@pytest.mark.parametrize("transport", transports())
def test_a_verbose_run_logs_calls_and_no_key(
    transport: str, provider: Provider, criteria_path: Path, answers_path: Path, tmp_path: Path
) -> None:
    provider.script = lambda request: Scripted(status=503, body=echoed(request).encode())
    done = grade(tmp_path, provider, "--verbose", "--transport", transport, is_own_process=True)
    log = (tmp_path / "run" / "debug.log").read_text("utf-8")
    assert "503" in log and "503" in done.stderr
    assert not list(leaks(tmp_path, done.stdout, done.stderr))


def test_the_canary_would_be_found(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(f"x{KEY}x")
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("xl/sharedStrings.xml", f"<t>{PASSWORD}</t>")
    assert sorted(leaks(tmp_path, KEY)) == ["a.log", "a.xlsx:xl/sharedStrings.xml", f"printed: {KEY}"]


def test_of_a_reply_only_keys_of_the_environment_are_taken_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("SHORT_TOKEN", "analysis")
    text = f"<analysis>The answer says sk-abcdefgh12345678 and {KEY}.</analysis>"
    assert (
        redact_reply(text, secrets_in_replies())
        == "<analysis>The answer says sk-abcdefgh12345678 and [redacted].</analysis>"
    )


@pytest.mark.parametrize("is_verbose", [True, False])
def test_whatever_is_logged_is_redacted_its_traceback_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], is_verbose: bool
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with debug_log(tmp_path, is_verbose=is_verbose):
        try:
            raise ValueError(f"Bearer {KEY}")
        except ValueError:
            logging.getLogger("grader.calls").warning("sent %s", KEY, exc_info=True)
    printed = capsys.readouterr()
    assert not list(leaks(tmp_path, printed.out, printed.err))
    assert not is_verbose or "[redacted]" in (tmp_path / "debug.log").read_text("utf-8")


def test_no_file_of_settings_is_read_in_the_users_folder(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=from-a-file-0123456789\nCANARY_SETTING=1\n")
    code = (
        "import os\nfrom grader.judging.litellm_judge import import_litellm\nimport_litellm()\n"
        "print(sorted({'OPENAI_API_KEY', 'CANARY_SETTING'} & set(os.environ)))"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "LITELLM_"))}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "[]", done.stderr
