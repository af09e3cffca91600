"""Grades against a provider that fails in every way it can, and counts: every item right, within a budget of requests.

python benchmarks/fault_run.py --items 2000 --share 0.3 --seed 1

Three parts: faults of all kinds mixed by a seed; a stretch in which everything is refused with 429, where the requests
a second must drop; and a wrong key or model, which must stop the run at once.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import xlsxwriter

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from faulty_provider import Faults, FaultyProvider
from provider import Provider, Request, Scripted

BUDGET = 1.15
"""Requests that may be made, as a multiple of what the faults alone make necessary."""
FIRST_CALLS = 4
"""Requests that may be made before a wrong key or model stops the run."""


def main() -> None:
    """Run all three parts; end with 1 where something is not as it must be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--share", type=float, default=0.3, help="of the requests that fail")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--concurrency", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=0.05, help="how long the provider takes for one reply")
    parser.add_argument("--transport", default="litellm", choices=["litellm", "direct"])
    options = parser.parse_args()
    provider = FaultyProvider()
    faults: list[str] = []
    try:
        faults += mixed_faults(provider, options)
        faults += refused_stretch(provider, options)
        for status in (401, 404):
            faults += lasting_fault(provider, options, status)
    finally:
        provider.close()
    print("\n".join(f"NOT AS IT MUST BE: {fault}" for fault in faults) or "all as it must be")
    raise SystemExit(bool(faults))


def mixed_faults(provider: FaultyProvider, options: argparse.Namespace) -> list[str]:
    """Grade with faults of all kinds, and compare every result with what is right."""
    provider.reset()
    script = Faults(share=options.share, seed=options.seed, seconds=options.seconds, stall_seconds=6)
    provider.script = script
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        code, message = _grade(Path(folder), provider, options, "--timeout", 3)
        took = time.perf_counter() - started
        results = _results(Path(folder))
    wrong = [number for number in range(1, options.items + 1) if not script.is_right(results.get(number), number)]
    sent = len(provider.history)
    needed = script.needed(options.items)
    print(
        f"mixed faults: {options.items} items, {sum(script.counts.values())} requests, of which "
        f"{needed - options.items} failed; {len(wrong)} items wrong; {sent / needed:.3f} x the requests needed "
        f"(budget {BUDGET}), {sent / options.items:.2f} an item; {took:.0f} s, exit {code}"
    )
    print("  " + ", ".join(f"{count} {fault}" for fault, count in sorted(script.counts.items())))
    finals = any(script.final_of(number) for number in range(1, options.items + 1))
    return [
        *([f"items {wrong[:5]} are not right"] if wrong else []),
        *([f"{sent} requests where {needed} were needed"] if sent > BUDGET * needed else []),
        *([f"exit code {code}: {message}"] if code != (3 if finals else 0) else []),
    ]


def refused_stretch(provider: FaultyProvider, options: argparse.Namespace) -> list[str]:
    """Refuse everything for two seconds in the midst of a run, and count the requests a second."""
    provider.reset()
    begins, lasts = 1.0, 2.0
    first: list[float] = []
    steady = Faults(share=0, seed=options.seed, seconds=options.seconds, stall_seconds=0)

    def script(request: Request) -> Scripted:
        first[:] = first or [request.at]
        passed = request.at - first[0]
        if begins <= passed < begins + lasts:
            return Scripted(status=429, headers={"Retry-After": str(round(begins + lasts - passed + 0.5))})
        return steady(request)

    provider.script = script
    with tempfile.TemporaryDirectory() as folder:
        code, message = _grade(Path(folder), provider, options)
    times = [request.at - first[0] for request in provider.history]
    before = sum(at < begins for at in times) / begins
    # What was on its way when the refusals began is no storm.
    during = sum(begins + 0.3 <= at < begins + lasts for at in times) / (lasts - 0.3)
    refused = sum(begins <= at < begins + lasts for at in times)
    print(
        f"everything refused for {lasts:.0f} s: {before:.0f} requests a second before, {during:.1f} during it; "
        f"{refused} refusals in all; exit {code}"
    )
    return [
        *(["the run ended before anything was refused: give it more --items"] if not refused else []),
        *([f"{during:.0f} requests a second while everything is refused"] if during > max(5, 0.05 * before) else []),
        *([f"exit code {code}: {message}"] if code else []),
    ]


def lasting_fault(provider: FaultyProvider, options: argparse.Namespace, status: int) -> list[str]:
    """Refuse the key or the model: the run must stop before it asks for every item."""
    provider.reset()
    provider.script = lambda _: Scripted(status=status)
    with tempfile.TemporaryDirectory() as folder:
        code, message = _grade(Path(folder), provider, options)
    sent = len(provider.history)
    print(f"a lasting {status}: {sent} requests, exit {code}: {message.splitlines()[0] if message else ''}")
    return [
        *([f"{sent} requests for a lasting {status}"] if sent > FIRST_CALLS else []),
        *([f"exit code {code} for a lasting {status}"] if code != 1 else []),
    ]


def _grade(folder: Path, provider: Provider, options: argparse.Namespace, *more: object) -> tuple[int, str]:
    with xlsxwriter.Workbook(str(folder / "criteria.xlsx")) as workbook:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, ["id", 25, 50, 100])
        for number in range(1, options.items + 1):
            sheet.write_row(number, 0, [number, "(1) name it", "(1) explain it\n(2) give an example", "(1) prove it"])
    with (folder / "system.jsonl").open("w", encoding="utf-8") as file:
        for number in range(1, options.items + 1):
            file.write(json.dumps({"id": number, "question": "Why?", "answer": f"Answer {number}. Because."}) + "\n")
    transport = ["--transport", options.transport] if options.transport != "litellm" else []
    command = [
        *(sys.executable, "-m", "grader", "score", "--criteria", folder / "criteria.xlsx"),
        *("--answers", folder / "system.jsonl", "--model", "openai/gpt-4o", "--api-base", provider.base_url),
        *("--concurrency", options.concurrency, "--out", folder / "run", "--quiet", *transport, *more),
    ]
    environment = {**os.environ, "OPENAI_API_KEY": "benchmark"}
    done = subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr.strip()


def _results(folder: Path) -> dict[int, dict[str, Any]]:
    path = folder / "run" / "results.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return {int(record["id"]): record for record in map(json.loads, lines)}


if __name__ == "__main__":
    main()
