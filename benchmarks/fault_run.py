"""Grades against a provider that fails in every way it can, and counts: every item right, within a budget of requests.

python benchmarks/fault_run.py --items 2000 --share 0.3 --seed 1

Three parts: faults of all kinds mixed by a seed; a stretch in which everything is refused with 429, where the requests
a second must drop; and a wrong key or model, which must stop the run at once.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import xlsxwriter
from aiohttp import web

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from provider import Provider, Request, Scripted

SCORES = (0, 25, 50, 100)
PASSING = ("429", "500", "503", "reset", "stall", "cut body", "broken body", "HTML page")
"""Faults of the way; the same call is made again."""
UNREADABLE = ("empty choices", "empty text", "cut text", "wrong format", "off the scale")
"""Faults of the judge; it is asked again, at most twice."""
FINAL = ("content filter", "refusal")
"""What ends an item, with a status that says so; by item and not by request."""
FINAL_SHARE = 0.01
BUDGET = 1.15
"""Requests that may be made, as a multiple of what the faults alone make necessary."""

_NUMBER = re.compile(r"Answer (\d+)\.")


class FaultyProvider(Provider):
    """Also cuts a body short, as a proxy that dies does."""

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        response = await super()._answer(request)
        if response.headers.get("X-Cut") is None or not isinstance(response, web.Response):
            return response
        body = bytes(response.body)  # type: ignore[arg-type]  # it was made from bytes
        cut = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": str(len(body))})
        await cut.prepare(request)
        await cut.write(body[: len(body) // 2])
        if request.transport is not None:
            request.transport.close()
        return cut


class Faults:
    """Decides by a seed what becomes of each request, and keeps count."""

    def __init__(self, *, share: float, seed: int, seconds: float, stall_seconds: float) -> None:
        self._share, self._seed, self._seconds, self._stall_seconds = share, seed, seconds, stall_seconds
        self.counts: Counter[str] = Counter()
        self._seen: Counter[int] = Counter()
        self._unreadable: Counter[int] = Counter()

    def final_of(self, number: int) -> str | None:
        """Return how an item ends that never gets a score."""
        chance = random.Random(f"{self._seed} final {number}")
        return chance.choice(FINAL) if chance.random() < FINAL_SHARE * (self._share > 0) else None

    def __call__(self, request: Request) -> Scripted:
        """Return what becomes of a request."""
        found = _NUMBER.search(request.prompt)
        number = int(found.group(1)) if found else 0
        self._seen[number] += 1
        chance = random.Random(f"{self._seed} {number} {self._seen[number]}")
        fault = self.final_of(number) or "none"
        if chance.random() < self._share:
            # A third unreadable reply would end the item, as it should: here every item has to come right.
            kinds = PASSING + (UNREADABLE if self._unreadable[number] < 2 and fault == "none" else ())
            fault = chance.choice(kinds)
            self._unreadable[number] += fault in UNREADABLE
        self.counts[fault] += 1
        return self._scripted(fault, number)

    def _scripted(self, fault: str, number: int) -> Scripted:
        text = f"<analysis>Item {number}.</analysis>\n<score>{SCORES[number % 4]}</score>"
        plain = Scripted(text=text, seconds=self._seconds)
        outcomes: dict[str, dict[str, Any]] = {
            "429": {"status": 429, "headers": {"Retry-After": "1"}},
            "500": {"status": 500},
            "503": {"status": 503},
            "reset": {"is_reset": True},
            "stall": {"seconds": self._stall_seconds},
            "cut body": {"headers": {"X-Cut": "1"}},
            "broken body": {"body": b'{"id": "x", "choices": [{"mess', "headers": {"Content-Type": "application/json"}},
            "HTML page": {"body": b"<html><h1>502 Bad Gateway</h1></html>", "status": 502},
            "empty choices": {"choices": []},
            "empty text": {"text": ""},
            "cut text": {"text": text[:-12], "finish_reason": "length"},
            "wrong format": {"text": "I would say this is rather good."},
            "off the scale": {"text": "<analysis>x</analysis>\n<score>170</score>"},
            "content filter": {"text": "", "finish_reason": "content_filter"},
            "refusal": {"text": "I'm sorry, but I can't assist with that."},
        }
        return Scripted(**{"text": plain.text, "seconds": plain.seconds, **outcomes.get(fault, {})})


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
    wrong = [number for number in range(1, options.items + 1) if not _is_right(results.get(number), script, number)]
    sent = len(provider.history)
    # What must be sent: one request that ends each item, and one more for each fault that was met on the way.
    needed = options.items + sum(script.counts[fault] for fault in (*PASSING, *UNREADABLE))
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


def _is_right(result: dict[str, Any] | None, script: Faults, number: int) -> bool:
    if result is None:
        return False
    final = script.final_of(number)
    if final is not None:
        wanted = "content_filter" if final == "content filter" else "refused"
        return result["status"] == wanted and result["score"] is None
    return bool(result["score"] == SCORES[number % 4])


def refused_stretch(provider: FaultyProvider, options: argparse.Namespace) -> list[str]:
    """Refuse everything for two seconds in the midst of a run, and count the requests a second."""
    provider.reset()
    begins, lasts = 2.0, 2.0
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
        *([f"{sent} requests for a lasting {status}"] if sent > options.concurrency else []),
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
