"""Runs items through a judge, many at once, each asked until its reply counts; stops and resumes.

It knows neither templates nor rules nor SQLite: what a rubric makes of items and replies it is handed as a `Method`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from grader.judging.calls import Caller, CallSettings, Observer, Store
from grader.judging.crew import GRACE_SECONDS, Crew, Ending
from grader.judging.judge import Call, Judge
from grader.judging.stopping import Stop
from grader.records import Grade, Item, Prompt, Reply, Status, StoredGrade, Verdict

__all__ = ["REASKED", "Ending", "Job", "Method", "deciding_verdict", "judge_item", "run_jobs"]

REASKED = frozenset({Status.PARSE_ERROR, Status.OUT_OF_RANGE, Status.EMPTY_REPLY, Status.TRUNCATED})
"""Statuses after which the judge is asked again (RUBRICS, common rule 8)."""


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
        stop = Stop()
        self._crew = Crew[Job](stop, slots=settings.concurrency, grace_seconds=GRACE_SECONDS)
        self._caller = Caller(
            judge=judge, store=store, settings=settings, stop=stop, places=self._crew.places, observer=observer
        )

    async def run(self, jobs: Iterable[Job]) -> Ending:
        try:
            return await self._crew.run(jobs, self._work)
        finally:
            await self._caller.commits.close()

    async def _work(self, job: Job) -> None:
        grade = await judge_item(
            job.item,
            sample=job.sample,
            caller=self._caller,
            method=self._method,
            reasks=self._reasks,
            max_tokens=self._max_tokens,
        )
        stored = StoredGrade(position=job.position, grade=grade)
        await self._caller.commits.put(stored)
        self._observer.graded(stored)


async def judge_item(
    item: Item, *, caller: Caller, method: Method, reasks: int, max_tokens: int | None, sample: int = 1
) -> Grade:
    """Ask until a reply counts or the asks are used up, and return the grade that comes of it.

    Raises:
        Stopped: the run is stopping.
    """
    verdict = method.verdict_without_call(item)
    if verdict is not None:
        return method.grade(item, sample, verdict, ())
    prompt = method.render(item)
    replies: list[Reply] = []
    verdicts: list[Verdict] = []
    for ask in range(1, reasks + 2):
        call = Call(prompt=prompt, sample=sample, ask=ask, max_tokens=max_tokens)
        replies.append(await caller.reply(call))
        verdicts.append(method.read(replies[-1], item))
        if not _wants_reask(verdicts):
            break
        prompt = method.reask(prompt, replies[-1], verdicts[-1])
        if verdicts[-1].status is Status.TRUNCATED and max_tokens:
            max_tokens *= 2
    return method.grade(item, sample, deciding_verdict(verdicts), tuple(replies))


def _wants_reask(verdicts: list[Verdict]) -> bool:
    """Return whether the last verdict is one to ask again about; an unreachable score is asked about once."""
    last = verdicts[-1]
    if last.status in REASKED:
        return True
    return "unreachable_score" in last.flags and sum(verdict.score is not None for verdict in verdicts) == 1


def deciding_verdict(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict that counts among those of all replies to an item: the last with a score, else the last."""
    return next((verdict for verdict in reversed(verdicts) if verdict.score is not None), verdicts[-1])
