from __future__ import annotations

import json
from typing import Any

import pytest

from grader.judging.chat_completion import as_usage, error_status, parse_body, read_reply, read_usage, usage_in
from grader.records import Usage

STATED = {"prompt_tokens": 12, "completion_tokens": 3}
USAGE = Usage(prompt_tokens=12, completion_tokens=3)


@pytest.mark.parametrize(("prompt", "completion"), [(12, 3), (12.0, 3.0)])
def test_whole_numbers_are_a_usage(prompt: object, completion: object) -> None:
    found = as_usage(prompt, completion)
    assert found == USAGE
    assert found is not None
    assert type(found.prompt_tokens) is type(found.completion_tokens) is int


def test_a_reply_may_have_no_tokens() -> None:
    assert as_usage(1, 0) == Usage(prompt_tokens=1, completion_tokens=0)


@pytest.mark.parametrize(
    "odd", [None, "12", "", -1, 12.5, True, float("nan"), float("inf"), 1e30, 10**30, 10**9, [12], {"a": 1}]
)
def test_anything_else_is_not_known(odd: object) -> None:
    assert as_usage(odd, 3) is None
    assert as_usage(12, odd) is None


def test_no_prompt_has_no_tokens() -> None:
    assert as_usage(0, 3) is None


@pytest.mark.parametrize("stated", [None, "none", 7, [1, 2], {}, {"total_tokens": 15}, {"prompt_tokens": 12}])
def test_what_is_no_usage_is_none(stated: object) -> None:
    assert read_usage(stated) is None


def test_a_failure_may_tell_of_its_usage() -> None:
    assert usage_in(json.dumps({"error": {"message": "x"}, "usage": STATED}).encode()) == USAGE


@pytest.mark.parametrize("body", [b"", b'"usage"', b'["usage"]', b'{"usage": ', b'{"error": {"usage": 1}}', b"\xff"])
def test_most_tell_nothing(body: bytes) -> None:
    assert usage_in(body) is None


def test_megabytes_are_not_searched() -> None:
    assert usage_in(json.dumps({"usage": STATED}).encode() + b" " * 2_000_000) is None


def test_a_reply_with_numbers_that_strict_json_has_not_is_read() -> None:
    body = b'{"choices": [{"message": {"content": "2"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": NaN}}'
    reply = read_reply(parse_body(body), 0.5)
    assert (reply.text, reply.finish_reason, reply.usage, reply.seconds) == ("2", "stop", None, 0.5)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ({"code": 502}, 502),
        ({"code": "429"}, 429),
        ({"code": "rate_limit_exceeded"}, 429),
        ({"type": "server_error"}, 500),
        ({"code": None, "type": "server_error"}, 500),
        ({"code": "of_their_own", "type": "overloaded_error"}, 503),
        ({"type": "timeout"}, 408),
        ({"code": "service_unavailable"}, 503),
        ({"status": "UNAVAILABLE"}, 503),
        ("overloaded", 503),
    ],
)
def test_an_error_in_a_success_that_passes_has_the_status_of_one(error: object, status: int) -> None:
    assert error_status(error) == status


@pytest.mark.parametrize(
    "error", [{}, {"message": "x"}, {"code": "invalid_prompt"}, {"code": True}, {"code": "7"}, "no", 1.5, ["timeout"]]
)
def test_any_other_is_final(error: Any) -> None:
    assert error_status(error) == 422
