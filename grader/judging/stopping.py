"""How a run is told to stop, and by what: Ctrl-C, a spent budget, or a provider that will not serve anybody."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from grader.errors import RunError

INTERRUPTED_EXIT_CODE = 130


class Stopped(Exception):
    """Raised where work would begin that is no longer wanted; not an error."""


class StoppedEarly(RunError):
    """The run ended before its end for a reason from outside; what it has is written, and it can go on later."""


class Stop:
    """Set once; from then on nothing new starts. `error` is why, or `None` for Ctrl-C."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self.error: Exception | None = None
        self.is_interrupted = False

    @property
    def is_set(self) -> bool:
        """Whether the run is stopping."""
        return self._event.is_set()

    def interrupt(self) -> None:
        """Stop because the user asked to."""
        self.is_interrupted = True
        self._event.set()

    def fail(self, error: Exception) -> None:
        """Stop because going on makes no sense; the first reason counts."""
        self.error = self.error or error
        self._event.set()

    def check(self) -> None:
        """Raise `Stopped` where the run is stopping."""
        if self.is_set:
            raise Stopped

    async def wait(self) -> None:
        """Return when the run is to stop."""
        await self._event.wait()

    async def sleep(self, seconds: float) -> None:
        """Sleep, or raise `Stopped` as soon as the run is stopping."""
        try:
            await asyncio.wait_for(self._event.wait(), seconds)
        except TimeoutError:
            return
        raise Stopped


@contextmanager
def on_interrupt(stop: Stop) -> Iterator[None]:
    """Make the first Ctrl-C stop the run gently and the second end the process at once.

    The store survives that: what is committed stays, and the same command goes on from there.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()

    def handle(_signal: int, _frame: FrameType | None) -> None:
        if stop.is_interrupted:
            sys.stderr.write("\x1b[?25h\nStopped at once.\n")
            sys.stderr.flush()
            os._exit(INTERRUPTED_EXIT_CODE)
        loop.call_soon_threadsafe(stop.interrupt)
        stop.is_interrupted = True
        sys.stderr.write("\nStopping: calls in flight may finish for 10 seconds. Ctrl-C again ends at once.\n")
        sys.stderr.flush()

    previous = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
