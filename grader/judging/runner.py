"""Runs items through a judge, many at once, each asked until its reply counts; stops and resumes.

It knows neither templates nor rules nor SQLite: what a rubric makes of items and replies it is handed as a `Method`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from grader.judging.calls import Caller, CallSettings, Observer, Store
from grader.judging.judge import Call, Judge
from grader.judging.stopping import Stop, Stopped, on_interrupt
from grader.records import Grade, Item, Prompt, Reply, Status, StoredGrade, Verdict

REASKED = frozenset({Status.PARSE_ERROR, Status.OUT_OF_RANGE, Status.EMPTY_REPLY, Status.TRUNCATED})
"""Statuses after which the judge is asked again (RUBRICS, common rule 8)."""

GRACE_SECONDS = 10.0
"""How long calls in flight may go on once a run is stopping (RELIABILITY 11)."""

_AHEAD = 1.25
"""Items begun for each slot: while one's reply is being committed, another's call is under way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One item to judge, its place in the run, and which repeat it is, from 1."""

    position: int
    item: Item
    sample: int = 1


class Method(Protocol):
    """What a rubric makes of items and replies: all of the work that is not calling."""

    def verdict_without_call(self, item: Item) -> Verdict | None:
        """Return the verdict of an item that no judge need see, such as an empty answer."""
        ...

    def render(self, item: Item) -> Prompt:
        """Return the prompt for an item."""
        ...

    def read(self, reply: Reply, item: Item) -> Verdict:
        """Return what a reply says."""
        ...

    def reask(self, prompt: Prompt, reply: Reply, verdict: Verdict) -> Prompt:
        """Return the prompt that asks again after a reply that cannot count."""
        ...

    def grade(self, item: Item, sample: int, verdict: Verdict, replies: tuple[Reply, ...]) -> Grade:
        """Return the grade that ends a job."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a run ended: `error` and `is_interrupted` say why it stopped before its end, if it did."""

    error: Exception | None = None
    is_interrupted: bool = False


def run_jobs(
    jobs: Iterable[Job],
    *,
    judge: Judge,
    method: Method,
    store: Store,
    settings: CallSettings,
    reasks: int,
    max_tokens: int | None,
    observer: Observer,
) -> Ending:
    """Judge every job and commit its grade; returns when all are done, or the run was stopped.

    A job that was cut off has no grade; its finished calls are kept, and running the same jobs again goes on there.
    """

    async def run() -> Ending:
        runner = _Runner(judge, method, store, settings, observer, reasks=reasks, max_tokens=max_tokens)
        try:
            return await runner.run(jobs)
        finally:
            await judge.close()

    return asyncio.run(run())


class _Runner:
    def __init__(
        self,
        judge: Judge,
        method: Method,
        store: Store,
        settings: CallSettings,
        observer: Observer,
        *,
        reasks: int,
        max_tokens: int | None,
    ) -> None:
        self._method, self._observer = method, observer
        self._reasks, self._max_tokens = reasks, max_tokens
        self._stop = Stop()
        self._places = asyncio.Semaphore(int(settings.concurrency * _AHEAD) + 2)
        self._caller = Caller(
            judge=judge, store=store, settings=settings, stop=self._stop, places=self._places, observer=observer
        )
        self._working: set[asyncio.Task[None]] = set()

    async def run(self, jobs: Iterable[Job]) -> Ending:
        with on_interrupt(self._stop):
            try:
                await self._feed(jobs)
                await self._drain()
            finally:
                await self._caller.commits.close()
        return Ending(error=self._stop.error, is_interrupted=self._stop.is_interrupted)

    async def _feed(self, jobs: Iterable[Job]) -> None:
        """Begin one job after the other, each as soon as there is a place for it."""
        stopping = asyncio.create_task(self._stop.wait())
        try:
            for job in jobs:
                if not await self._place(stopping):
                    return
                task = asyncio.create_task(self._work(job))
                self._working.add(task)
                task.add_done_callback(self._working.discard)
        finally:
            stopping.cancel()

    async def _place(self, stopping: asyncio.Task[None]) -> bool:
        """Take a place for a job, unless the run stops first."""
        if not self._places.locked() and not self._stop.is_set:
            await self._places.acquire()
            return True
        place = asyncio.create_task(self._places.acquire())
        await asyncio.wait({place, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if place.done() and not self._stop.is_set:
            return True
        place.cancel()
        return False

    async def _drain(self) -> None:
        """Wait for what is under way: to its end, or for a while where the run is stopping."""
        stopping = asyncio.create_task(self._stop.wait())
        while self._working and not self._stop.is_set:
            await asyncio.wait({*self._working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if self._working:
            await asyncio.wait(self._working, timeout=GRACE_SECONDS)
        for task in self._working:
            task.cancel()
        await asyncio.gather(*self._working, return_exceptions=True)

    async def _work(self, job: Job) -> None:
        try:
            grade = await self._judge(job)
            stored = StoredGrade(position=job.position, grade=grade)
            await self._caller.commits.put(stored)
            self._observer.graded(stored)
        except Stopped:
            pass
        except Exception as error:  # a spent budget, a full disk, a broken template, a bug: the run ends and tells
            self._stop.fail(error)
        finally:
            self._places.release()

    async def _judge(self, job: Job) -> Grade:
        """Ask until a reply counts or the asks are used up."""
        verdict = self._method.verdict_without_call(job.item)
        if verdict is not None:
            return self._method.grade(job.item, job.sample, verdict, ())
        prompt, max_tokens = self._method.render(job.item), self._max_tokens
        replies: list[Reply] = []
        verdicts: list[Verdict] = []
        for ask in range(1, self._reasks + 2):
            call = Call(prompt=prompt, sample=job.sample, ask=ask, max_tokens=max_tokens)
            replies.append(await self._caller.reply(call))
            verdicts.append(self._method.read(replies[-1], job.item))
            if not _wants_reask(verdicts):
                break
            prompt = self._method.reask(prompt, replies[-1], verdicts[-1])
            if verdicts[-1].status is Status.TRUNCATED and max_tokens:
                max_tokens *= 2
        return self._method.grade(job.item, job.sample, deciding_verdict(verdicts), tuple(replies))


def _wants_reask(verdicts: list[Verdict]) -> bool:
    """Return whether the last verdict is one to ask again about; an unreachable score is asked about once."""
    last = verdicts[-1]
    if last.status in REASKED:
        return True
    return "unreachable_score" in last.flags and sum(verdict.score is not None for verdict in verdicts) == 1


def deciding_verdict(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict that counts among those of all replies to an item: the last with a score, else the last."""
    return next((verdict for verdict in reversed(verdicts) if verdict.score is not None), verdicts[-1])
