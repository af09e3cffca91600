"""What keeps calls within bounds: slots, pace and money; shared by all calls to one model, and makes none itself."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from grader.judging.call_log import WaitLog
from grader.judging.pacing import Allowance, Pace, TokenEstimate
from grader.judging.rate_limits import RateLimits
from grader.judging.stopping import StoppedEarly
from grader.records import Usage

_DECREASE = 0.7
"""After a refusal the number of calls in flight falls to this share (multiplicative decrease)."""

_DECREASE_EVERY_SECONDS = 1.0
"""Refusals that come together are one signal."""


_PAUSE_SECONDS = 0.5
"""How long all calls pause after a refusal that names no time."""

_FIRST_CALLS = 4
"""So many calls begin at once: a provider that refuses quickly, as for a wrong key or model, does so four times rather
than as often as there are places."""

FIRST_SECONDS = 1.0
"""So long the others wait for a first answer, unless the judge says otherwise."""

_MORE_CALLS = 50
"""So many may begin then, and as many more each second while there is no answer: the first one tells how many the
provider takes, but a slow model is not a busy one."""

_LOOK_AGAIN_SECONDS = 0.25
"""How long a call sleeps before it looks again whether it may start: answers that came meanwhile may say otherwise."""


@dataclass(slots=True)
class Turn:
    """A call that has a slot: when it started and what was booked for it."""

    started: float = 0.0
    prompt_bytes: int = 0
    tokens: float = 0.0
    requests_before: float = 0.0
    tokens_before: float = 0.0


class Limiter:
    """Lets at most `concurrency` calls be in flight, fewer while the provider refuses, and paces their starts.

    Additive increase, multiplicative decrease: each refusal (HTTP 429) lowers the limit, each success raises it a
    little, up to `concurrency`. A Retry-After holds back every call to the model, not just the refused one. Where the
    provider says in its headers what it still takes, starts are spread so that it need not refuse.
    """

    def __init__(
        self,
        concurrency: int,
        *,
        rpm: float | None = None,
        tpm: float | None = None,
        first_seconds: float = FIRST_SECONDS,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._most, self._first_seconds = concurrency, first_seconds
        self._sleep = sleep
        self._limit = float(min(concurrency, _FIRST_CALLS))
        self._is_answered = False
        self._in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._turn = asyncio.Lock()
        self._not_before = 0.0
        self._decreased_at = 0.0
        self._requests, self._tokens = Allowance(), Allowance()
        self._request_pace: tuple[Pace | Allowance, ...] = (self._requests, *([Pace(rpm)] if rpm else []))
        self._token_pace: tuple[Pace | Allowance, ...] = (self._tokens, *([Pace(tpm)] if tpm else []))
        self._estimate = TokenEstimate()
        self.wait_log = WaitLog()

    @asynccontextmanager
    async def slot(self, prompt_bytes: int = 0, max_tokens: int | None = None) -> AsyncIterator[Turn]:
        """Hold one of the slots, entered when a call of that size may start."""
        await self._acquire()
        try:
            yield await self._next_turn(prompt_bytes, max_tokens)
        finally:
            self._release()

    def succeeded(self) -> None:
        """Tell that a call was served."""
        self._limit = min(float(self._most), self._limit + 1 / self._limit)
        self._wake()

    def refused(self, retry_after_seconds: float | None) -> None:
        """Tell that a call was refused for coming too fast."""
        if not self._is_answered:
            self._is_answered, self._limit = True, float(min(self._most, _MORE_CALLS))
        now = time.monotonic()
        if now - self._decreased_at >= _DECREASE_EVERY_SECONDS:
            self._decreased_at = now
            self._limit = max(1.0, self._limit * _DECREASE)
        self._not_before = max(self._not_before, now + (retry_after_seconds or self._pause_seconds))

    def told(self, turn: Turn, limits: RateLimits | None) -> None:
        """Tell what the provider's answer to a call said of its limits."""
        if limits is None:
            return
        if limits.requests is not None:
            self._requests.told(limits.requests, begun_before=turn.requests_before, started=turn.started)
        if limits.tokens is not None:
            self._tokens.told(limits.tokens, begun_before=turn.tokens_before, started=turn.started)

    def used(self, turn: Turn, usage: Usage | None) -> None:
        """Tell what a call took, `None` where it was not served, so that the guess that was booked is put right."""
        if usage is not None:
            self._estimate.learn(turn.prompt_bytes, usage)
        tokens = usage.prompt_tokens + usage.completion_tokens if usage is not None else 0
        for pace in self._token_pace:
            pace.correct(tokens - turn.tokens)

    @property
    def _pause_seconds(self) -> float:
        """How long to leave a provider alone that refused without a time; its limits pace it, where it tells them."""
        return 0.0 if self._requests.is_told or self._tokens.is_told else _PAUSE_SECONDS

    async def _acquire(self) -> None:
        if self._in_flight < int(self._limit) and not self._waiting:
            self._in_flight += 1
            return
        turn = asyncio.get_running_loop().create_future()
        if not self._is_answered and not self._waiting:
            asyncio.get_running_loop().call_later(self._first_seconds, self._begin_more, 0)
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._release()
            raise

    def _begin_more(self, before: int) -> None:
        """Let so many calls as `before`, and more, be in flight though none was answered yet."""
        if self._is_answered:
            return
        self._limit = float(min(self._most, before + _MORE_CALLS))
        self._wake()
        if self._limit < self._most:
            asyncio.get_running_loop().call_later(1.0, self._begin_more, int(self._limit))

    def _release(self) -> None:
        if not self._is_answered:
            self._is_answered, self._limit = True, float(self._most)
        self._in_flight -= 1
        self._wake()

    def _wake(self) -> None:
        while self._waiting and self._in_flight < int(self._limit):
            turn = self._waiting.popleft()
            if not turn.done():
                self._in_flight += 1
                turn.set_result(None)

    async def _next_turn(self, prompt_bytes: int, max_tokens: int | None) -> Turn:
        """Wait until a call may start, one after the other, and book it."""
        async with self._turn:
            while (seconds := self._wait_seconds()) > 0:
                self.wait_log.waits(seconds)
                await self._sleep(min(seconds, _LOOK_AGAIN_SECONDS))
            now = time.monotonic()
            turn = Turn(
                started=now,
                prompt_bytes=prompt_bytes,
                tokens=self._estimate.tokens(prompt_bytes, max_tokens),
            )
            for pace in self._request_pace:
                pace.book(1, now)
            for pace in self._token_pace:
                pace.book(turn.tokens, now)
            turn.requests_before, turn.tokens_before = self._requests.begun, self._tokens.begun
            return turn

    def _wait_seconds(self) -> float:
        now = time.monotonic()
        paces = (*self._request_pace, *self._token_pace)
        return max(self._not_before - now, *(pace.wait_seconds(now) for pace in paces))


class BudgetSpent(StoppedEarly):
    """The next call could cost more than is left of `--max-cost`."""


class Budget:
    """Never lets the calls made and in flight cost more than `max_usd`, by reserving before each call."""

    def __init__(self, max_usd: float | None, *, spent_usd: float = 0.0) -> None:
        self._max_usd = max_usd
        self._spent_usd = spent_usd
        self._reserved_usd = 0.0
        self._changed = asyncio.Event()

    async def reserve(self, usd: float) -> None:
        """Set aside what a call may cost at most, waiting for others to settle where that is not left.

        Raises:
            BudgetSpent: it is not left, and nothing is in flight that could give any back.
        """
        while self._max_usd is not None and self._spent_usd + self._reserved_usd + usd > self._max_usd:
            if self._reserved_usd <= 1e-12:
                raise BudgetSpent(
                    f"the next call may cost up to ${usd:.4f}, and ${self._spent_usd:.4f} of --max-cost "
                    f"${self._max_usd:g} is spent",
                    hint="Run the same command with a higher --max-cost to go on; nothing is judged twice.",
                )
            self._changed.clear()
            await self._changed.wait()
        self._reserved_usd += usd

    def settle(self, reserved_usd: float, cost_usd: float) -> None:
        """Turn a reservation into what the call did cost."""
        self._reserved_usd = max(0.0, self._reserved_usd - reserved_usd)
        self._spent_usd += cost_usd
        self._changed.set()
