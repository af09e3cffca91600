from __future__ import annotations

import pytest
from scripted_judge import broken, busy

from grader.errors import JudgeError
from grader.judging.prices import Price
from grader.judging.tries import Tries
from grader.records import Reply, Usage

PRICE = Price(prompt_usd=0.001, completion_usd=0.01)
TOLD = JudgeError("x", retryable=True, status_code=500, usage=Usage(prompt_tokens=100, completion_tokens=5))


def lost(*errors: JudgeError, price: Price | None = PRICE) -> Tries:
    tries = Tries()
    for error in errors:
        tries.count += 1
        tries.lose(error, 1.0, price)
    return tries


@pytest.mark.parametrize(
    ("error", "usd"), [(busy(None), 1.0), (busy(408), 1.0), (busy(200), 1.0), (busy(503), 0.0), (broken(400), 0.0)]
)
def test_a_try_that_may_have_been_served_costs_the_most_it_may(error: JudgeError, usd: float) -> None:
    assert lost(error).lost_usd == usd


def test_one_that_says_what_it_used_costs_just_that() -> None:
    tries = lost(TOLD, TOLD)
    assert tries.lost_usd == pytest.approx(2 * 0.15)
    assert tries.lost_usage == Usage(prompt_tokens=200, completion_tokens=10)
    assert lost(TOLD, price=None).lost_usd == 0.0


def test_a_reply_has_what_its_tries_took_too() -> None:
    tries = lost(TOLD)
    tries.count += 1
    summed = tries.summed(Reply(text="a", usage=Usage(prompt_tokens=1, completion_tokens=2), cost_usd=0.5))
    assert summed.attempts == 2
    assert summed.cost_usd == pytest.approx(0.65)
    assert summed.usage == Usage(prompt_tokens=101, completion_tokens=7)


def test_a_reply_of_unknown_cost_stays_that_and_a_failure_costs_what_is_known() -> None:
    tries = lost(TOLD)
    assert tries.summed(Reply(text="a")).cost_usd is None
    failure = tries.failure("key", "broken")
    assert (failure.key, failure.error, failure.attempts) == ("key", "broken", 1)
    assert failure.cost_usd == pytest.approx(0.15)
    assert lost(busy(503)).failure("key", "busy").cost_usd is None
