"""What a run may use, counted on the server: calls at once, pace, tokens and money, by either transport."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from provider import Provider, RateLimit, Request, Scripted
from scripted_judge import Watcher

from grader.errors import JudgeError
from grader.judging.calls import Caller, CallSettings
from grader.judging.direct_judge import DirectJudge
from grader.judging.judge import Call, Judge
from grader.judging.limits import BudgetSpent
from grader.judging.litellm_judge import LiteLLMJudge
from grader.judging.prices import Price
from grader.judging.stopping import Stop
from grader.records import Item, JudgeSettings, Prompt, Reply, StoredCall

BOTH = pytest.mark.parametrize("make", [DirectJudge, LiteLLMJudge])
MakeJudge = Callable[[JudgeSettings], Judge]


class _Store:
    """Finds nothing and keeps everything."""

    def __init__(self) -> None:
        self.calls: list[StoredCall] = []

    def find_reply(self, key: str) -> Reply | None:
        return None

    def write(self, rows: Any) -> None:
        self.calls.extend(rows)


class Served:
    """What came of many calls made at once."""

    def __init__(self, make: MakeJudge, provider: Provider, calls: int, **settings: Any) -> None:
        self.store = _Store()
        self.refused_by_budget = 0
        self.seconds = 0.0
        timeout_seconds = settings.pop("timeout_seconds", 20.0)
        judge_settings = JudgeSettings(
            model="openai/gpt-4o", api_base=provider.base_url, timeout_seconds=timeout_seconds
        )
        asyncio.run(self._run(make, judge_settings, calls, CallSettings(**settings)))

    async def _run(self, make: MakeJudge, judge_settings: JudgeSettings, calls: int, settings: CallSettings) -> None:
        judge = make(judge_settings)
        self._places = asyncio.Semaphore(calls)
        caller = Caller(
            judge=judge,
            store=self.store,
            settings=settings,
            stop=Stop(),
            places=self._places,
            observer=Watcher(),
        )
        started = time.monotonic()
        await asyncio.gather(*(self._one(caller, number) for number in range(calls)))
        self.seconds = time.monotonic() - started
        await caller.commits.close()
        await judge.close()

    async def _one(self, caller: Caller, number: int) -> None:
        await self._places.acquire()
        item = Item(id=str(number), system="s", answer="a")
        prompt = Prompt(item=item, messages=({"role": "user", "content": f"Q{number} " + "x" * 400},))
        try:
            await caller.reply(Call(prompt=prompt, max_tokens=100))
        except BudgetSpent:
            self.refused_by_budget += 1

    def totals(self) -> tuple[int, int, float]:
        """Return the prompt tokens, the completion tokens and the cost of all calls that were stored."""
        usages = [call.reply.usage for call in self.store.calls if call.reply.usage is not None]
        return (
            sum(usage.prompt_tokens for usage in usages),
            sum(usage.completion_tokens for usage in usages),
            sum(call.reply.cost_usd or 0.0 for call in self.store.calls),
        )


def most_within(history: list[Request], seconds: float) -> int:
    """Return the most requests that the server saw within any window of so many seconds."""
    times = sorted(request.at for request in history)
    first, most = 0, 0
    for last, at in enumerate(times):
        while times[first] <= at - seconds:
            first += 1
        most = max(most, last - first + 1)
    return most


@pytest.mark.no_cover
@BOTH
def test_256_at_once_are_256_in_flight(provider: Provider, make: MakeJudge) -> None:
    def hold(_: Request) -> Scripted:
        """Answer the first, after which all may come, and the others when 256 wait, and one more could have come."""
        is_first = len(provider.history) == 1
        return Scripted(seconds=0.3 * (not is_first), is_held=lambda: not is_first and provider.most_in_flight < 256)

    provider.script = hold
    Served(make, provider, 300, concurrency=256)
    assert provider.most_in_flight == 256


@BOTH
@pytest.mark.parametrize("is_bucket", [False, True])
def test_a_server_that_tells_its_limits_hardly_ever_has_to_refuse(
    provider: Provider, make: MakeJudge, is_bucket: bool
) -> None:
    calls, per_second = 200, 100
    provider.rate_limit = limit = RateLimit(per_second, is_bucket=is_bucket)
    provider.script = lambda _: Scripted(seconds=0.1)
    served = Served(make, provider, calls, concurrency=200)
    assert all(call.reply.error is None for call in served.store.calls)
    assert limit.refused <= 0.05 * calls
    assert served.seconds <= 1.1 * calls / per_second + 0.3


def test_one_that_tells_nothing_is_left_alone_after_a_refusal(provider: Provider) -> None:
    provider.rate_limit = limit = RateLimit(100, is_silent=True)
    provider.script = lambda _: Scripted(seconds=0.1)
    served = Served(DirectJudge, provider, 200, concurrency=100)
    assert all(call.reply.error is None for call in served.store.calls)
    assert limit.refused <= 200


@BOTH
def test_rpm_is_kept_within_five_per_cent(provider: Provider, make: MakeJudge) -> None:
    per_second = 60  # and windows of two seconds: a machine that is busy with more than this sends late
    served = Served(make, provider, 144, concurrency=50, rpm=60 * per_second)
    assert most_within(provider.history, 2.0) <= 1.05 * per_second * 2
    assert served.seconds <= 1.05 * 144 / per_second + 0.2


@BOTH
def test_tpm_is_kept_within_five_per_cent_by_what_the_server_counted(provider: Provider, make: MakeJudge) -> None:
    per_second = 60  # calls of 150 tokens each
    numbers = count()
    provider.script = lambda _: Scripted(
        seconds=0.05, prompt_tokens=120, completion_tokens=10 + 20 * (next(numbers) % 3)
    )
    served = Served(make, provider, 144, concurrency=50, tpm=60 * per_second * 150)
    assert sum(served.totals()[:2]) == 144 * 150
    assert most_within(provider.history, 2.0) * 150 <= 1.05 * per_second * 150 * 2
    assert served.seconds <= 1.05 * 144 / per_second + 0.3


@pytest.mark.no_cover
@BOTH
def test_max_cost_is_never_exceeded_with_256_in_flight(provider: Provider, make: MakeJudge) -> None:
    price = Price(prompt_usd=1e-5, completion_usd=1e-4)
    provider.script = lambda _: Scripted(seconds=0.05, prompt_tokens=400, completion_tokens=100)
    most_usd = 300 * (400 * 1e-5 + 100 * 1e-4)
    served = Served(make, provider, 500, concurrency=256, max_cost_usd=most_usd, price=price)
    served_usd = len(provider.history) * (400 * price.prompt_usd + 100 * price.completion_usd)
    assert 0.9 * most_usd <= served_usd <= most_usd
    assert served.refused_by_budget == 500 - len(provider.history)


@BOTH
def test_a_call_that_is_cut_off_counts_as_the_most_it_may_have_cost(provider: Provider, make: MakeJudge) -> None:
    price = Price(prompt_usd=1e-5, completion_usd=1e-4)
    served_calls: list[Request] = []

    def stall(request: Request) -> Scripted:
        served_calls.append(request)
        return Scripted(seconds=0.6, prompt_tokens=400, completion_tokens=100)

    provider.script = stall
    Served(make, provider, 8, concurrency=4, max_cost_usd=0.07, price=price, timeout_seconds=0.3, max_retries=2)
    assert served_calls
    assert len(served_calls) * (400 * price.prompt_usd + 100 * price.completion_usd) <= 0.07


@BOTH
def test_tokens_and_cost_add_up_to_what_was_served(provider: Provider, make: MakeJudge) -> None:
    price = Price(prompt_usd=1e-5, completion_usd=1e-4)
    numbers, served_tokens = count(), [0, 0]

    def mixed(_: Request) -> Scripted:
        number = next(numbers)
        if number % 5 == 1:
            return Scripted(status=503)
        served_tokens[0] += 100 + number
        served_tokens[1] += number
        text = None if number % 7 == 0 else "<score>50</score>"
        return Scripted(text=text, prompt_tokens=100 + number, completion_tokens=number)

    provider.script = mixed
    served = Served(make, provider, 120, concurrency=60, price=price)
    prompt_tokens, completion_tokens, cost_usd = served.totals()
    assert [prompt_tokens, completion_tokens] == served_tokens
    assert cost_usd == pytest.approx(prompt_tokens * 1e-5 + completion_tokens * 1e-4)
    assert sum(call.reply.attempts for call in served.store.calls) == len(provider.history)


def test_a_judge_that_is_refused_before_any_call_calls_nobody(provider: Provider) -> None:
    with pytest.raises(JudgeError):
        DirectJudge(JudgeSettings(model="anthropic/claude", api_base=provider.base_url))
    assert not provider.history
