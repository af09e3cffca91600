from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from grader.errors import JudgeError
from grader.judging.failures import Target, beginning, call_failure, readable, retry_after_seconds

TARGET = Target(model="openai/gpt-4o", api_base=None, key_names="OPENAI_API_KEY")


def failed(status: int | None, text: str = "no", *, is_unreachable: bool = False) -> JudgeError:
    return call_failure(text, TARGET, status=status, is_unreachable=is_unreachable)


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529, None, 200])
def test_what_may_pass_is_tried_again(status: int | None) -> None:
    """A status of success came with a body that could not be read; none at all with a connection that broke."""
    assert failed(status).retryable
    assert not failed(status).is_fatal


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 405, 413, 422, 301, 307])
def test_what_will_not_pass_is_not(status: int) -> None:
    assert not failed(status).retryable


@pytest.mark.parametrize(
    ("status", "says"),
    [(401, "OPENAI_API_KEY"), (403, "OPENAI_API_KEY"), (404, "“openai/gpt-4o”"), (307, "--api-base")],
)
def test_what_every_call_would_meet_stops_the_run_with_what_to_do(status: int, says: str) -> None:
    assert failed(status).is_fatal
    assert says in (failed(status).hint or "")


@pytest.mark.parametrize("status", [400, 422])
def test_what_may_be_about_one_item_does_not_stop_the_run(status: int) -> None:
    assert not failed(status).is_fatal


def test_nobody_there_is_fatal_and_may_pass() -> None:
    error = failed(None, is_unreachable=True)
    assert error.is_fatal and error.retryable
    assert "--api-base" in (error.hint or "")


def test_a_quota_that_is_used_up_is_no_haste() -> None:
    error = failed(429, '{"error": {"message": "pay", "code": "insufficient_quota"}}')
    assert error.is_fatal and not error.retryable


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"Retry-After": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "soon"}, None),
        ({}, None),
        (None, None),
    ],
)
def test_how_long_a_provider_wants_to_be_left_alone(headers: dict[str, str] | None, seconds: float | None) -> None:
    assert retry_after_seconds(headers) == seconds


def test_that_may_be_a_date() -> None:
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    assert 85 <= (retry_after_seconds({"retry-after": then}) or 0) <= 90
    past = format_datetime(datetime.now(UTC) - timedelta(days=1), usegmt=True)
    assert retry_after_seconds({"retry-after": past}) == 0


def test_a_provider_is_quoted_in_its_own_words_and_not_at_length() -> None:
    assert readable('Oops: {"error": {"message": "no such model", "code": 1}} (id 7)') == "Oops: no such model"
    assert readable('{"error": "as it is"}') == '{"error": "as it is"}'
    assert len(readable("x" * 5000)) == 600


@pytest.mark.parametrize("text", ["", "short", "x" * 10_000])
def test_of_most_answers_all_is_searched(text: str) -> None:
    assert beginning(text) == text


@pytest.mark.parametrize("space", [" ", "\n"])
def test_a_long_one_is_cut_between_words_for_half_a_key_looks_like_none(
    monkeypatch: pytest.MonkeyPatch, space: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary-key-0123456789")
    text = space * 9_990 + "canary-key-0123456789 " + "x" * 5_000_000
    assert beginning(text) == space * 9_989
    assert failed(500, text).message == "HTTP 500"
    assert "canary" not in failed(500, "x " + text).message


def test_megabytes_without_a_space_are_cut_too() -> None:
    assert len(beginning("x" * 5_000_000)) == 10_000
    assert len(failed(500, "x" * 5_000_000).message) == 600
