"""A judge, a store and an observer that are real but keep everything in memory: what calls and runs are tested with."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grader.errors import JudgeError
from grader.judging.judge import Call
from grader.records import Item, Prompt, Reply, StoredCall, StoredGrade, StoredItem

Outcome = Reply | JudgeError
Script = Callable[[Call, int], Outcome]
"""What comes of a call, and how often the same call was made, from 1."""


def busy(status: int | None = 503, *, retry_after: float | None = None, is_fatal: bool = False) -> JudgeError:
    """Return a failure that may pass."""
    return JudgeError(
        f"scripted {status}", retryable=True, is_fatal=is_fatal, status_code=status, retry_after_seconds=retry_after
    )


def broken(status: int | None = 400, *, is_fatal: bool = False) -> JudgeError:
    """Return a failure that will not pass."""
    return JudgeError(f"scripted {status}", retryable=False, is_fatal=is_fatal, status_code=status, hint="Look here.")


def call(number: int = 1, *, sample: int = 1, max_tokens: int | None = 100) -> Call:
    """Return a call about item `number`."""
    item = Item(id=str(number), system="s", answer="a", question=f"Q{number}?")
    messages = ({"role": "user", "content": f"Q{number}?"},)
    return Call(prompt=Prompt(item=item, messages=messages), sample=sample, max_tokens=max_tokens)


class ScriptedJudge:
    """Answers by a script, and counts."""

    model = "scripted"
    is_baseline = False

    def __init__(self, script: Script, *, seconds: float = 0.0) -> None:
        self._script, self._seconds = script, seconds
        self._times: Counter[str] = Counter()
        self.history: list[Call] = []
        self.in_flight = self.most_in_flight = 0
        self.is_closed = False

    def parameters(self, call: Call) -> Mapping[str, Any]:
        return {"max_tokens": call.max_tokens}

    async def ask(self, call: Call) -> Reply:
        self.history.append(call)
        key = repr((call.prompt.messages, call.sample, call.ask))
        self._times[key] += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(self._seconds)
            outcome = self._script(call, self._times[key])
        finally:
            self.in_flight -= 1
        if isinstance(outcome, JudgeError):
            raise outcome
        return outcome

    async def close(self) -> None:
        self.is_closed = True

    def asked(self) -> list[str]:
        """Return the ids of the items asked about, in order."""
        return [each.prompt.item.id for each in self.history]


class MemoryStore:
    """Keeps calls and grades as the real store does; `failure` is what writing raises."""

    def __init__(self) -> None:
        self.calls: list[StoredCall] = []
        self.grades: dict[int, StoredGrade] = {}
        self.failure: Exception | None = None

    def find_reply(self, key: str) -> Reply | None:
        found = [each.reply for each in self.calls if each.reply.key == key and each.is_finished]
        return found[-1] if found else None

    def write(self, rows: Sequence[StoredCall | StoredGrade | StoredItem]) -> None:
        if self.failure is not None:
            raise self.failure
        for row in rows:
            if isinstance(row, StoredCall):
                self.calls.append(row)
            elif isinstance(row, StoredGrade):
                self.grades[row.position] = row

    def scores(self) -> list[float | None]:
        """Return the scores in the order of the run."""
        return [self.grades[position].grade.verdict.score for position in sorted(self.grades)]


class Watcher:
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.grades: list[StoredGrade] = []

    def called(self, reply: Reply) -> None:
        self.replies.append(reply)

    def graded(self, stored: StoredGrade) -> None:
        self.grades.append(stored)
