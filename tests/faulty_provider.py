"""A provider that fails in every way it can, by a seed, and keeps count: for tests and for benchmarks alike."""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import Any

from aiohttp import web
from provider import Provider, Request, Scripted

SCORES = (0, 25, 50, 100)
PASSING = ("429", "500", "503", "reset", "stall", "cut body", "broken body", "HTML page")
"""Faults of the way; the same call is made again."""
UNREADABLE = ("empty choices", "empty text", "cut text", "wrong format", "off the scale")
"""Faults of the judge; it is asked again, at most twice."""
FINAL = {"content filter": "content_filter", "refusal": "refused"}
"""What ends an item, with the status that says so; by item and not by request."""
FINAL_SHARE = 0.01
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

    def __init__(
        self, *, share: float, seed: int, seconds: float, stall_seconds: float, retry_after_seconds: float = 1
    ) -> None:
        self._share, self._seed, self._seconds, self._stall_seconds = share, seed, seconds, stall_seconds
        self._retry_after = {"Retry-After": f"{retry_after_seconds:g}"}
        self.counts: Counter[str] = Counter()
        self._seen: Counter[int] = Counter()
        self._unreadable: Counter[int] = Counter()

    def final_of(self, number: int) -> str | None:
        """Return how an item ends that never gets a score."""
        chance = random.Random(f"{self._seed} final {number}")
        return chance.choice(list(FINAL)) if chance.random() < FINAL_SHARE * (self._share > 0) else None

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
            "429": {"status": 429, "headers": self._retry_after},
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

    def is_right(self, result: dict[str, Any] | None, number: int) -> bool:
        """Return whether an item's line of results.jsonl says what it must."""
        if result is None:
            return False
        final = self.final_of(number)
        if final is not None:
            return bool(result["status"] == FINAL[final] and result["score"] is None)
        return bool(result["score"] == SCORES[number % 4])

    def needed(self, items: int) -> int:
        """Return the requests that had to be: one that ends each item, and one more for each fault on the way."""
        return items + sum(self.counts[fault] for fault in (*PASSING, *UNREADABLE))
