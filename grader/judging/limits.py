"""What keeps calls within bounds: slots, pace and money; shared by all calls to one model, and makes none itself."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from grader.judging.stopping import StoppedEarly

_DECREASE = 0.7
"""After a refusal the number of calls in flight falls to this share (multiplicative decrease)."""

_DECREASE_EVERY_SECONDS = 1.0
"""Refusals that come together are one signal."""


class Limiter:
    """Lets at most `concurrency` calls be in flight, fewer while the provider refuses, and paces their starts.

    Additive increase, multiplicative decrease: each refusal (HTTP 429) lowers the limit, each success raises it a
    little, up to `concurrency`. A Retry-After holds back every call to the model, not just the refused one.
    """

    def __init__(
        self,
        concurrency: int,
        *,
        rpm: float | None = None,
        tpm: float | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._most = concurrency
        self._sleep = sleep
        self._limit = float(concurrency)
        self._in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._not_before = 0.0
        self._decreased_at = 0.0
        self._paces = [_Pace(per_minute) for per_minute in (rpm, tpm)]

    @asynccontextmanager
    async def slot(self, tokens: int = 0) -> AsyncIterator[None]:
        """Hold one of the slots, entered when a call of `tokens` tokens may start."""
        await self._acquire()
        try:
            await self._wait_for_turn(tokens)
            yield
        finally:
            self._release()

    def succeeded(self) -> None:
        """Tell that a call was served."""
        self._limit = min(float(self._most), self._limit + 1 / self._limit)
        self._wake()

    def refused(self, retry_after_seconds: float | None) -> None:
        """Tell that a call was refused for coming too fast."""
        now = time.monotonic()
        if now - self._decreased_at >= _DECREASE_EVERY_SECONDS:
            self._decreased_at = now
            self._limit = max(1.0, self._limit * _DECREASE)
        if retry_after_seconds:
            self._not_before = max(self._not_before, now + retry_after_seconds)

    async def _acquire(self) -> None:
        if self._in_flight < int(self._limit) and not self._waiting:
            self._in_flight += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._release()
            raise

    def _release(self) -> None:
        self._in_flight -= 1
        self._wake()

    def _wake(self) -> None:
        while self._waiting and self._in_flight < int(self._limit):
            turn = self._waiting.popleft()
            if not turn.done():
                self._in_flight += 1
                turn.set_result(None)

    async def _wait_for_turn(self, tokens: int) -> None:
        starts = [pace.next_start(amount) for pace, amount in zip(self._paces, (1, tokens), strict=True)]
        while (seconds := max(self._not_before, *starts) - time.monotonic()) > 0:
            await self._sleep(seconds)


class _Pace:
    """Spreads what is used evenly over the minutes."""

    def __init__(self, per_minute: float | None) -> None:
        self._seconds_each = 60 / per_minute if per_minute else 0.0
        self._next = 0.0

    def next_start(self, amount: int) -> float:
        """Return when a call that uses `amount` may start, on the monotonic clock, and count it."""
        start = max(self._next, time.monotonic())
        self._next = start + amount * self._seconds_each
        return start if self._seconds_each else 0.0


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
