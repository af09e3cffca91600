"""Kills a run again and again, fills its disk and shares its folder, and compares what is left with a run in peace.

python benchmarks/kill_run.py --items 400 --kills 20 --seed 1
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import xlsxwriter

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from provider import Provider, Request, Scripted

_NUMBER = re.compile(r"Answer (\d+)\.")
_LATENCY = re.compile(rb'"latency_seconds": ?[^,}]+')
_CALL_SECONDS = 0.2


def main() -> None:
    """Run every part; end with 1 where something is not as it must be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=400)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--transport", default="litellm", choices=["litellm", "direct"])
    options = parser.parse_args()
    provider = Provider()
    provider.script = _answer
    faults: list[str] = []
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            _write_inputs(folder, options.items)
            _finish(_start(folder, "peace", provider, options))
            peace = _results(folder / "peace")
            for part in (kills, interrupts, full_disk, shared_folder):
                faults += part(folder, provider, options, peace)
    finally:
        provider.close()
    print("\n".join(f"NOT AS IT MUST BE: {fault}" for fault in faults) or "all as it must be")
    raise SystemExit(bool(faults))


Peace = list[dict[str, Any]]


def kills(folder: Path, provider: Provider, options: argparse.Namespace, peace: Peace) -> list[str]:
    """Kill -9 at seeded moments of the run, then let it end."""
    chance, most_lost, provider.history[:] = random.Random(options.seed), 0, []
    begun = 0.0
    for _ in range(options.kills):
        process = _start(folder, "killed", provider, options)
        before, kept = len(provider.history), _stored(folder / "killed")
        begun = begun or _wait_for_a_call(process, provider, before)
        time.sleep(chance.uniform(0.0, 1.2 * begun))
        process.kill()
        process.wait()
        time.sleep(0.3)  # what is on its way to the provider arrives
        most_lost = max(most_lost, len(provider.history) - before - (_stored(folder / "killed") - kept))
    code, message = _finish(_start(folder, "killed", provider, options))
    repeated = len(provider.history) - options.items
    print(
        f"{options.kills} kills: exit {code}; {repeated} calls repeated in all, {most_lost} at most by one kill, "
        f"{options.concurrency} in flight"
    )
    return [
        *_differences("killed", _results(folder / "killed"), peace),
        *([f"exit {code} after kills: {message}"] if code else []),
        *([f"{most_lost} calls repeated by one kill"] if most_lost > options.concurrency else []),
        *_grades_twice(folder / "killed"),
    ]


def interrupts(folder: Path, provider: Provider, options: argparse.Namespace, peace: Peace) -> list[str]:
    """Ctrl-C once, where the run ends its calls and says how to go on; twice, where it is out at once."""
    faults = []
    for count, most_seconds in ((1, 10 + 5), (2, 3)):
        process = _start(folder, f"interrupted-{count}", provider, options)
        _wait_for_a_call(process, provider, len(provider.history))
        pressed = time.perf_counter()
        for _ in range(count):
            process.send_signal(signal.SIGINT)
            time.sleep(0.1)
        code, message = _finish(process)
        took = time.perf_counter() - pressed
        print(f"Ctrl-C x {count}: exit {code} after {took:.1f} s")
        has_files = (folder / f"interrupted-{count}" / "graded.xlsx").is_file()
        faults += [f"exit {code} after Ctrl-C x {count}: {message[-300:]}"] if code != 130 else []
        faults += [f"{took:.1f} s to end after Ctrl-C x {count}"] if took > most_seconds else []
        faults += ["no files after Ctrl-C"] if count == 1 and not has_files else []
        _finish(_start(folder, f"interrupted-{count}", provider, options))
        faults += _differences(f"Ctrl-C x {count}", _results(folder / f"interrupted-{count}"), peace)
    return faults


def full_disk(folder: Path, provider: Provider, options: argparse.Namespace, peace: Peace) -> list[str]:
    """Let no file grow beyond a limit, as a full disk does; then give room, and let it end."""
    process = _start(folder, "full", provider, options, file_limit=400_000)
    code, message = _finish(process)
    kept = _stored(folder / "full")
    print(f"full disk: exit {code}, {kept} calls kept: {message.splitlines()[-1] if message else ''}")
    again, _ = _finish(_start(folder, "full", provider, options))
    return [
        *([f"exit {code} on a full disk: {message[-300:]}"] if code != 1 or "Traceback" in message else []),
        *([f"exit {again} once there is room"] if again else []),
        *_differences("full disk", _results(folder / "full"), peace),
    ]


def shared_folder(folder: Path, provider: Provider, options: argparse.Namespace, peace: Peace) -> list[str]:
    """Start a second run on the folder of the first."""
    first = _start(folder, "shared", provider, options)
    _wait_for_a_call(first, provider, len(provider.history))
    code, message = _finish(_start(folder, "shared", provider, options))
    ended, _ = _finish(first)
    print(f"a second run on the same folder: exit {code}: {message.splitlines()[0] if message else ''}; first: {ended}")
    return [
        *([f"the second run on one folder ended with {code}"] if code != 1 else []),
        *_differences("shared folder", _results(folder / "shared"), peace),
    ]


def _answer(request: Request) -> Scripted:
    found = _NUMBER.search(request.prompt)
    number = int(found.group(1)) if found else 0
    score = (0, 25, 50, 100)[number % 4]
    return Scripted(text=f"<analysis>Item {number}.</analysis>\n<score>{score}</score>", seconds=_CALL_SECONDS)


def _differences(name: str, results: Peace, peace: Peace) -> list[str]:
    if results == peace:
        return []
    differing = [line["id"] for line, other in zip(results, peace, strict=False) if line != other]
    return [f"{name}: {len(results)} results of {len(peace)}, other ones for {differing[:5]}"]


def _results(run_dir: Path) -> Peace:
    """Return the id and the bytes of each line, but for how long the judge took."""
    path = run_dir / "results.jsonl"
    lines = path.read_bytes().splitlines() if path.is_file() else []
    return [{"id": json.loads(line)["id"], "line": _LATENCY.sub(b"", line)} for line in lines]


def _stored(run_dir: Path) -> int:
    return _count(run_dir, "SELECT count(DISTINCT key) FROM call WHERE is_finished = 1")


def _grades_twice(run_dir: Path) -> list[str]:
    twice = _count(run_dir, "SELECT count(*) FROM (SELECT 1 FROM call GROUP BY key HAVING sum(is_finished) > 1)")
    return [f"{twice} calls stored twice"] if twice else []


def _count(run_dir: Path, query: str) -> int:
    if not (run_dir / "run.db").is_file():
        return 0
    with contextlib.closing(sqlite3.connect(run_dir / "run.db")) as connection:
        try:
            return int(connection.execute(query).fetchone()[0])
        except sqlite3.OperationalError:
            return 0  # killed before its tables were made


def _write_inputs(folder: Path, items: int) -> None:
    with xlsxwriter.Workbook(str(folder / "criteria.xlsx")) as workbook:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, ["id", 25, 50, 100])
        for number in range(1, items + 1):
            sheet.write_row(number, 0, [number, "(1) name it", "(1) explain it\n(2) give an example", "(1) prove it"])
    with (folder / "system.jsonl").open("w", encoding="utf-8") as file:
        for number in range(1, items + 1):
            text = f"Answer {number}. " + "It works because of its shape. " * 20
            file.write(json.dumps({"id": number, "question": "Why?", "answer": text}) + "\n")


def _start(
    folder: Path, run: str, provider: Provider, options: argparse.Namespace, *, file_limit: int | None = None
) -> subprocess.Popen[str]:
    transport = ["--transport", options.transport] if options.transport != "litellm" else []
    command = [
        *(sys.executable, "-m", "grader", "score", "--criteria", "criteria.xlsx", "--answers", "system.jsonl"),
        *("--model", "openai/gpt-4o", "--api-base", provider.base_url, "--out", run, "--quiet"),
        *("--concurrency", str(options.concurrency), *transport),
    ]

    def limit_files() -> None:
        if file_limit is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))

    return subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "OPENAI_API_KEY": "benchmark", "PYTHONPATH": str(Path(__file__).parents[1])},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=limit_files,
    )


def _finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, message = process.communicate()
    return process.returncode, message.strip()


def _wait_for_a_call(process: subprocess.Popen[str], provider: Provider, before: int) -> float:
    """Wait until the run has made a call; return how long that took, in seconds."""
    started = time.perf_counter()
    while process.poll() is None and len(provider.history) <= before:
        time.sleep(0.02)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
