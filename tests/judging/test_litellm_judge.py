from __future__ import annotations

import asyncio

import pytest
from provider import Provider, Scripted

from grader.errors import JudgeError
from grader.judging import litellm_judge
from grader.judging.judge import Call
from grader.judging.litellm_judge import LiteLLMJudge
from grader.records import Item, JudgeSettings, Prompt, Reply

ITEM = Item(id="1", system="s", answer="a")
CALL = Call(prompt=Prompt(item=ITEM, messages=({"role": "user", "content": "<x-\ue000> hello"},)), max_tokens=77)


def ask(
    provider: Provider, model: str = "openai/gpt-4o", timeout_seconds: float = 20, base: str | None = None
) -> Reply:
    async def run() -> Reply:
        settings = JudgeSettings(model=model, api_base=base or provider.base_url, timeout_seconds=timeout_seconds)
        judge = LiteLLMJudge(settings)
        try:
            return await judge.ask(CALL)
        finally:
            await judge.close()

    return asyncio.run(run())


def test_one_request_with_what_was_set(provider: Provider) -> None:
    reply = ask(provider)
    assert reply.text.endswith("<score>50</score>")
    assert reply.usage is not None and (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (100, 20)
    assert reply.finish_reason == "stop"
    (request,) = provider.history
    assert request.body["model"] == "gpt-4o"
    assert request.body["max_tokens"] == 77
    assert request.body["temperature"] == 0
    assert "\ue000" not in request.prompt


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503])
def test_passing_faults_are_retryable_and_not_retried_here(provider: Provider, status: int) -> None:
    provider.script = lambda _: Scripted(status=status, headers={"Retry-After": "7"})
    with pytest.raises(JudgeError) as caught:
        ask(provider)
    assert caught.value.retryable and not caught.value.is_fatal
    assert caught.value.retry_after_seconds == 7
    assert caught.value.status_code == status
    assert len(provider.history) == 1


@pytest.mark.parametrize("status", [400, 429, 500])
@pytest.mark.parametrize("model", ["azure/gpt-4o", "openai/gpt-4o", "hosted_vllm/x"])
def test_no_client_behind_litellm_repeats_a_request(
    provider: Provider, monkeypatch: pytest.MonkeyPatch, model: str, status: int
) -> None:
    """OpenAI's own clients, which Azure's models go by, make three of it unless they are told not to."""
    switch = "EXPERIMENTAL_OPENAI_BASE_LLM_HTTP_HANDLER"
    monkeypatch.setenv(switch, "false")
    monkeypatch.setitem(litellm_judge._ENVIRONMENT, switch, "false")  # as of a LiteLLM that does not know it
    provider.script = lambda _: Scripted(status=status)
    with pytest.raises(JudgeError):
        ask(provider, model=model)
    assert len(provider.history) == 1


@pytest.mark.parametrize(("status", "is_fatal"), [(400, False), (401, True), (403, True), (404, True), (422, False)])
def test_lasting_faults_are_not_retryable(provider: Provider, status: int, is_fatal: bool) -> None:
    provider.script = lambda _: Scripted(status=status)
    with pytest.raises(JudgeError) as caught:
        ask(provider)
    assert not caught.value.retryable
    assert caught.value.is_fatal is is_fatal
    assert len(provider.history) == 1


def test_reset_connections_broken_bodies_and_stalls_are_retryable(provider: Provider) -> None:
    for scripted in (
        Scripted(is_reset=True),
        Scripted(body=b"<html>Bad gateway</html>"),
        Scripted(body=b'{"id": "x", "choi'),
        Scripted(seconds=3),
    ):
        provider.script = lambda _, scripted=scripted: scripted  # type: ignore[misc]
        with pytest.raises(JudgeError) as caught:
            ask(provider, timeout_seconds=1)
        assert caught.value.retryable, scripted
    assert len(provider.history) == 4


def test_empty_choices_and_missing_content_are_empty_replies(provider: Provider) -> None:
    provider.script = lambda _: Scripted(choices=[])
    assert ask(provider).text == ""
    provider.script = lambda _: Scripted(text=None)
    assert ask(provider).text == ""


def test_the_raw_finish_reason_counts(provider: Provider) -> None:
    provider.script = lambda _: Scripted(finish_reason="length")
    assert ask(provider).finish_reason == "length"
    provider.script = lambda _: Scripted(text=None, finish_reason="content_filter")
    assert ask(provider).finish_reason == "content_filter"
    provider.script = lambda _: Scripted(finish_reason="max_output_tokens")
    assert ask(provider).finish_reason == "max_output_tokens"


def test_an_unreachable_host_is_said_with_what_to_check(provider: Provider) -> None:
    with pytest.raises(JudgeError) as caught:
        ask(provider, base="http://127.0.0.1:9/v1")
    assert caught.value.is_fatal
    assert "--api-base" in (caught.value.hint or "")


def test_an_unknown_provider_is_said(provider: Provider) -> None:
    with pytest.raises(JudgeError) as caught:
        ask(provider, model="no-such-model-anywhere")
    assert caught.value.is_fatal and not caught.value.retryable
    assert "openai/gpt-4o" in (caught.value.hint or "")


def test_a_reasoning_model_is_not_sent_a_temperature(provider: Provider) -> None:
    ask(provider, model="openai/o3-mini")
    assert "temperature" not in provider.history[0].body


def test_litellm_tells_nobody_of_calls() -> None:
    litellm = litellm_judge.import_litellm()
    assert litellm.telemetry is False
    assert litellm.cache is None
    told = ("callbacks", "input_callback", "success_callback", "failure_callback", "service_callback")
    assert [name for name in told if getattr(litellm, name)] == []


def test_keys_are_redacted_from_errors(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary-0123456789")
    provider.script = lambda request: Scripted(status=400, body=f"bad {request.headers}".encode())
    with pytest.raises(JudgeError) as caught:
        ask(provider)
    assert provider.history[0].headers["Authorization"] == "Bearer canary-0123456789"
    assert "canary-0123456789" not in str(caught.value)
