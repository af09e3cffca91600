"""Measures `grader score` as a whole process against a provider on loopback: wall time, CPU, memory, requests.

python benchmarks/score_speed.py --items 1000 --concurrency 50 --seconds 2
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import xlsxwriter

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from provider import Provider, Scripted


def main() -> None:
    """Grade once, and once more from the store, and print what each took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--concurrency", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=2.0, help="how long the provider takes for one reply")
    parser.add_argument("--transport", choices=("litellm", "direct"), default="litellm")
    options = parser.parse_args()
    provider = Provider()
    provider.script = lambda _: Scripted(seconds=options.seconds)
    with tempfile.TemporaryDirectory() as folder:
        command = [
            *_command(Path(folder), provider, options.items, options.concurrency),
            "--transport",
            options.transport,
        ]
        limit = options.items * options.seconds / options.concurrency
        _measure("first run", command, provider, limit, options.items)
        _measure("again, from the store", command, provider, 0, options.items)
    provider.close()


def _command(folder: Path, provider: Provider, items: int, concurrency: int) -> list[str]:
    with xlsxwriter.Workbook(str(folder / "criteria.xlsx")) as workbook:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, ["id", 25, 50, 100])
        for number in range(1, items + 1):
            sheet.write_row(number, 0, [number, "(1) name it", "(1) explain it\n(2) give an example", "(1) prove it"])
    answers = folder / "system.jsonl"
    with answers.open("w", encoding="utf-8") as file:
        for number in range(1, items + 1):
            text = f"Answer {number}. " + "It works because of its shape. " * 20
            file.write(json.dumps({"id": number, "question": f"Why {number}?", "answer": text}) + "\n")
    return [
        *(sys.executable, "-m", "grader", "score", "--criteria", str(folder / "criteria.xlsx")),
        *("--answers", str(answers), "--model", "openai/gpt-4o", "--api-base", provider.base_url),
        *("--concurrency", str(concurrency), "--out", str(folder / "run"), "--quiet"),
    ]


def _measure(name: str, command: list[str], provider: Provider, limit_seconds: float, items: int) -> None:
    provider.history.clear()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    judging_mb = _run(command, provider)
    wall_seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    ratio = f"{wall_seconds / limit_seconds:.2f} x the limit, " if limit_seconds else ""
    took = f"{wall_seconds:.1f} s, {ratio}{cpu_seconds:.1f} s CPU ({1000 * cpu_seconds / items:.1f} ms an item)"
    memory = f"{judging_mb:.0f} MB while judging, {after.ru_maxrss / 1024:.0f} MB at most"
    print(f"{name}: {took}, {memory}, {len(provider.history)} requests, {provider.most_in_flight} at once", flush=True)


def _run(command: list[str], provider: Provider) -> float:
    """Run the command; return the most memory it had by the time of its last request, in MB."""
    process = subprocess.Popen(command, env={**os.environ, "OPENAI_API_KEY": "benchmark"})
    watched = psutil.Process(process.pid)
    most_mb, latest_mb, served = 0.0, 0.0, 0
    while process.poll() is None:
        with contextlib.suppress(psutil.Error):
            latest_mb = max(latest_mb, watched.memory_info().rss / 2**20)
        if len(provider.history) != served:
            most_mb, served = latest_mb, len(provider.history)
        time.sleep(0.05)
    if process.returncode:
        raise SystemExit(process.returncode)
    return most_mb


if __name__ == "__main__":
    main()
