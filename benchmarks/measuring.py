"""Runs `grader` as a process of its own and says what it took; the job that other benchmarks measure is made here.

No benchmark itself: see score_speed.py and targets.py.
"""

from __future__ import annotations

import compileall
import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil
import xlsxwriter

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from provider import Provider

_ROOT = Path(__file__).parents[1]
GRADER = (sys.executable, "-m", "grader")
_LOOK_EVERY_SECONDS = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What a process took: seconds of wall time and CPU, MB of memory at most."""

    wall_seconds: float
    cpu_seconds: float
    most_mb: float
    judging_mb: float
    """The most it had by its last request."""
    judging_cpu_seconds: float
    """From its first request to its last."""
    requests: int


def compile_grader() -> None:
    """Compile grader's modules, as installing it does, also where Python is told not to leave bytecode behind."""
    compileall.compile_dir(_ROOT / "grader", quiet=1)


def write_job(folder: Path, items: int, *, systems: int = 1) -> tuple[str, ...]:
    """Write a criteria workbook of tiers and the answers of some systems, `items` in all.

    Returns:
        The command that grades them, without a judge.
    """
    questions = range(1, items // systems + 1)
    with xlsxwriter.Workbook(str(folder / "criteria.xlsx"), {"constant_memory": True}) as workbook:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, ["id", 25, 50, 100])
        for number in questions:
            sheet.write_row(number, 0, [number, "(1) name it", "(1) explain it\n(2) give an example", "(1) prove it"])
    paths = [folder / f"system-{number}.jsonl" for number in range(1, systems + 1)]
    for path in paths:
        with path.open("w", encoding="utf-8") as file:
            for number in questions:
                text = f"Answer {number} of {path.stem}. " + "It works because of its shape. " * 20
                file.write(json.dumps({"id": number, "question": f"Why {number}?", "answer": text}) + "\n")
    answers = [option for path in paths for option in ("--answers", str(path))]
    files = ("--criteria", str(folder / "criteria.xlsx"), *answers)
    return (*GRADER, "score", *files, "--out", str(folder / "run"), "--quiet")


def by_provider(provider: Provider, *, concurrency: int, transport: str) -> tuple[str, ...]:
    """Return the options that have a provider judge."""
    judge = ("--model", "openai/gpt-4o", "--api-base", provider.base_url, "--transport", transport)
    return (*judge, "--concurrency", str(concurrency))


def measure(command: Sequence[str], provider: Provider | None = None) -> Measured:
    """Run a command and return what it took.

    Raises:
        SystemExit: it failed.
    """
    compile_grader()
    if provider is not None:
        provider.history.clear()
        provider.most_in_flight = 0
    started = time.perf_counter()
    process = subprocess.Popen(command, env={**os.environ, "OPENAI_API_KEY": "benchmark"})
    watched = _Watched(process.pid, provider)
    end = threading.Thread(target=os.waitid, args=(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT))
    end.start()
    while end.is_alive():
        watched.look()
        end.join(_LOOK_EVERY_SECONDS)
    wall_seconds = time.perf_counter() - started
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed")
    return Measured(
        wall_seconds=wall_seconds,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        most_mb=usage.ru_maxrss / 1024,
        judging_mb=watched.judging_mb,
        judging_cpu_seconds=watched.last_cpu - (watched.first_cpu or 0.0),
        requests=len(provider.history) if provider else 0,
    )


class _Watched:
    """What a process had used at its first request and at its last."""

    def __init__(self, pid: int, provider: Provider | None) -> None:
        self._process, self._provider = psutil.Process(pid), provider
        self._most_mb, self._served = 0.0, 0
        self.judging_mb, self.last_cpu = 0.0, 0.0
        self.first_cpu: float | None = None

    def look(self) -> None:
        """Note memory and CPU; they are those of judging where requests have come since the last look."""
        with contextlib.suppress(psutil.Error):
            self._most_mb = max(self._most_mb, self._process.memory_info().rss / 2**20)
            served = len(self._provider.history) if self._provider else 0
            if served == self._served:
                return
            times = self._process.cpu_times()
            self.judging_mb, self._served, self.last_cpu = self._most_mb, served, times.user + times.system
            if self.first_cpu is None:
                self.first_cpu = self.last_cpu
