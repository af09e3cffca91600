"""Works on many jobs at once, each as soon as there is a place for it, until all are done or the run stops.

It knows nothing of what the work is: judging items and running a benchmark are both handed to it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from grader.judging.stopping import Stop, Stopped, on_interrupt

GRACE_SECONDS = 10.0
"""How long calls in flight may go on once a run is stopping (RELIABILITY 11)."""

_AHEAD = 1.25
"""Jobs begun for each slot: while one's reply is being committed, another's call is under way."""

Work = TypeVar("Work")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a run ended: `error` and `is_interrupted` say why it stopped before its end, if it did."""

    error: Exception | None = None
    is_interrupted: bool = False


class Crew(Generic[Work]):
    """As many workers as there are places, for `slots` calls at once; `places` is lent out by work that waits."""

    def __init__(self, stop: Stop, *, slots: int, grace_seconds: float = GRACE_SECONDS) -> None:
        self._stop, self._grace_seconds = stop, grace_seconds
        self.places = asyncio.Semaphore(int(slots * _AHEAD) + 2)
        self._working: set[asyncio.Task[None]] = set()

    async def run(self, jobs: Iterable[Work], work: Callable[[Work], Awaitable[None]]) -> Ending:
        """Do `work` on every job; an error that it raises stops the run and is told by the ending."""
        with on_interrupt(self._stop):
            feeding = asyncio.create_task(self._feed(jobs, work))
            await self._unless_stopped(feeding)
            feeding.cancel()
            await asyncio.wait([feeding])
            if not feeding.cancelled():
                feeding.result()  # what went wrong with the jobs themselves
            await self._drain()
        return Ending(error=self._stop.error, is_interrupted=self._stop.is_interrupted)

    async def _feed(self, jobs: Iterable[Work], work: Callable[[Work], Awaitable[None]]) -> None:
        """Begin one job after the other, each as soon as there is a place for it."""
        for job in jobs:
            await self.places.acquire()
            if self._stop.is_set:
                return
            task = asyncio.create_task(self._do(job, work))
            self._working.add(task)
            task.add_done_callback(self._working.discard)

    async def _unless_stopped(self, *tasks: asyncio.Task[None]) -> None:
        """Wait for any of `tasks`, or until the run is to stop."""
        stopping = asyncio.create_task(self._stop.wait())
        await asyncio.wait({*tasks, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()

    async def _drain(self) -> None:
        """Wait for what is under way: to its end, or for a while where the run is stopping."""
        while self._working and not self._stop.is_set:
            await self._unless_stopped(*self._working)
        if self._working:
            await asyncio.wait(self._working, timeout=self._grace_seconds)
        for task in self._working:
            task.cancel()
        await asyncio.gather(*self._working, return_exceptions=True)

    async def _do(self, job: Work, work: Callable[[Work], Awaitable[None]]) -> None:
        try:
            await work(job)
        except Stopped:
            pass
        except Exception as error:  # a spent budget, a full disk, a broken template, a bug: the run ends and tells
            self._stop.fail(error)
        finally:
            self.places.release()
