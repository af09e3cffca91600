from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from grader.judging.rate_limits import Quota, RateLimits, read_rate_limits

OPENAI = {
    "x-ratelimit-limit-requests": "10000",
    "x-ratelimit-remaining-requests": "9999",
    "x-ratelimit-reset-requests": "6ms",
    "x-ratelimit-limit-tokens": "2000000",
    "x-ratelimit-remaining-tokens": "1999000",
    "x-ratelimit-reset-tokens": "1m2.5s",
}


def test_openais_headers_in_any_case() -> None:
    expected = RateLimits(
        requests=Quota(limit=10000, remaining=9999, reset_seconds=0.006),
        tokens=Quota(limit=2e6, remaining=1999000, reset_seconds=62.5),
    )
    assert read_rate_limits(OPENAI) == expected
    assert read_rate_limits({name.title(): value for name, value in OPENAI.items()}) == expected


def test_anthropics_headers() -> None:
    reset = (datetime.now(UTC) + timedelta(seconds=30)).strftime("%Y-%m-%dT%H:%M:%SZ")
    limits = read_rate_limits(
        {
            "anthropic-ratelimit-requests-limit": "50",
            "anthropic-ratelimit-requests-remaining": "49",
            "anthropic-ratelimit-requests-reset": reset,
            "anthropic-ratelimit-tokens-limit": "40000",
            "anthropic-ratelimit-tokens-remaining": "39000",
            "anthropic-ratelimit-tokens-reset": reset,
        }
    )
    assert limits is not None and limits.requests is not None and limits.tokens is not None
    assert (limits.requests.limit, limits.requests.remaining, limits.tokens.limit) == (50, 49, 40000)
    assert limits.requests.reset_seconds == pytest.approx(30, abs=2)


@pytest.mark.parametrize("scale", [1, 1000])
def test_a_reset_may_be_a_time_of_day(scale: int) -> None:
    limits = read_rate_limits(
        {
            "X-RateLimit-Limit": "20",
            "X-RateLimit-Remaining": "5",
            "X-RateLimit-Reset": str(int((time.time() + 40) * scale)),
        }
    )
    assert limits is not None and limits.requests is not None
    assert limits.requests.reset_seconds == pytest.approx(40, abs=2)


@pytest.mark.parametrize(
    "headers",
    [
        {
            "ratelimit-limit": "100, 100;w=60",
            "ratelimit-remaining": "50",
            "ratelimit-reset": "20",
        },
        {
            "ratelimit-limit": "100",
            "ratelimit-remaining": "50",
            "ratelimit-reset": "20",
            "ratelimit-policy": "10;w=1, 100;w=60",
        },
        {"ratelimit": "limit=100, remaining=50, reset=20", "ratelimit-policy": "100;w=60"},
        {"ratelimit": '"default";r=50;t=20', "ratelimit-policy": '"default";q=100;w=60'},
    ],
)
def test_the_drafts_of_a_standard(headers: dict[str, str]) -> None:
    limits = read_rate_limits(headers)
    assert limits is not None and limits.requests is not None
    assert (limits.requests.limit, limits.requests.remaining, limits.requests.reset_seconds) == (100, 50, 20)
    assert limits.requests.window_seconds in (60, None)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"content-type": "application/json"},
        {"x-ratelimit-limit-requests": "100"},
        {**OPENAI, "x-ratelimit-limit-requests": "0", "x-ratelimit-limit-tokens": "0"},
        dict.fromkeys(OPENAI, "soon"),
        {"ratelimit": "none"},
        {"ratelimit": "limit=0, remaining=0, reset=1"},
    ],
)
def test_what_cannot_be_read_says_nothing(headers: dict[str, str]) -> None:
    assert read_rate_limits(headers) is None
