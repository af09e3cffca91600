from __future__ import annotations

import pytest

from grader.errors import JudgeError
from grader.judging.openai_endpoints import find_endpoint
from grader.records import JudgeSettings


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for name in [name for name in os.environ if name.endswith(("_API_KEY", "_API_BASE", "_BASE_URL"))]:
        monkeypatch.delenv(name)


@pytest.mark.parametrize(
    "model",
    ["anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-pro", "bedrock/x", "azure/x", "vertex_ai/x", "openai/gpt-5-pro"],
)
def test_who_does_not_speak_the_protocol_is_refused_before_any_call(model: str) -> None:
    with pytest.raises(JudgeError) as caught:
        find_endpoint(JudgeSettings(model=model, api_base="http://127.0.0.1:9/v1"))
    assert caught.value.is_fatal and not caught.value.retryable
    assert "--transport litellm" in (caught.value.hint or "")


@pytest.mark.parametrize("model", ["llama3", "openai/", ""])
def test_a_name_without_a_provider_is_refused(model: str) -> None:
    with pytest.raises(JudgeError) as caught:
        find_endpoint(JudgeSettings(model=model))
    assert caught.value.is_fatal
    assert "openai/gpt-4o" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("model", "variable", "url"),
    [
        ("openai/gpt-4o", "OPENAI_API_KEY", "https://api.openai.com/v1/chat/completions"),
        ("deepseek/deepseek-chat", "DEEPSEEK_API_KEY", "https://api.deepseek.com/beta/chat/completions"),
        ("openrouter/x/y", "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1/chat/completions"),
        ("openrouter/x/y", "OR_API_KEY", "https://openrouter.ai/api/v1/chat/completions"),
    ],
)
def test_a_providers_own_address_wants_its_key(
    monkeypatch: pytest.MonkeyPatch, model: str, variable: str, url: str
) -> None:
    with pytest.raises(JudgeError, match="_API_KEY"):
        find_endpoint(JudgeSettings(model=model))
    monkeypatch.setenv(variable, "canary")
    endpoint = find_endpoint(JudgeSettings(model=model))
    assert endpoint.url == url
    assert endpoint.headers["Authorization"] == "Bearer canary"


@pytest.mark.parametrize(
    ("api_base", "url"),
    [
        (None, "http://localhost:11434/v1/chat/completions"),
        ("http://box:11434/", "http://box:11434/v1/chat/completions"),
        ("http://box:11434/v1", "http://box:11434/v1/chat/completions"),
    ],
)
def test_ollama_needs_no_key_and_answers_under_v1(api_base: str | None, url: str) -> None:
    endpoint = find_endpoint(JudgeSettings(model="ollama/llama3", api_base=api_base))
    assert (endpoint.url, dict(endpoint.headers), endpoint.model) == (url, {}, "llama3")


def test_a_server_of_ones_own_must_be_named() -> None:
    with pytest.raises(JudgeError) as caught:
        find_endpoint(JudgeSettings(model="hosted_vllm/x"))
    assert "--api-base" in (caught.value.hint or "")
    assert "HOSTED_VLLM_API_BASE" in (caught.value.hint or "")


def test_openrouter_is_told_a_site_only_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "canary")
    settings = JudgeSettings(model="openrouter/x/y")
    assert set(find_endpoint(settings).headers) == {"Authorization"}
    monkeypatch.setenv("OR_APP_NAME", "our grading")
    assert find_endpoint(settings).headers["X-Title"] == "our grading"
