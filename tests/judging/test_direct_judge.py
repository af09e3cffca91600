"""The direct judge beside the real LiteLLM, against one loopback server: what is sent, and what is made of answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from provider import Provider, Scripted

from grader.errors import JudgeError
from grader.judging.direct_judge import DirectJudge
from grader.judging.judge import Call, Judge, call_key
from grader.judging.litellm_judge import LiteLLMJudge
from grader.records import CUT_REASONS, FILTER_REASONS, Item, JudgeSettings, Prompt, Reply

MESSAGES = (
    {"role": "system", "content": "Judge “well”\u2028\x07 \U0001f600 日本語"},
    {"role": "user", "content": 'quote " backslash \\ \ttab </x>'},
)
ITEM = Item(id="1", system="s", answer="a")
CALL = Call(prompt=Prompt(item=ITEM, messages=MESSAGES), max_tokens=77)
OWN_WORD = "native_finish_reason"
KEYS = ("OPENAI", "HOSTED_VLLM", "DEEPSEEK", "OPENROUTER", "GROQ", "TOGETHERAI", "DEEPINFRA", "CEREBRAS", "NVIDIA_NIM")
OPENAI_MODELS = (
    *("gpt-4o", "openai/gpt-4o", "openai/my/llama-3", "openai/gpt-4.1-mini", "openai/chatgpt-4o-latest"),
    *("openai/o1", "openai/o3-mini", "openai/o4-mini", "openai/o9-of-ours", "openai/openai/o3", "o3"),
    *(
        "openai/gpt-5",
        "openai/gpt-5.1",
        "openai/gpt-5.4",
        "openai/gpt-5.5",
        "openai/gpt-5-chat",
        "openai/my-gpt-5-copy",
    ),
    *("openai/gpt-5-search-api", "openai/gpt-oss-120b", "ft:gpt-4o:us:1"),
)
OTHER_MODELS = (
    *("hosted_vllm/meta/llama", "hosted_vllm/gpt-5", "deepseek/deepseek-chat", "deepseek/deepseek-reasoner"),
    *("openrouter/anthropic/claude-sonnet-4", "openrouter/openai/o3-mini", "groq/llama-3.3-70b-versatile"),
    *("together_ai/meta/llama", "deepinfra/x/y", "cerebras/x", "nvidia_nim/x/y", "lm_studio/x"),
)

MakeJudge = Callable[[JudgeSettings], Judge]


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.setenv(f"{name}_API_KEY", f"key-of-{name}")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_BASE", raising=False)


def ask(make: MakeJudge, settings: JudgeSettings, call: Call = CALL) -> Reply:
    async def run() -> Reply:
        judge = make(settings)
        try:
            return await judge.ask(call)
        finally:
            await judge.close()

    return asyncio.run(run())


def settings(provider: Provider, model: str = "openai/gpt-4o", **changes: Any) -> JudgeSettings:
    return replace(JudgeSettings(model=model, api_base=provider.base_url, timeout_seconds=10), **changes)


def sent(make: MakeJudge, provider: Provider, wanted: JudgeSettings, call: Call = CALL) -> dict[str, Any]:
    """Return what the server got: path, key and body."""
    provider.history.clear()
    try:
        ask(make, wanted, call)
    except JudgeError as error:
        assert "service_tier" in str(error)  # LiteLLM cannot read what Groq's imitation answers
    (request,) = provider.history
    return {"path": request.path, "key": request.headers.get("Authorization"), "body": request.body}


@pytest.mark.parametrize("model", [*OPENAI_MODELS, *OTHER_MODELS])
@pytest.mark.parametrize("temperature", [0.0, 1.0, None])
def test_the_same_request_as_litellm_sends(provider: Provider, model: str, temperature: float | None) -> None:
    wanted = settings(provider, model, temperature=temperature)
    direct, through = (sent(make, provider, wanted) for make in (DirectJudge, LiteLLMJudge))
    assert direct == through
    assert call_key(DirectJudge(wanted), CALL) == call_key(LiteLLMJudge(wanted), CALL)


@pytest.mark.parametrize("max_tokens", [None, 1, 100_000])
def test_the_same_limit(provider: Provider, max_tokens: int | None) -> None:
    for model in ("openai/gpt-4o", "openai/o3-mini"):
        call = replace(CALL, max_tokens=max_tokens)
        wanted = settings(provider, model)
        assert sent(DirectJudge, provider, wanted, call) == sent(LiteLLMJudge, provider, wanted, call)


@pytest.mark.parametrize("ending", ["/v1", "/v1/", "", "/some/where/v1", "/v1/chat/completions"])
@pytest.mark.parametrize("model", ["openai/x", "hosted_vllm/x", "openrouter/x/y"])
def test_the_same_address(provider: Provider, model: str, ending: str) -> None:
    wanted = settings(provider, model, api_base=provider.base_url.removesuffix("/v1") + ending)
    assert sent(DirectJudge, provider, wanted)["path"] == sent(LiteLLMJudge, provider, wanted)["path"]


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        *(("openai/x", "OPENAI_BASE_URL"), ("openai/x", "OPENAI_API_BASE"), ("deepseek/x", "DEEPSEEK_API_BASE")),
        *(("openrouter/x/y", "OPENROUTER_API_BASE"), ("groq/x", "GROQ_API_BASE")),
        *(("together_ai/x", "TOGETHER_AI_API_BASE"), ("hosted_vllm/x", "HOSTED_VLLM_API_BASE")),
    ],
)
def test_the_same_address_from_the_environment(
    provider: Provider, monkeypatch: pytest.MonkeyPatch, model: str, variable: str
) -> None:
    monkeypatch.setenv(variable, provider.base_url)
    wanted = settings(provider, model, api_base=None)
    assert sent(DirectJudge, provider, wanted) == sent(LiteLLMJudge, provider, wanted)


def test_without_a_key_an_endpoint_of_ones_own_gets_the_same_stand_in(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in KEYS:
        monkeypatch.delenv(f"{name}_API_KEY")
    for model in ("openai/x", "hosted_vllm/x"):
        wanted = settings(provider, model)
        assert sent(DirectJudge, provider, wanted) == sent(LiteLLMJudge, provider, wanted)


BODIES: dict[str, Any] = {
    "plain": {},
    "cut": {"finish_reason": "length"},
    "odd reason": {"finish_reason": "max_output_tokens"},
    "no reason": {"finish_reason": None},
    "filter": {"text": None, "finish_reason": "content_filter"},
    "null content": {"text": None},
    "no choices": {"choices": []},
    "thoughts": {"text": "<think>50? 60?</think>\n<score>50</score>"},
    "unclosed thoughts": {"text": "<think>50? 60?\n<score>50</score>"},
    "later thoughts": {"text": "x <think>50</think>"},
    "reasoning": {
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": None, "reasoning_content": "<score>50</score>"},
            }
        ]
    },
    "reasoning beside": {
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "<think>a</think>b", "reasoning_content": "c"}}
        ]
    },
    "refusal": {
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": None, "refusal": "I will not."},
            }
        ]
    },
    "content policy": {
        "status": 400,
        "body": b'{"error":{"message":"no","type":"invalid_request_error","code":"content_policy_violation"}}',
    },
    "unicode": {"text": "日本語 \u2028 \U0001f600 <score>５０</score>"},
}


@pytest.mark.parametrize("name", BODIES)
def test_the_same_reply(provider: Provider, name: str) -> None:
    provider.script = lambda _: Scripted(**BODIES[name])
    direct, through = (replace(ask(make, settings(provider)), seconds=0.0) for make in (DirectJudge, LiteLLMJudge))
    assert direct == through


ENDINGS = [
    *((word, None) for word in ("stop", "STOP", "end_turn", "eos", "weird", "tool_calls", "error", "", None)),
    *((word, None) for word in ("length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "model_length")),
    *((word, None) for word in ("content_filter", "SAFETY", "safety", "content_filtered", "guardrail_intervened")),
    *((word, own) for word in ("stop", "length", "content_filter") for own in ("STOP", "MAX_TOKENS", "SAFETY", "")),
]  # fmt: skip


@pytest.mark.parametrize(("word", "own_word"), ENDINGS)
def test_why_a_reply_ended_is_told_alike(provider: Provider, word: str | None, own_word: str | None) -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": "<score>50</score>"}, "finish_reason": word}
    provider.script = lambda _: Scripted(choices=[choice if own_word is None else choice | {OWN_WORD: own_word}])
    direct, through = (ask(make, settings(provider)).finish_reason for make in (DirectJudge, LiteLLMJudge))
    assert direct == through
    said = {str(each).casefold() for each in (word, own_word)}
    assert (direct == "content_filter") is bool(said & FILTER_REASONS)
    assert str(direct).casefold() in CUT_REASONS or not said & CUT_REASONS or said & FILTER_REASONS
    assert direct == "stop" or word or own_word


def test_a_reply_that_does_not_say_why_it_ended_ended_by_itself(provider: Provider) -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": "<score>50</score>"}}
    provider.script = lambda _: Scripted(choices=[choice])
    assert [ask(make, settings(provider)).finish_reason for make in (DirectJudge, LiteLLMJudge)] == ["stop", "stop"]


FAULTS: dict[str, Scripted] = {
    **{
        str(status): Scripted(status=status, headers={"Retry-After": "7"})
        for status in (400, 401, 403, 404, 408, 409, 422, 429, 500, 502, 503, 529)
    },
    "html": Scripted(body=b"<html>Bad gateway</html>"),
    "html 502": Scripted(status=502, body=b"<html>Bad gateway</html>"),
    "cut body": Scripted(body=b'{"id": "x", "choi'),
    "reset": Scripted(is_reset=True),
    "stall": Scripted(seconds=1.5),
    "no quota": Scripted(
        status=429, body=b'{"error": {"message": "pay", "type": "insufficient_quota", "code": "insufficient_quota"}}'
    ),
    "no model": Scripted(
        status=404, body=b'{"error": {"message": "none", "type": "invalid_request_error", "code": "model_not_found"}}'
    ),
    "error in a success": Scripted(body=b'{"error": {"message": "busy upstream", "code": 502}}'),
    "refusal in a success": Scripted(body=b'{"error": {"message": "bad", "code": 400}}'),
}


@pytest.mark.parametrize("name", FAULTS)
def test_the_same_error(provider: Provider, name: str) -> None:
    provider.script = lambda _: FAULTS[name]
    told = []
    for make in (DirectJudge, LiteLLMJudge):
        provider.history.clear()
        with pytest.raises(JudgeError) as caught:
            ask(make, settings(provider, timeout_seconds=1))
        error = caught.value
        told.append((error.retryable, error.is_fatal, error.retry_after_seconds, error.hint))
        assert len(provider.history) == 1
        assert str(error)
    assert told[0] == told[1]


def test_other_bodies_that_are_no_chat_completion_may_be_tried_again(provider: Provider) -> None:
    for body in (b"", b"null", b"[]", b'"x"', b'{"choices": 3}', b'{"choices": [3]}', b"\xff\xfe"):
        provider.script = lambda _, body=body: Scripted(body=body)  # type: ignore[misc]
        with pytest.raises(JudgeError) as caught:
            ask(DirectJudge, settings(provider))
        assert caught.value.retryable, body


def test_parts_of_a_content_are_joined_without_the_thoughts(provider: Provider) -> None:
    parts = [{"type": "thinking", "thinking": "60"}, {"type": "text", "text": "<score>"}, {"text": "50</score>"}]
    provider.script = lambda _: Scripted(choices=[{"message": {"content": parts}}])
    assert ask(DirectJudge, settings(provider)).text == "<score>50</score>"


def test_a_lone_surrogate_is_sent_as_a_question_mark(provider: Provider) -> None:
    prompt = Prompt(item=ITEM, messages=({"role": "user", "content": "a\ud800b"},))
    ask(DirectJudge, settings(provider), Call(prompt=prompt))
    assert provider.history[0].prompt == "a?b"


def test_a_redirect_is_not_followed_and_the_key_stays_here(provider: Provider) -> None:
    elsewhere = f"{provider.base_url}/elsewhere/chat/completions"
    provider.script = lambda _: Scripted(status=307, body=b"", headers={"Location": elsewhere})
    with pytest.raises(JudgeError) as caught:
        ask(DirectJudge, settings(provider))
    assert caught.value.is_fatal and not caught.value.retryable
    assert "--api-base" in (caught.value.hint or "")
    assert len(provider.history) == 1


def test_nobody_there_is_fatal_and_says_what_to_check(provider: Provider) -> None:
    with pytest.raises(JudgeError) as caught:
        ask(DirectJudge, settings(provider, api_base="http://127.0.0.1:9/v1"))
    assert caught.value.is_fatal and caught.value.retryable
    assert "--api-base" in (caught.value.hint or "")


def test_an_address_that_is_none_is_told(provider: Provider) -> None:
    with pytest.raises(JudgeError):
        ask(DirectJudge, settings(provider, api_base="not an address"))


def test_keys_are_redacted_from_errors(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary-0123456789")
    provider.script = lambda request: Scripted(status=400, body=json.dumps(dict(request.headers)).encode())
    with pytest.raises(JudgeError) as caught:
        ask(DirectJudge, settings(provider))
    assert provider.history[0].headers["Authorization"] == "Bearer canary-0123456789"
    assert "canary-0123456789" not in str(caught.value)


def test_a_proxy_of_the_environment_is_used(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", provider.base_url.removesuffix("/v1"))
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    ask(DirectJudge, settings(provider, api_base="http://judge.invalid/v1"))
    assert provider.history[0].headers["Host"] == "judge.invalid"
