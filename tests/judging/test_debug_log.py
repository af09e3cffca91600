from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest
from scripted_judge import MemoryStore, ScriptedJudge, Watcher, broken, call

from grader.errors import JudgeError
from grader.judging import debug_log as module
from grader.judging.calls import Caller, CallSettings
from grader.judging.debug_log import FILE_NAME, debug_log
from grader.judging.stopping import Stop
from grader.records import Reply, Usage

GOOD = Reply(text="x" * 5000, finish_reason="stop", usage=Usage(prompt_tokens=10, completion_tokens=5), seconds=0.5)


def make_calls(outcome: Reply | JudgeError) -> None:
    async def run() -> None:
        caller = Caller(
            judge=ScriptedJudge(lambda *_: outcome),
            store=MemoryStore(),
            settings=CallSettings(max_retries=0),
            stop=Stop(),
            places=asyncio.Semaphore(1),
            observer=Watcher(),
        )
        await caller.reply(call())
        await caller.commits.close()

    asyncio.run(run())


def text(folder: Path) -> str:
    path = folder / FILE_NAME
    return path.read_text("utf-8") if path.exists() else ""


def test_verbose_tells_of_each_call_without_its_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with debug_log(tmp_path, is_verbose=True):
        make_calls(GOOD)
    (line,) = text(tmp_path).splitlines()
    assert "system s, id 1, sample 1, ask 1, attempt 1, prompt of 3 characters: served in 0.500 s" in line
    assert "10+5 tokens, 5000 characters, ended by stop" in line
    assert "xxx" not in line
    assert line in capsys.readouterr().err


def test_otherwise_only_what_failed_is_in_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with debug_log(tmp_path, is_verbose=False) as log:
        make_calls(GOOD)
        log.info("a line")
        make_calls(broken(400))
    lines = text(tmp_path).splitlines()
    assert len(lines) == 2
    assert lines[0].endswith("INFO grader: a line")
    assert "id 1" in lines[1] and "status 400, final, scripted 400" in lines[1]
    assert capsys.readouterr().err == ""


def test_no_key_gets_into_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "canary-0123456789")
    with debug_log(tmp_path, is_verbose=True):
        make_calls(JudgeError("you sent canary-0123456789 and sk-abcdefghijklmnop", retryable=False))
        logging.getLogger("grader.anything").debug("%s", {"Authorization": "Bearer canary-0123456789"})
        try:
            raise ValueError("canary-0123456789")
        except ValueError:
            logging.getLogger("grader").exception("failed with canary-0123456789")
    assert "failed with [redacted]" in text(tmp_path)
    assert "ValueError: [redacted]" in text(tmp_path)
    assert "canary" not in text(tmp_path) and "sk-abc" not in text(tmp_path)


def test_a_long_text_is_cut(tmp_path: Path) -> None:
    with debug_log(tmp_path, is_verbose=False) as log:
        log.info("y" * 3000)
    assert "y" * 1000 + "… (3000 characters)" in text(tmp_path)


def test_a_file_that_grows_too_long_is_set_aside_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_BYTES", 2000)
    with debug_log(tmp_path, is_verbose=False) as log:
        for number in range(200):
            log.info("line %d", number)
    files = sorted(tmp_path.iterdir())
    assert [path.name for path in files] == [FILE_NAME, f"{FILE_NAME}.1"]
    assert all(path.stat().st_size <= 2000 for path in files)


def test_the_logger_is_as_it_was_afterwards(tmp_path: Path) -> None:
    logger = logging.getLogger("grader")
    before = (logger.level, logger.propagate, list(logger.handlers))
    with debug_log(tmp_path, is_verbose=True):
        assert not logger.propagate
    assert (logger.level, logger.propagate, list(logger.handlers)) == before
