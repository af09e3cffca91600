from __future__ import annotations

import json
import random
import re
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest
import xlsxwriter
from command import start
from provider import Provider, Request, Scripted

CONCURRENCY = 8
FINISHED = "SELECT count(DISTINCT key) FROM call WHERE is_finished = 1"
ITEMS = 240
KILLS = 4
"""Twenty of them are benchmarks/kill_run.py's."""


@pytest.fixture
def many(tmp_path: Path) -> list[str]:
    """The arguments that grade many items behind the provider."""
    with xlsxwriter.Workbook(str(tmp_path / "criteria.xlsx")) as workbook:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, ["id", 25, 50, 100])
        for number in range(1, ITEMS + 1):
            sheet.write_row(number, 0, [number, "(1) name it", "(1) explain it\n(2) give an example", "(1) prove it"])
    lines = [json.dumps({"id": n, "question": f"Q{n}?", "answer": f"Answer {n}"}) for n in range(1, ITEMS + 1)]
    (tmp_path / "system.jsonl").write_text("\n".join(lines))
    return ["score", "--criteria", "criteria.xlsx", "--answers", "system.jsonl", "--model", "openai/gpt-4o"]


def scripted(request: Request) -> Scripted:
    found = re.search(r"Q(\d+)\?", request.prompt)
    assert found is not None
    return Scripted(text=f"<analysis>of {found[1]}</analysis><score>{25 * (int(found[1]) % 3)}</score>", seconds=0.02)


def run(many: list[str], provider: Provider, out: str, cwd: Path) -> subprocess.Popen[str]:
    return start(
        *many,
        "--api-base",
        provider.base_url,
        "--transport",
        "direct",
        "--concurrency",
        CONCURRENCY,
        "--out",
        out,
        "--no-progress",
        cwd=cwd,
    )


def results(path: Path) -> str:
    """Return the file but for how long the judge took."""
    return re.sub(r'"latency_seconds": ?[^,}]+', "", path.read_text("utf-8"))


def stored(run_dir: Path, query: str) -> int:
    with closing(sqlite3.connect(run_dir / "run.db")) as connection:
        try:
            return int(connection.execute(query).fetchone()[0])
        except sqlite3.OperationalError:  # killed before its tables were made
            return 0


def wait_for(provider: Provider, requests: int, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    while len(provider.history) < requests and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)


def test_killed_at_any_moment_and_run_again_it_ends_as_if_nothing_had_been(
    many: list[str], provider: Provider, tmp_path: Path
) -> None:
    provider.script = scripted
    whole = run(many, provider, "whole", tmp_path)
    whole.communicate()
    assert whole.returncode == 0
    provider.history.clear()
    chance = random.Random(6)
    for _ in range(KILLS):
        kept = stored(tmp_path / "killed", FINISHED) if (tmp_path / "killed").is_dir() else 0
        before = len(provider.history)
        process = run(many, provider, "killed", tmp_path)
        wait_for(provider, before + 1, process)
        time.sleep(chance.uniform(0, 0.15))  # all of them before the run's end, which takes 0.6 s
        process.kill()
        process.communicate()
        time.sleep(0.1)  # what is on its way to the provider arrives
        begun = len(provider.history) - before
        assert begun - (stored(tmp_path / "killed", FINISHED) - kept) <= CONCURRENCY
    assert 0 < stored(tmp_path / "killed", FINISHED) < ITEMS
    last = run(many, provider, "killed", tmp_path)
    last.communicate()
    assert last.returncode == 0
    assert results(tmp_path / "killed" / "results.jsonl") == results(tmp_path / "whole" / "results.jsonl")
    assert len(provider.history) <= ITEMS + KILLS * CONCURRENCY
    assert stored(tmp_path / "killed", "SELECT count(*) FROM call WHERE is_finished = 1") == ITEMS


def test_ctrl_c_writes_what_there_is_and_says_how_to_go_on(many: list[str], provider: Provider, tmp_path: Path) -> None:
    provider.script = scripted
    process = run(many, provider, "run", tmp_path)
    wait_for(provider, 60, process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert "To go on: grader score --criteria criteria.xlsx" in said
    assert "Traceback" not in said
    done = results(tmp_path / "run" / "results.jsonl").splitlines()
    assert 40 <= len(done) < ITEMS
    assert len(provider.history) < ITEMS
    served = len(provider.history)
    again = run(many, provider, "run", tmp_path)
    again.communicate()
    assert again.returncode == 0
    assert len(results(tmp_path / "run" / "results.jsonl").splitlines()) == ITEMS
    assert len(provider.history) == ITEMS
    assert served < ITEMS


def test_a_second_ctrl_c_ends_at_once(many: list[str], provider: Provider, tmp_path: Path) -> None:
    provider.script = lambda _: Scripted(seconds=8)
    process = run(many, provider, "run", tmp_path)
    wait_for(provider, CONCURRENCY, process)
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    started = time.monotonic()
    process.communicate()
    assert process.returncode == 130
    assert time.monotonic() - started < 3


def test_a_second_run_in_the_same_folder_is_refused_and_names_the_first(
    many: list[str], provider: Provider, tmp_path: Path
) -> None:
    provider.script = lambda _: Scripted(seconds=8)
    first = run(many, provider, "run", tmp_path)
    wait_for(provider, 1, first)
    second = run(many, provider, "run", tmp_path)
    _, said = second.communicate()
    first.kill()
    first.communicate()
    assert second.returncode == 1
    assert f"process {first.pid}" in said
