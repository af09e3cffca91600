"""Pace, allowance and estimate by themselves; `test_pacing_served` counts on a server."""

from __future__ import annotations

import pytest

from grader.judging.pacing import Allowance, Pace, TokenEstimate
from grader.judging.rate_limits import Quota
from grader.records import Usage


def starts(pace: Pace | Allowance, until: float, *, amount: float = 1, now: float = 100.0) -> list[float]:
    """Return when calls start that wait for nothing but the pace."""
    found, end = [], now + until
    while now < end:
        wait = pace.wait_seconds(now)
        if wait > 0:
            now += wait
            continue
        pace.book(amount, now)
        found.append(now)
        if len(found) > 5000:
            break
    return found


def test_a_pace_is_kept_over_every_window() -> None:
    found = starts(Pace(600), 20)
    assert len(found) == pytest.approx(200, abs=2)
    assert max(sum(start <= each < start + 1 for each in found) for start in found) <= 11


def test_a_correction_brings_the_next_start_nearer_or_puts_it_off() -> None:
    pace = Pace(600)
    pace.book(10, 100.0)
    assert pace.wait_seconds(100.0) == pytest.approx(1.0)
    pace.correct(-5)
    assert pace.wait_seconds(100.0) == pytest.approx(0.5)
    pace.correct(20)
    assert pace.wait_seconds(100.0) == pytest.approx(2.5)


def test_before_a_provider_says_anything_nobody_waits() -> None:
    assert len(starts(Allowance(), 1)) > 5000


def test_while_there_is_plenty_nobody_waits() -> None:
    allowance = Allowance()
    allowance.told(Quota(limit=100, remaining=90, reset_seconds=60), begun_before=0, started=100.0)
    assert len([each for each in starts(allowance, 10) if each == 100.0]) >= 40


def test_what_is_left_is_spread_over_the_time_until_there_is_more() -> None:
    allowance = Allowance()
    allowance.told(Quota(limit=100, remaining=30, reset_seconds=40), begun_before=0, started=100.0)
    assert len(starts(allowance, 40)) == pytest.approx(30, abs=2)


@pytest.mark.parametrize("amount", [1, 5000])
def test_no_header_holds_calls_for_longer_than_ten_minutes(amount: float) -> None:
    allowance = Allowance()
    allowance.told(Quota(limit=100, remaining=0, reset_seconds=9999 * 3600), begun_before=0, started=100.0)
    assert starts(allowance, 1900, amount=amount) == [100.0, 700.0, 1300.0, 1900.0]


def test_after_that_calls_go_on_at_the_average() -> None:
    allowance = Allowance()
    allowance.told(Quota(limit=60, remaining=1, reset_seconds=58), begun_before=0, started=100.0)
    found = starts(allowance, 180)
    assert sum(160 <= each < 220 for each in found) == pytest.approx(60, abs=4)


def test_where_nothing_is_left_a_call_now_and_then_finds_out() -> None:
    allowance = Allowance()
    allowance.told(Quota(limit=600, remaining=0, reset_seconds=60), begun_before=0, started=100.0)
    assert len(starts(allowance, 10)) == pytest.approx(10, abs=2)


def test_calls_begun_after_the_one_that_was_answered_are_counted_too() -> None:
    allowance = Allowance()
    for _ in range(40):
        allowance.book(1, 100.0)
    allowance.told(Quota(limit=100, remaining=60, reset_seconds=10), begun_before=1, started=100.0)
    assert len(starts(allowance, 10)) == pytest.approx(21, abs=2)


def test_an_older_call_that_is_answered_late_changes_nothing() -> None:
    allowance = Allowance()
    allowance.told(Quota(limit=100, remaining=10, reset_seconds=10), begun_before=0, started=100.0)
    allowance.told(Quota(limit=100, remaining=99, reset_seconds=10), begun_before=0, started=99.0)
    assert len(starts(allowance, 9)) < 20


def test_a_bucket_that_is_nearly_full_tells_how_fast_it_fills() -> None:
    allowance = Allowance()
    for _ in range(50):
        allowance.book(1, 100.0)
    allowance.told(Quota(limit=100, remaining=99, reset_seconds=0.01), begun_before=1, started=100.0)
    assert len(starts(allowance, 1, now=100.1)) <= 105


def test_an_estimate_is_the_most_until_a_reply_was_seen_and_then_learns() -> None:
    estimate = TokenEstimate()
    assert estimate.tokens(400, 1000) == 1100
    for _ in range(3):
        estimate.learn(400, Usage(prompt_tokens=200, completion_tokens=50))
    assert estimate.tokens(400, 1000) == pytest.approx(250)
    assert estimate.tokens(800, None) == pytest.approx(450)
