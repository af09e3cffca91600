"""Makes one call to a judge count: found in the store, or made, retried and committed; reads no reply."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from grader.errors import JudgeError
from grader.judging.call_log import CallLog
from grader.judging.commits import GroupCommit
from grader.judging.judge import Call, Judge, call_key
from grader.judging.limits import FIRST_SECONDS, Budget, Limiter
from grader.judging.pacing import LONGEST_WAIT_SECONDS
from grader.judging.prices import Price, most_tokens
from grader.judging.rate_limits import TellsLimits
from grader.judging.redact import redact_reply, secrets_in_replies
from grader.judging.stopping import Stop, Stopped, StoppedEarly
from grader.judging.tries import Tries
from grader.plain_text import normalise
from grader.records import FILTER_REASONS, Reply, StoredCall, StoredGrade, StoredItem

_FIRST_DELAY_SECONDS = 0.5
_LONGEST_DELAY_SECONDS = 60.0
_LONGEST_RETRY_AFTER_SECONDS = LONGEST_WAIT_SECONDS
_TRIES_BEFORE_ANY_SUCCESS = 3
"""A host that was never reached is given up sooner than one that went away."""

_FAILURES_IN_A_ROW = 25
"""So many calls failing for good with no success between them is an outage, not bad luck with single answers."""


class Store(Protocol):
    """Where calls and grades are kept."""

    def find_reply(self, key: str) -> Reply | None:
        """Return the reply of a finished call."""
        ...

    def write(self, rows: Sequence[StoredCall | StoredGrade | StoredItem]) -> None:
        """Commit rows at once."""
        ...


class CallObserver(Protocol):
    """Somebody who wants to see calls being made."""

    def called(self, reply: Reply) -> None:
        """Tell that a call was made, or given up."""
        ...


class Observer(CallObserver, Protocol):
    """Somebody who wants to see a run go on."""

    def graded(self, stored: StoredGrade) -> None:
        """Tell that an item has its grade."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSettings:
    """How much at once, how hard to try, and what it may cost."""

    concurrency: int = 50
    max_retries: int = 6
    first_delay_seconds: float | None = None
    """The longest wait before the first retry, half a second by default; it doubles with each one after."""
    rpm: float | None = None
    tpm: float | None = None
    max_cost_usd: float | None = None
    spent_usd: float = 0.0
    """What earlier goes of the run have cost; the most it may cost is for all of them."""
    price: Price | None = None


class Caller:
    """Makes calls to one judge; `places` is what an item holds while it is worked on, and lends out while it waits.

    Where a run calls several judges, they share a limiter for each endpoint, one budget, and one committer of rows.
    `on_outage` is told of what would fail every other call; by default the run stops.
    """

    def __init__(
        self,
        *,
        judge: Judge,
        store: Store,
        settings: CallSettings,
        stop: Stop,
        places: asyncio.Semaphore,
        observer: CallObserver,
        limiter: Limiter | None = None,
        budget: Budget | None = None,
        commits: GroupCommit[StoredCall | StoredGrade | StoredItem] | None = None,
        on_outage: Callable[[Exception], None] | None = None,
    ) -> None:
        self._judge, self._store, self._settings = judge, store, settings
        self._stop, self._places, self._observer = stop, places, observer
        self._limiter = limiter or Limiter(
            settings.concurrency,
            rpm=settings.rpm,
            tpm=settings.tpm,
            first_seconds=getattr(judge, "first_seconds", FIRST_SECONDS),
            sleep=stop.sleep,
        )
        self._budget = budget or Budget(settings.max_cost_usd, spent_usd=settings.spent_usd)
        self._on_outage = on_outage or stop.fail
        self._under_way: dict[str, asyncio.Task[Reply]] = {}
        self._successes = 0
        self._has_found = False
        self._failures_in_a_row = 0
        self._teller = judge if isinstance(judge, TellsLimits) else None
        self._log = CallLog()
        self._secrets = secrets_in_replies()
        self.commits: GroupCommit[StoredCall | StoredGrade | StoredItem] = commits or GroupCommit(store.write)

    async def reply(self, call: Call) -> Reply:
        """Return the reply to `call`, or a reply with an `error`; two same calls at once are made once.

        Raises:
            Stopped: the run is stopping.
        """
        key = call_key(self._judge, call)
        found = self._store.find_reply(key)
        if found is not None:
            self._has_found = True
            return found
        self._stop.check()
        if key not in self._under_way:
            task = asyncio.create_task(self._make(call, key))
            self._under_way[key] = task
            task.add_done_callback(lambda done: self._forget(key, done))
        return await asyncio.shield(self._under_way[key])

    def _forget(self, key: str, done: asyncio.Task[Reply]) -> None:
        self._under_way.pop(key, None)
        if not done.cancelled():
            done.exception()  # whoever waited has it; nobody may be left waiting

    async def _make(self, call: Call, key: str) -> Reply:
        """Make the call until it is served, refused for good, or out of tries.

        Where the run stops before that, what the tries so far may have cost is kept: the most that the run may cost is
        for all of its goes.
        """
        tries = Tries()
        try:
            while True:
                try:
                    return await self._request(call, key, tries)
                except JudgeError as error:
                    if self._is_last(tries.count, error):
                        return await self._give_up(call, key, tries, error)
                    await self._back_off(tries.count, error)
        except (Stopped, StoppedEarly):
            if tries.lost_usd or tries.lost_usage:
                await self._commit(call, tries.failure(key, "the run stopped before it was tried again"))
            raise

    async def _request(self, call: Call, key: str, tries: Tries) -> Reply:
        """Make one request within slots, pace and budget, and commit its reply.

        The slot is held until then, so that a kill can cost no more calls than there are slots.
        """
        prompt_bytes = most_tokens(call.prompt.messages)
        most_usd = self._most_usd(call, prompt_bytes)
        async with self._limiter.slot(prompt_bytes, call.max_tokens) as turn:
            self._stop.check()
            await self._budget.reserve(most_usd)
            cost_usd, usage, is_served = most_usd, None, False  # of a call that is cut off nobody knows what it costs
            tries.count += 1
            try:
                reply = self._priced(await self._judge.ask(call), most_usd)
                cost_usd, usage, is_served = reply.cost_usd or 0.0, reply.usage, True
                self._successes += 1
                self._failures_in_a_row = 0
            except JudgeError as error:
                cost_usd, usage = tries.lose(error, most_usd, self._settings.price)
                self._log.failed(call, tries.count, error)
                if error.status_code == 429:
                    self._limiter.refused(_retry_after_seconds(error))
                raise
            finally:
                self._budget.settle(most_usd, cost_usd)
                if usage is not None or not is_served:  # else what was guessed stays counted
                    self._limiter.used(turn, usage)
                if self._teller is not None:
                    self._limiter.told(turn, self._teller.seen_limits)
            reply = replace(
                tries.summed(reply),
                key=key,
                text=self._storable(reply.text),
                finish_reason=self._storable(reply.finish_reason) if reply.finish_reason else reply.finish_reason,
                refusal=self._storable(reply.refusal) if reply.refusal else reply.refusal,
            )
            await self._commit(call, reply)
        self._limiter.succeeded()
        self._log.served(call, reply)
        return reply

    async def _commit(self, call: Call, reply: Reply) -> None:
        item = call.prompt.item
        has_text = reply.error is None and bool(normalise(reply.text).strip())
        row = StoredCall(
            reply=reply,
            model=self._judge.model,
            system=item.system,
            item_id=item.id,
            sample=call.sample,
            ask=call.ask,
            is_finished=has_text and (reply.finish_reason or "").casefold() not in FILTER_REASONS,
        )
        await self.commits.put(row)
        self._observer.called(reply)

    def _storable(self, text: str) -> str:
        """Return `text` as it is stored, without keys, so that a call that quotes it is the same after a stop."""
        return redact_reply(text, self._secrets).encode("utf-8", "replace").decode()

    def _priced(self, reply: Reply, most_usd: float) -> Reply:
        """Return `reply` with its cost, where the judge does not know it and the price is known.

        Under a cap, one that does not say what it used costs the most that it may: else the cap would not hold.
        """
        price = self._settings.price
        if reply.cost_usd is not None or price is None:
            return reply
        if reply.usage is not None:
            return replace(reply, cost_usd=price.cost_usd(reply.usage))
        return reply if self._settings.max_cost_usd is None else replace(reply, cost_usd=most_usd)

    def _most_usd(self, call: Call, most_prompt_tokens: int) -> float:
        price = self._settings.price
        if price is None or self._settings.max_cost_usd is None:
            return 0.0
        return most_prompt_tokens * price.prompt_usd + (call.max_tokens or 0) * price.completion_usd

    def _is_last(self, attempt: int, error: JudgeError) -> bool:
        if not error.retryable or attempt > self._settings.max_retries:
            return True
        return error.is_fatal and not self._successes and attempt >= _TRIES_BEFORE_ANY_SUCCESS

    async def _give_up(self, call: Call, key: str, tries: Tries, error: JudgeError) -> Reply:
        """Commit a failure as a reply with an error, and stop the run where every other call would fail too."""
        if error.is_fatal or error.retryable or error.status_code:  # else it is about this item alone
            self._count_failure(error)
        reply = tries.failure(key, error.message)
        await self._commit(call, reply)
        return reply

    def _count_failure(self, error: JudgeError) -> None:
        self._failures_in_a_row += 1
        # A run that goes on with what failed before may meet nothing but such calls: each is told as it is.
        if not self._successes and (error.is_fatal or (error.retryable and not self._has_found)):
            self._on_outage(JudgeError(f"{self._judge.model}: {error.message}", retryable=False, hint=error.hint))
        elif self._failures_in_a_row >= _FAILURES_IN_A_ROW:
            self._on_outage(
                StoppedEarly(
                    f"{self._failures_in_a_row} calls in a row failed, the last with: {error.message}",
                    hint=error.hint or "Run the same command again to go on when the provider is well.",
                )
            )

    async def _back_off(self, attempt: int, error: JudgeError) -> None:
        """Wait before the next try (full jitter, at least Retry-After), lending this item's place to another."""
        first = self._settings.first_delay_seconds
        longest = min(_LONGEST_DELAY_SECONDS, (_FIRST_DELAY_SECONDS if first is None else first) * 2 ** (attempt - 1))
        seconds = random.uniform(0, longest)
        seconds += _retry_after_seconds(error)
        self._limiter.wait_log.waits(seconds)
        self._places.release()
        try:
            await self._stop.sleep(seconds)
        finally:
            await self._places.acquire()


def _retry_after_seconds(error: JudgeError) -> float:
    """Return how long the provider wants to be left alone, within reason."""
    return min(error.retry_after_seconds or 0.0, _LONGEST_RETRY_AFTER_SECONDS)
