"""Groups what is to be stored within a few milliseconds into one commit, since each costs the disk a wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

Row = TypeVar("Row")

_GATHER_SECONDS = 0.001


class GroupCommit(Generic[Row]):
    """Hands rows to `write`, many at a time and in a thread of its own; `put` returns once they are committed."""

    def __init__(self, write: Callable[[Sequence[Row]], None]) -> None:
        self._write = write
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")
        self._waiting: list[tuple[Row, asyncio.Future[None]]] = []
        self._task: asyncio.Task[None] | None = None

    async def put(self, row: Row) -> None:
        """Store `row`; whatever `write` raises, every row of its commit raises."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((row, done))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._commit())
        await done

    async def close(self) -> None:
        """Wait for what is being written and end the thread."""
        if self._task is not None:
            await asyncio.wait([self._task])
        self._thread.shutdown()

    async def _commit(self) -> None:
        while self._waiting:
            await asyncio.sleep(_GATHER_SECONDS)
            batch, self._waiting = self._waiting, []
            await self._commit_batch(batch)

    async def _commit_batch(self, batch: list[tuple[Row, asyncio.Future[None]]]) -> None:
        rows = [row for row, _ in batch]
        failure: Exception | None = None
        try:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._write, rows)
        except Exception as error:  # handed to whoever waits for the rows
            failure = error
        for _, done in batch:
            if done.done():
                continue
            if failure is None:
                done.set_result(None)
            else:
                done.set_exception(failure)
