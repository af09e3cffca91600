from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest

from grader.judging.commits import GroupCommit


def test_rows_put_together_are_committed_together_in_order_and_put_returns_after_that() -> None:
    batches: list[list[int]] = []

    async def run() -> None:
        commits: GroupCommit[int] = GroupCommit(lambda rows: batches.append(list(rows)))

        async def put(row: int) -> None:
            await commits.put(row)
            assert any(row in batch for batch in batches)

        await asyncio.gather(*(put(row) for row in range(100)))
        await commits.put(100)
        await commits.close()

    asyncio.run(run())
    assert [row for batch in batches for row in batch] == list(range(101))
    assert len(batches) == 2


def test_rows_put_while_a_commit_is_made_are_in_the_next() -> None:
    batches: list[list[int]] = []
    is_writing, go_on = threading.Event(), threading.Event()

    def write(rows: Sequence[int]) -> None:
        batches.append(list(rows))
        is_writing.set()
        assert go_on.wait(5)

    async def run() -> None:
        commits: GroupCommit[int] = GroupCommit(write)
        first = asyncio.create_task(commits.put(1))
        while not is_writing.is_set():
            await asyncio.sleep(0.001)
        later = [asyncio.create_task(commits.put(row)) for row in (2, 3)]
        await asyncio.sleep(0.01)
        assert not any(task.done() for task in (first, *later))
        go_on.set()
        await asyncio.gather(first, *later)
        await commits.close()

    asyncio.run(run())
    assert batches == [[1], [2, 3]]


def test_writing_is_done_in_one_thread_that_is_not_the_loops() -> None:
    threads: set[str] = set()

    async def run() -> None:
        commits: GroupCommit[int] = GroupCommit(lambda _: threads.add(threading.current_thread().name))
        for row in range(3):
            await commits.put(row)
        await commits.close()

    asyncio.run(run())
    assert len(threads) == 1
    assert threading.current_thread().name not in threads


def test_what_writing_raises_every_row_of_the_commit_raises_and_the_next_commit_is_tried() -> None:
    failures: list[Exception | None] = [OSError("full"), None]

    def write(_: Sequence[int]) -> None:
        failure = failures.pop(0)
        if failure is not None:
            raise failure

    async def run() -> None:
        commits: GroupCommit[int] = GroupCommit(write)
        results = await asyncio.gather(*(commits.put(row) for row in range(3)), return_exceptions=True)
        assert [str(result) for result in results] == ["full"] * 3
        await commits.put(4)
        await commits.close()

    asyncio.run(run())
    assert failures == []


def test_a_row_nobody_waits_for_any_more_is_written_all_the_same() -> None:
    written: list[int] = []

    async def run() -> None:
        commits: GroupCommit[int] = GroupCommit(written.extend)
        task = asyncio.create_task(commits.put(1))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await commits.close()

    asyncio.run(run())
    assert written == [1]


def test_closing_without_any_row() -> None:
    async def run() -> None:
        await GroupCommit[int](print).close()

    asyncio.run(run())
