"""What providers send that they should not, by either transport: odd usages, errors in a success, no end."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from provider import Provider, Scripted
from scripted_judge import call

from grader.errors import JudgeError
from grader.judging.direct_judge import DirectJudge
from grader.judging.judge import Judge
from grader.judging.litellm_judge import LiteLLMJudge
from grader.records import JudgeSettings, Reply, Usage

BOTH = pytest.mark.parametrize("make", [DirectJudge, LiteLLMJudge])
MakeJudge = Callable[[JudgeSettings], Judge]
STATED = {"usage": {"prompt_tokens": 30, "completion_tokens": 4, "total_tokens": 34}}
USAGE = Usage(prompt_tokens=30, completion_tokens=4)


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-nobody-at-all")


def ask(make: MakeJudge, provider: Provider, timeout_seconds: float = 20.0) -> Reply:
    async def run() -> Reply:
        judge = make(JudgeSettings(model="openai/gpt-4o", api_base=provider.base_url, timeout_seconds=timeout_seconds))
        try:
            return await judge.ask(call())
        finally:
            left = [repr(task.get_coro()) for task in asyncio.all_tasks()]
            await judge.close()
            assert not [each for each in left if "completion" in each]

    return asyncio.run(run())


def failure(make: MakeJudge, provider: Provider, timeout_seconds: float = 20.0) -> JudgeError:
    with pytest.raises(JudgeError) as caught:
        ask(make, provider, timeout_seconds)
    return caught.value


@BOTH
@pytest.mark.parametrize(
    "usage",
    [
        *(None, [1, 2], "none", 7, {}, {"total_tokens": 120}),
        *({"prompt_tokens": odd, "completion_tokens": 5} for odd in (None, 0, -9, 9.7, 10**30, float("nan"), "9")),
        *({"prompt_tokens": 5, "completion_tokens": odd} for odd in (-2, 2.2, 10**30, float("inf"), "9", True, None)),
        {"prompt_tokens": 5},
    ],
)
def test_a_reply_with_an_odd_usage_is_kept_and_its_usage_is_unknown(
    provider: Provider, make: MakeJudge, usage: Any
) -> None:
    provider.script = lambda _: Scripted(text="<score>50</score>", more={"usage": usage})
    reply = ask(make, provider)
    assert (reply.text, reply.finish_reason, reply.usage) == ("<score>50</score>", "stop", None)


@BOTH
def test_whole_numbers_in_any_spelling_are_known(provider: Provider, make: MakeJudge) -> None:
    provider.script = lambda _: Scripted(more={"usage": {"prompt_tokens": 30.0, "completion_tokens": 4.0}})
    assert ask(make, provider).usage == USAGE


@BOTH
@pytest.mark.parametrize("status", [400, 429, 500, 503])
def test_what_a_failure_used_is_told(provider: Provider, make: MakeJudge, status: int) -> None:
    provider.script = lambda _: Scripted(status=status, more=STATED)
    assert failure(make, provider).usage == USAGE
    provider.script = lambda _: Scripted(status=status, more={"usage": {"prompt_tokens": "30"}})
    assert failure(make, provider).usage is None


@BOTH
@pytest.mark.parametrize("more", [{"error": {"message": "upstream"}}, {"choices": 3}])
def test_so_is_what_a_success_used_that_holds_no_reply(
    provider: Provider, make: MakeJudge, more: dict[str, Any]
) -> None:
    provider.script = lambda _: Scripted(more={**STATED, **more})
    assert failure(make, provider).usage == USAGE


@BOTH
def test_and_what_a_filter_used(provider: Provider, make: MakeJudge) -> None:
    error = {"message": "bad", "code": "content_filter"}
    provider.script = lambda _: Scripted(status=400, more={"error": error, **STATED})
    reply = ask(make, provider)
    assert (reply.finish_reason, reply.usage) == ("content_filter", USAGE)


@BOTH
@pytest.mark.parametrize(
    ("error", "status"),
    [
        ({"message": "x", "type": "server_error"}, 500),
        ({"message": "x", "code": "rate_limit_exceeded"}, 429),
        ({"message": "x", "type": "overloaded_error"}, 503),
        ({"message": "x", "code": "timeout"}, 408),
        ({"message": "x", "code": "service_unavailable"}, 503),
        ({"message": "x", "code": 502}, 502),
    ],
)
def test_an_error_in_a_success_that_says_that_it_passes_may_be_tried_again(
    provider: Provider, make: MakeJudge, error: Any, status: int
) -> None:
    provider.script = lambda _: Scripted(body=json.dumps({"error": error}).encode())
    found = failure(make, provider)
    assert (found.status_code, found.retryable, found.is_fatal, found.message) == (status, True, False, "x")


@BOTH
@pytest.mark.parametrize("error", [{"message": "x"}, {"message": "x", "type": "invalid_request_error", "code": None}])
def test_any_other_is_final(provider: Provider, make: MakeJudge, error: Any) -> None:
    provider.script = lambda _: Scripted(body=json.dumps({"error": error}).encode())
    assert (failure(make, provider).retryable, failure(make, provider).is_fatal) == (False, False)


@BOTH
@pytest.mark.parametrize("body", [{"usage": [1]}, {"choices": [None], "usage": "x"}, {"choices": "x"}, ["busy"]])
def test_what_is_no_chat_completion_is_told_in_one_plain_line(provider: Provider, make: MakeJudge, body: Any) -> None:
    provider.script = lambda _: Scripted(body=json.dumps(body).encode())
    found = failure(make, provider)
    assert found.retryable and not found.is_fatal
    assert "Traceback" not in found.message and "\n" not in found.message


@BOTH
def test_an_answer_that_drips_ends_in_time_and_leaves_no_connection(provider: Provider, make: MakeJudge) -> None:
    provider.script = lambda _: Scripted(is_dripping=True)
    began = time.monotonic()
    found = failure(make, provider, timeout_seconds=0.5)
    assert time.monotonic() - began < 5
    assert (found.status_code, found.retryable, found.message) == (408, True, "no answer within 0.5 seconds")
    while provider.in_flight and time.monotonic() - began < 5:
        time.sleep(0.02)
    assert provider.in_flight == 0
