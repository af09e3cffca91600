from __future__ import annotations

import asyncio
import logging
import time

import pytest

from grader.judging import limits
from grader.judging.limits import Budget, BudgetSpent, Limiter


async def most_at_once(limiter: Limiter, calls: int = 30) -> int:
    """Return how many of so many calls are ever in flight together."""
    in_flight = most = 0

    async def one() -> None:
        nonlocal in_flight, most
        async with limiter.slot():
            in_flight += 1
            most = max(most, in_flight)
            await asyncio.sleep(0)
            in_flight -= 1

    await asyncio.gather(*(one() for _ in range(calls)))
    return most


def test_slots_are_never_exceeded_and_all_are_used() -> None:
    async def run() -> None:
        assert await most_at_once(Limiter(3)) == 3
        assert await most_at_once(Limiter(1)) == 1

    asyncio.run(run())


def test_a_refusal_lowers_the_limit_and_successes_raise_it_again_up_to_where_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "_PAUSE_SECONDS", 0.0)

    async def run() -> None:
        limiter = Limiter(10)
        limiter.refused(None)
        assert await most_at_once(limiter) == 7
        for _ in range(7):
            limiter.succeeded()
        assert await most_at_once(limiter) == 7  # a little less than one more after as many successes as slots
        limiter.succeeded()
        assert await most_at_once(limiter) == 8
        for _ in range(100):
            limiter.succeeded()
        assert await most_at_once(limiter) == 10

    asyncio.run(run())


def test_refusals_that_come_together_are_one_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_PAUSE_SECONDS", 0.0)

    async def run() -> None:
        limiter = Limiter(10)
        for _ in range(10):
            limiter.refused(None)
        assert await most_at_once(limiter) == 7

    asyncio.run(run())


def test_however_often_refused_one_call_at_a_time_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_DECREASE_EVERY_SECONDS", 0.0)

    async def run() -> None:
        limiter = Limiter(10)
        for _ in range(50):
            limiter.refused(None)
        assert await most_at_once(limiter) == 1

    asyncio.run(run())


def test_a_retry_after_holds_back_every_call() -> None:
    async def run() -> float:
        limiter = Limiter(10)
        limiter.refused(0.15)
        started = time.monotonic()
        await most_at_once(limiter, 5)
        return time.monotonic() - started

    assert 0.15 <= asyncio.run(run()) < 1


def test_a_retry_after_that_comes_while_a_call_waits_its_turn_holds_it_back_too() -> None:
    async def run() -> float:
        limiter = Limiter(10)
        limiter.refused(0.05)
        started = time.monotonic()
        waiting = asyncio.create_task(most_at_once(limiter, 1))
        await asyncio.sleep(0)
        limiter.refused(0.15)
        await waiting
        return time.monotonic() - started

    assert asyncio.run(run()) >= 0.15


def test_a_long_wait_is_told_once_however_often_it_is_looked_at(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(limits, "_LOOK_AGAIN_SECONDS", 0.001)
    caplog.set_level(logging.INFO, "grader.calls")

    async def run() -> None:
        limiter = Limiter(2)
        limiter.refused(500)
        waiting = [asyncio.create_task(most_at_once(limiter, 1)) for _ in range(2)]
        await asyncio.sleep(0.05)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    asyncio.run(run())
    (record,) = caplog.records
    assert (record.levelname, record.getMessage().split(":")[0]) == ("INFO", "waiting 500 s")


@pytest.mark.parametrize(("pace", "tokens"), [({"rpm": 1200}, 0), ({"tpm": 12_000}, 10)])
def test_starts_are_paced_evenly(pace: dict[str, float], tokens: int) -> None:
    async def run() -> list[float]:
        limiter = Limiter(10, rpm=pace.get("rpm"), tpm=pace.get("tpm"))
        starts: list[float] = []

        async def one() -> None:
            async with limiter.slot(0, tokens):
                starts.append(time.monotonic())

        await asyncio.gather(*(one() for _ in range(5)))
        return starts

    starts = asyncio.run(run())
    assert all(start - starts[0] >= number * 0.05 - 0.01 for number, start in enumerate(starts))


def test_a_refusal_that_names_no_time_is_followed_by_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_PAUSE_SECONDS", 0.15)

    async def run() -> float:
        limiter = Limiter(10)
        limiter.refused(None)
        started = time.monotonic()
        await most_at_once(limiter, 1)
        return time.monotonic() - started

    assert 0.15 <= asyncio.run(run()) < 1


def test_before_the_first_answer_not_all_begin_and_a_slow_one_does_not_keep_them() -> None:
    async def run() -> tuple[int, int, int, int]:
        limiter, begun, may_end = Limiter(200, first_seconds=0.05), 0, asyncio.Event()

        async def one() -> None:
            nonlocal begun
            async with limiter.slot():
                begun += 1
                await may_end.wait()

        tasks = [asyncio.create_task(one()) for _ in range(300)]
        await asyncio.sleep(0)
        at_once = begun
        await asyncio.sleep(0.3)
        first = begun
        await asyncio.sleep(1.0)
        later = begun
        may_end.set()
        await asyncio.gather(*tasks)
        return at_once, first, later, await most_at_once(limiter, 300)

    assert asyncio.run(run()) == (4, 50, 100, 200)


def test_a_call_that_fails_gives_its_slot_back() -> None:
    async def run() -> None:
        limiter = Limiter(1)
        with pytest.raises(ValueError):
            async with limiter.slot():
                raise ValueError
        assert await asyncio.wait_for(most_at_once(limiter), 5) == 1

    asyncio.run(run())


@pytest.mark.parametrize("is_its_turn", [False, True])
def test_whoever_gives_up_waiting_takes_no_slot_along(is_its_turn: bool) -> None:
    async def run() -> None:
        limiter = Limiter(1)
        async with limiter.slot():
            waiting = asyncio.create_task(most_at_once(limiter, 1))
            for _ in range(3):
                await asyncio.sleep(0)
            if not is_its_turn:
                waiting.cancel()
        waiting.cancel()  # it has been given the slot and does not know yet
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert await asyncio.wait_for(most_at_once(limiter), 5) == 1

    asyncio.run(run())


def test_reservations_and_costs_never_exceed_the_budget_with_many_in_flight() -> None:
    async def run() -> tuple[float, int]:
        budget, spent, reserved, refused = Budget(1.0), 0.0, 0.0, 0

        async def one(number: int) -> None:
            nonlocal spent, reserved, refused
            try:
                await budget.reserve(0.1)
            except BudgetSpent:
                refused += 1
                return
            reserved += 0.1
            assert spent + reserved <= 1.0 + 1e-9
            await asyncio.sleep(0.001 * (number % 3))
            cost = 0.03 + 0.07 * (number % 2)
            budget.settle(0.1, cost)
            reserved, spent = reserved - 0.1, spent + cost

        await asyncio.gather(*(one(number) for number in range(60)))
        return spent, refused

    spent, refused = asyncio.run(run())
    assert 0.9 < spent <= 1.0
    assert refused > 0


def test_a_spent_budget_says_what_was_spent_and_how_to_go_on() -> None:
    async def run() -> None:
        budget = Budget(0.5)
        await budget.reserve(0.4)
        budget.settle(0.4, 0.3)
        with pytest.raises(BudgetSpent, match=r"\$0\.3000 of --max-cost \$0\.5 is spent") as caught:
            await budget.reserve(0.21)
        assert "--max-cost" in (caught.value.hint or "")
        await budget.reserve(0.2)

    asyncio.run(run())


def test_without_a_cap_there_is_no_budget() -> None:
    async def run() -> None:
        for _ in range(10):
            await Budget(None).reserve(1e9)

    asyncio.run(run())
