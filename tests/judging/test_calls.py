from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from scripted_judge import MemoryStore, Script, ScriptedJudge, Watcher, broken, busy, call

from grader.errors import JudgeError, RunError
from grader.judging import calls
from grader.judging.calls import Caller, CallSettings
from grader.judging.judge import Call, call_key
from grader.judging.limits import BudgetSpent
from grader.judging.prices import Price
from grader.judging.stopping import Stop, Stopped, StoppedEarly
from grader.records import Reply, StoredCall, Usage

GOOD = Reply(text="<score>50</score>", finish_reason="stop", usage=Usage(prompt_tokens=10, completion_tokens=5))


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "_FIRST_DELAY_SECONDS", 0.001)
    monkeypatch.setattr(calls, "_LONGEST_DELAY_SECONDS", 0.002)


class Bench:
    """A caller with everything around it."""

    def __init__(
        self, script: Script = lambda *_: GOOD, *, seconds: float = 0.0, store: MemoryStore | None = None
    ) -> None:
        self.judge = ScriptedJudge(script, seconds=seconds)
        self.store = store or MemoryStore()
        self.observer = Watcher()
        self.stop = Stop()
        self.places = asyncio.Semaphore(1)

    def run(self, work: Callable[[Caller], Awaitable[Any]], **settings: Any) -> Any:
        async def run() -> Any:
            caller = Caller(
                judge=self.judge,
                store=self.store,
                settings=CallSettings(**settings),
                stop=self.stop,
                places=self.places,
                observer=self.observer,
            )
            await self.places.acquire()
            try:
                return await work(caller)
            finally:
                await caller.commits.close()

        return asyncio.run(run())

    def reply(self, **settings: Any) -> Reply:
        reply: Reply = self.run(lambda caller: caller.reply(call()), **settings)
        return reply

    def replies(self, made: list[Call], **settings: Any) -> list[Reply]:
        async def one_after_the_other(caller: Caller) -> list[Reply]:
            return [await caller.reply(each) for each in made]

        replies: list[Reply] = self.run(one_after_the_other, **settings)
        return replies


def test_a_reply_is_committed_with_whose_it_is_and_told() -> None:
    bench = Bench()
    reply = bench.reply()
    assert reply.key == call_key(bench.judge, call())
    assert bench.store.calls == [
        StoredCall(reply=reply, model="scripted", system="s", item_id="1", sample=1, ask=1, is_finished=True)
    ]
    assert bench.observer.replies == [reply]


def test_a_finished_call_is_never_made_again() -> None:
    bench = Bench()
    first, second = bench.replies([call(), call()])
    assert first == second
    assert len(bench.judge.history) == len(bench.observer.replies) == 1


@pytest.mark.parametrize("made", [call(2), call(sample=2), call(max_tokens=200)])
def test_any_other_call_is_another(made: Call) -> None:
    bench = Bench()
    bench.replies([call(), made])
    assert len(bench.judge.history) == 2


@pytest.mark.parametrize(
    "reply",
    [
        Reply(text=""),
        Reply(text=" \n"),
        Reply(text="\u200b"),
        Reply(text="half a", finish_reason="content_filter"),
        Reply(text="half a", finish_reason="SAFETY"),
    ],
)
def test_empty_and_filtered_replies_are_not_finished(reply: Reply) -> None:
    bench = Bench(lambda *_: reply)
    bench.replies([call(), call()])
    assert len(bench.judge.history) == 2
    assert not any(each.is_finished for each in bench.store.calls)


def test_errors_are_not_finished() -> None:
    bench = Bench(lambda *_: broken())
    bench.replies([call(), call()])
    assert len(bench.judge.history) == 2
    assert [each.reply.error for each in bench.store.calls] == ["scripted 400"] * 2


def test_two_same_calls_at_once_are_made_once() -> None:
    bench = Bench(seconds=0.01)

    async def at_once(caller: Caller) -> list[Reply]:
        return await asyncio.gather(*(caller.reply(call()) for _ in range(5)))

    replies = bench.run(at_once)
    assert len(bench.judge.history) == 1
    assert replies == [replies[0]] * 5


def test_whoever_stops_waiting_for_a_shared_call_does_not_take_it_from_the_others() -> None:
    bench = Bench(seconds=0.01)

    async def at_once(caller: Caller) -> Reply:
        first, second = (asyncio.create_task(caller.reply(call())) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        return await second

    assert bench.run(at_once).text == GOOD.text


def test_no_more_calls_are_in_flight_than_there_are_slots_and_each_slot_is_held_until_the_commit() -> None:
    bench = Bench(seconds=0.002)
    uncommitted: list[int] = []
    write = bench.store.write

    def watched(rows: Any) -> None:
        uncommitted.append(len(bench.judge.history) - len(bench.store.calls))
        write(rows)

    bench.store.write = watched  # type: ignore[method-assign]

    async def many(caller: Caller) -> None:
        await asyncio.gather(*(caller.reply(call(number)) for number in range(20)))

    bench.run(many, concurrency=3)
    assert bench.judge.most_in_flight == 3
    assert max(uncommitted) <= 3


# Failures


@pytest.mark.parametrize(("first_seconds", "most"), [(None, 4), (0.02, 8)])
def test_a_judge_may_say_how_long_the_others_wait_for_a_first_answer(first_seconds: float | None, most: int) -> None:
    bench = Bench(seconds=0.3)
    if first_seconds is not None:
        bench.judge.first_seconds = first_seconds  # type: ignore[attr-defined]
    begun: list[int] = []

    async def all_at_once(caller: Caller) -> None:
        working = asyncio.gather(*(caller.reply(call(number)) for number in range(8)))
        await asyncio.sleep(0.2)
        begun.append(bench.judge.in_flight)
        await working

    bench.run(all_at_once, concurrency=8)
    assert begun == [most]


def test_passing_failures_are_retried_and_counted() -> None:
    bench = Bench(lambda _, times: GOOD if times == 3 else busy())
    reply = bench.reply()
    assert (reply.text, reply.attempts, reply.error) == (GOOD.text, 3, None)
    assert len(bench.store.calls) == len(bench.observer.replies) == 1
    assert not bench.stop.is_set


def test_lasting_failures_are_not_retried() -> None:
    bench = Bench(lambda *_: broken())
    reply = bench.reply()
    assert (reply.error, reply.attempts) == ("scripted 400", 1)


@pytest.mark.parametrize("max_retries", [0, 1, 4])
def test_retries_come_to_an_end(max_retries: int) -> None:
    bench = Bench(lambda made, _: GOOD if made.prompt.item.id == "1" else busy())
    reply = bench.replies([call(1), call(2)], max_retries=max_retries)[1]
    assert (reply.error, reply.attempts) == ("scripted 503", max_retries + 1)
    assert len(bench.judge.history) == 1 + max_retries + 1


def test_a_failure_that_every_call_would_meet_stops_the_run_at_the_first_call() -> None:
    bench = Bench(lambda *_: broken(401, is_fatal=True))

    async def two(caller: Caller) -> None:
        await caller.reply(call(1))
        with pytest.raises(Stopped):
            await caller.reply(call(2))

    bench.run(two)
    assert len(bench.judge.history) == 1
    assert isinstance(bench.stop.error, JudgeError)
    assert "scripted: scripted 401" in str(bench.stop.error)
    assert bench.stop.error.hint == "Look here."


def test_a_host_that_was_never_reached_is_given_up_after_three_tries() -> None:
    bench = Bench(lambda *_: busy(None, is_fatal=True))
    bench.reply(max_retries=6)
    assert len(bench.judge.history) == 3
    assert bench.stop.is_set


def test_once_a_call_was_served_a_single_failure_does_not_stop_the_run() -> None:
    bench = Bench(lambda made, _: GOOD if made.prompt.item.id == "1" else broken(401, is_fatal=True))
    bench.replies([call(1), call(2), call(3)])
    assert not bench.stop.is_set


def test_a_run_that_goes_on_with_what_failed_before_is_not_stopped_by_it() -> None:
    script: Script = lambda made, _: GOOD if made.prompt.item.id == "1" else busy(500)  # noqa: E731
    first = Bench(script)
    first.replies([call(1), call(2)], max_retries=1)
    again = Bench(script, store=first.store)
    again.replies([call(1), call(2)], max_retries=1)
    assert again.judge.asked() == ["2", "2"]
    assert not again.stop.is_set


def test_a_wrong_key_stops_a_run_that_goes_on_too() -> None:
    first = Bench()
    first.replies([call(1)])
    again = Bench(lambda *_: broken(401, is_fatal=True), store=first.store)
    again.replies([call(1), call(2)])
    assert isinstance(again.stop.error, JudgeError)


def test_an_outage_stops_the_run_and_a_success_in_between_starts_the_count_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calls, "_FAILURES_IN_A_ROW", 3)
    served = {"1", "4"}
    bench = Bench(lambda made, _: GOOD if made.prompt.item.id in served else busy())

    async def all_of_them(caller: Caller) -> None:
        for number in range(1, 7):
            await caller.reply(call(number))
            assert not bench.stop.is_set
        await caller.reply(call(7))

    bench.run(all_of_them, max_retries=0)
    assert isinstance(bench.stop.error, StoppedEarly)
    assert "3 calls in a row failed" in str(bench.stop.error)


def test_failures_that_are_about_one_item_never_stop_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "_FAILURES_IN_A_ROW", 3)
    bench = Bench(lambda *_: broken(None))
    bench.replies([call(number) for number in range(10)])
    assert not bench.stop.is_set


def test_a_refusal_for_haste_slows_every_call_down() -> None:
    bench = Bench(lambda made, times: busy(429) if made.prompt.item.id == "0" and times == 1 else GOOD, seconds=0.003)

    async def many(caller: Caller) -> None:
        await caller.reply(call(0))
        bench.judge.most_in_flight = 0
        await asyncio.gather(*(caller.reply(call(number)) for number in range(1, 30)))

    bench.run(many, concurrency=10)
    assert 7 <= bench.judge.most_in_flight <= 9


def test_waits_are_random_within_a_bound_that_doubles_and_longer_by_what_the_provider_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calls, "_FIRST_DELAY_SECONDS", 0.5)
    monkeypatch.setattr(calls, "_LONGEST_DELAY_SECONDS", 60.0)
    bounds, waits = list[tuple[float, float]](), list[float]()

    def drawn(low: float, high: float) -> float:
        bounds.append((low, high))
        return high / 4

    async def slept(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(random, "uniform", drawn)
    asked = {"1": busy(503), "2": busy(503, retry_after=7)}
    bench = Bench(lambda made, _: asked.get(made.prompt.item.id, GOOD))
    monkeypatch.setattr(bench.stop, "sleep", slept)
    bench.replies([call(0), call(1), call(2)], max_retries=9)
    doubling = [0.5, 1, 2, 4, 8, 16, 32, 60, 60]
    assert bounds == [(0, high) for high in doubling * 2]
    assert waits == [*(high / 4 for high in doubling), *(high / 4 + 7 for high in doubling)]


def test_a_retry_after_of_a_day_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "_LONGEST_RETRY_AFTER_SECONDS", 0.05)
    bench = Bench(lambda _, times: GOOD if times == 2 else busy(429, retry_after=86_400))

    async def both(caller: Caller) -> None:
        await asyncio.wait_for(asyncio.gather(caller.reply(call(1)), caller.reply(call(2))), 5)

    bench.run(both)


def test_a_call_that_waits_long_before_its_next_try_is_told(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "grader.calls")
    bench = Bench(lambda *_: busy(503, retry_after=300))

    async def wait(caller: Caller) -> None:
        task = asyncio.create_task(caller.reply(call()))
        while not bench.places._value:
            await asyncio.sleep(0.001)
        bench.stop.interrupt()
        with pytest.raises(Stopped):
            await task

    bench.run(wait)
    assert [each.getMessage()[:13] for each in caplog.records if each.levelname == "INFO"] == ["waiting 300 s"]


def test_waiting_lends_the_items_place_to_another(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(lambda _, times: GOOD if times == 2 else busy(503, retry_after=0.05))

    async def wait(caller: Caller) -> None:
        task = asyncio.create_task(caller.reply(call()))
        await asyncio.wait_for(bench.places.acquire(), 5)
        assert not task.done()
        bench.places.release()
        await task
        assert bench.places.locked()

    bench.run(wait)


def test_waiting_ends_when_the_run_stops_and_takes_the_place_back() -> None:
    bench = Bench(lambda *_: busy(503, retry_after=60))

    async def wait(caller: Caller) -> None:
        task = asyncio.create_task(caller.reply(call()))
        while not bench.judge.history or not bench.places._value:
            await asyncio.sleep(0.001)
        bench.stop.interrupt()
        with pytest.raises(Stopped):
            await task
        assert bench.places.locked()

    bench.run(wait)


def test_a_stopping_run_makes_no_call_but_gives_what_it_has() -> None:
    bench = Bench()

    async def stopped(caller: Caller) -> None:
        await caller.reply(call(1))
        bench.stop.interrupt()
        assert (await caller.reply(call(1))).text == GOOD.text
        with pytest.raises(Stopped):
            await caller.reply(call(2))

    bench.run(stopped)
    assert len(bench.judge.history) == 1


def test_a_store_that_cannot_write_raises_what_it_says() -> None:
    bench = Bench()
    bench.store.failure = RunError("the disk is full")
    with pytest.raises(RunError, match="full"):
        bench.reply()
    assert bench.observer.replies == []


def test_a_reply_is_handed_on_as_the_store_will_give_it_back() -> None:
    bench = Bench(lambda *_: Reply(text="half a \ud83d"))
    assert bench.reply().text == bench.store.calls[0].reply.text == "half a ?"


@pytest.mark.parametrize("field", ["text", "refusal", "finish_reason"])
def test_no_text_of_a_reply_has_a_key(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary-key-0123456789")
    texts: dict[str, Any] = {field: "ended by canary-key-0123456789 \ud83d"}
    bench = Bench(lambda *_: replace(GOOD, **texts))
    bench.reply()
    assert getattr(bench.store.calls[0].reply, field) == "ended by [redacted] ?"


# Money


def test_the_price_makes_the_cost_unless_the_judge_knows_it() -> None:
    price = Price(prompt_usd=0.1, completion_usd=0.2)
    assert Bench().reply(price=price).cost_usd == pytest.approx(10 * 0.1 + 5 * 0.2)
    assert Bench(lambda *_: Reply(text="x", cost_usd=0.0)).reply(price=price).cost_usd == 0.0
    assert Bench(lambda *_: Reply(text="x")).reply(price=price).cost_usd is None
    assert Bench().reply().cost_usd is None


def test_with_all_calls_in_flight_the_budget_is_kept_and_then_the_run_is_told() -> None:
    bench = Bench(seconds=0.001)
    price = Price(prompt_usd=0.0, completion_usd=0.001)  # a call may cost 0.1 at most and does cost 0.005

    async def many(caller: Caller) -> list[Any]:
        return await asyncio.gather(*(caller.reply(call(number)) for number in range(200)), return_exceptions=True)

    results = bench.run(many, price=price, max_cost_usd=0.3, concurrency=50)
    assert any(isinstance(result, BudgetSpent) for result in results)
    spent = sum(each.reply.cost_usd or 0 for each in bench.store.calls)
    assert 0.15 <= spent <= 0.3
    assert bench.judge.most_in_flight <= 3


def test_a_failed_call_gives_its_reservation_back() -> None:
    bench = Bench(lambda _, times: GOOD if times == 4 else busy())
    price = Price(prompt_usd=0.0, completion_usd=0.001)
    assert bench.reply(price=price, max_cost_usd=0.1).error is None


def test_what_a_try_may_have_cost_is_kept_where_the_run_stops_before_the_next() -> None:
    bench = Bench(lambda *_: busy(None, retry_after=60))  # cut off: the provider may have served it

    async def wait(caller: Caller) -> None:
        task = asyncio.create_task(caller.reply(call()))
        while not bench.places._value:
            await asyncio.sleep(0.001)
        bench.stop.interrupt()
        with pytest.raises(Stopped):
            await task

    bench.run(wait, price=Price(prompt_usd=0.0, completion_usd=0.001), max_cost_usd=1)
    (stored,) = bench.store.calls
    assert stored.reply.cost_usd == pytest.approx(0.1)
    assert not stored.is_finished
    assert "stopped" in (stored.reply.error or "")


def test_what_tries_before_may_have_cost_counts_with_the_reply() -> None:
    bench = Bench(lambda _, times: GOOD if times == 3 else busy(None) if times == 1 else busy(503))
    price = Price(prompt_usd=0.0, completion_usd=0.001)
    reply = bench.reply(price=price, max_cost_usd=1)
    assert reply.cost_usd == pytest.approx(100 * 0.001 + 5 * 0.001)  # cut off, refused, served
    assert bench.store.calls[0].reply == reply


def test_under_a_cap_a_reply_that_does_not_say_what_it_used_costs_the_most_it_may() -> None:
    price = Price(prompt_usd=0.0, completion_usd=0.001)  # 0.1 a call at most
    bench = Bench(lambda *_: Reply(text="x"))

    async def until_spent(caller: Caller) -> None:
        for number in range(9):
            await caller.reply(call(number))

    with pytest.raises(BudgetSpent):
        bench.run(until_spent, price=price, max_cost_usd=0.35)
    assert [each.reply.cost_usd for each in bench.store.calls] == [pytest.approx(0.1)] * 3
    assert bench.store.calls[0].reply.usage is None


def test_a_judge_that_knows_its_cost_is_believed_under_a_cap() -> None:
    bench = Bench(lambda *_: Reply(text="x", cost_usd=0.0))
    price = Price(prompt_usd=0.0, completion_usd=0.001)
    assert [reply.cost_usd for reply in bench.replies([call(1), call(2)], price=price, max_cost_usd=0.1)] == [0, 0]


def test_a_failure_that_says_what_it_used_counts_by_that() -> None:
    told = JudgeError("x", retryable=True, status_code=500, usage=Usage(prompt_tokens=7, completion_tokens=2))
    bench = Bench(lambda made, times: GOOD if times == 3 or made.prompt.item.id == "0" else told)
    price = Price(prompt_usd=0.001, completion_usd=0.001)
    served, failed = bench.replies([call(0), call(1), call(2)], price=price, max_cost_usd=9, max_retries=2)[1:]
    assert served.usage == failed.usage == Usage(prompt_tokens=10 + 2 * 7, completion_tokens=5 + 2 * 2)
    assert served.cost_usd == pytest.approx(0.033)


def test_what_is_lost_is_kept_where_tries_run_out() -> None:
    told = JudgeError("x", retryable=True, status_code=500, usage=Usage(prompt_tokens=7, completion_tokens=2))
    bench = Bench(lambda made, _: GOOD if made.prompt.item.id == "0" else told)
    price = Price(prompt_usd=0.001, completion_usd=0.001)
    failed = bench.replies([call(0), call(1)], price=price, max_retries=1)[1]
    assert (failed.error, failed.attempts) == ("x", 2)
    assert failed.cost_usd == pytest.approx(0.018)
    assert bench.store.calls[-1].reply.usage == Usage(prompt_tokens=14, completion_tokens=4)


def test_tokens_of_replies_that_do_not_say_them_are_paced_by_the_guess() -> None:
    bench = Bench(lambda *_: Reply(text="x"))

    async def timed(caller: Caller) -> float:
        started = asyncio.get_running_loop().time()
        for number in range(5):
            await caller.reply(call(number))
        return asyncio.get_running_loop().time() - started

    assert bench.run(timed, tpm=100 * 60 * 20) > 0.18  # 100 tokens and a few each, 20 calls a second


def test_tokens_are_paced_by_what_calls_take() -> None:
    bench = Bench()

    async def timed(caller: Caller) -> float:
        started = asyncio.get_running_loop().time()
        for number in range(9):
            await caller.reply(call(number))
        return asyncio.get_running_loop().time() - started

    assert 0.36 <= bench.run(timed, tpm=15 * 60 * 20) < 1  # 15 tokens each, 20 calls a second; the first is a guess
