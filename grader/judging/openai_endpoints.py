"""Knows the endpoints that speak OpenAI's protocol: where they are, which key they want, what their models take.

Names, addresses, keys and parameters are as LiteLLM has them, so that one model means one thing by either transport;
the tests hold both side by side. It opens no connection.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grader.errors import JudgeError
from grader.judging.failures import missing_key
from grader.judging.prices import describe_model
from grader.records import JudgeSettings, Message

NAME_PROVIDER = "Name the provider too, as in openai/gpt-4o, anthropic/claude-sonnet-4-5 or ollama/llama3."
_PATH = "/chat/completions"
_NOT_NEEDED = "not-needed"
"""Sent as key to an endpoint of the user's own that wants none, so that a gateway before it sees the header."""

_O_SERIES = re.compile(r"o\d")
_GPT_REASONING = re.compile(r"gpt-[56]")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Provider:
    base_variables: tuple[str, ...]
    """Environment variables with the address, the first that is set counts."""
    base: str | None
    """The provider's own address, where it has one."""
    key_variables: tuple[str, ...]
    no_key: str | None = None
    """What is sent where there is no key, of a provider that may have none."""
    needs_key: bool = True
    base_suffix: str = ""
    body: Mapping[str, Any] = field(default_factory=dict)
    header_variables: Mapping[str, str] = field(default_factory=dict)
    """Headers that are sent where the environment has a value for them, by the variable."""


def _own_server(name: str) -> _Provider:
    return _Provider(
        base_variables=(f"{name}_API_BASE",),
        base=None,
        key_variables=(f"{name}_API_KEY",),
        no_key="fake-api-key",
        needs_key=False,
    )


def _hosted(name: str, base: str, *more_keys: str) -> _Provider:
    return _Provider(base_variables=(f"{name}_API_BASE",), base=base, key_variables=(f"{name}_API_KEY", *more_keys))


_OLLAMA = _Provider(
    base_variables=("OLLAMA_API_BASE",),
    base="http://localhost:11434",
    key_variables=("OLLAMA_API_KEY",),
    needs_key=False,
    base_suffix="/v1",
)
_PROVIDERS = {
    "openai": _Provider(
        base_variables=("OPENAI_BASE_URL", "OPENAI_API_BASE"),
        base="https://api.openai.com/v1",
        key_variables=("OPENAI_API_KEY",),
    ),
    "hosted_vllm": _own_server("HOSTED_VLLM"),
    "lm_studio": _own_server("LM_STUDIO"),
    "ollama": _OLLAMA,
    "ollama_chat": _OLLAMA,
    "deepseek": _hosted("DEEPSEEK", "https://api.deepseek.com/beta"),
    "openrouter": _Provider(
        base_variables=("OPENROUTER_API_BASE",),
        base="https://openrouter.ai/api/v1",
        key_variables=("OPENROUTER_API_KEY", "OR_API_KEY"),
        body={"usage": {"include": True}},
        header_variables={"OR_SITE_URL": "HTTP-Referer", "OR_APP_NAME": "X-Title"},
    ),
    "groq": _hosted("GROQ", "https://api.groq.com/openai/v1"),
    "together_ai": _Provider(
        base_variables=("TOGETHER_AI_API_BASE",),
        base="https://api.together.ai/v1",
        key_variables=("TOGETHER_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHERAI_API_KEY", "TOGETHER_AI_TOKEN"),
    ),
    "deepinfra": _hosted("DEEPINFRA", "https://api.deepinfra.com/v1/openai"),
    "cerebras": _hosted("CEREBRAS", "https://api.cerebras.ai/v1"),
    "nvidia_nim": _hosted("NVIDIA_NIM", "https://integrate.api.nvidia.com/v1"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a model is served and what its requests need beside messages."""

    url: str
    headers: Mapping[str, str]
    model: str
    """The model as the endpoint calls it."""
    temperature: float | None
    """As it is sent; `None` where the model refuses the one that is wanted."""
    limit_name: str
    """What the endpoint calls the most tokens of a reply."""
    body: Mapping[str, Any]
    system_role: str
    key_names: str

    def request(self, messages: list[Message], max_tokens: int | None) -> dict[str, Any]:
        """Return the body of a request."""
        if self.system_role != "system":
            messages = [{**each, "role": self.system_role} if each["role"] == "system" else each for each in messages]
        request: dict[str, Any] = {"model": self.model, "messages": messages}
        if self.temperature is not None:
            request["temperature"] = self.temperature
        if max_tokens is not None:
            request[self.limit_name] = max_tokens
        return {**request, **self.body}


def find_endpoint(settings: JudgeSettings) -> Endpoint:
    """Return the endpoint that serves the model, with its key from the environment; opens no connection.

    Raises:
        JudgeError: the provider does not speak OpenAI's protocol, or its key or address is missing.
    """
    name, model = _provider_and_model(settings.model)
    provider = _PROVIDERS[name]
    key = settings.api_key or _first_set(provider.key_variables)
    if key is None and provider.needs_key and settings.api_base is None:
        raise missing_key(settings.model, list(provider.key_variables))
    key = key or (_NOT_NEEDED if provider.needs_key else provider.no_key)
    traits = _traits(model) if name == "openai" else _Traits()
    return Endpoint(
        url=_url(settings, name, provider),
        headers={**({"Authorization": f"Bearer {key}"} if key else {}), **_more_headers(provider), **settings.headers},
        model=model,
        temperature=settings.temperature if traits.takes(settings.temperature) else None,
        limit_name=traits.limit_name,
        body=provider.body,
        system_role=traits.system_role,
        key_names=" or ".join(provider.key_variables),
    )


def _provider_and_model(name: str) -> tuple[str, str]:
    provider, _, model = name.partition("/")
    if not model and (describe_model(name).get("litellm_provider") == "openai" or name.startswith("ft:gpt-")):
        provider, model = "openai", name
    if provider in _PROVIDERS and model:
        if provider == "openai" and describe_model(model).get("mode") in ("responses", "realtime"):
            raise _refused(f"{name} is not served by chat completions")
        return provider, model
    if not model:
        raise JudgeError(
            f"{name}: no provider of a model with this name is known",
            retryable=False,
            is_fatal=True,
            hint=NAME_PROVIDER,
        )
    raise _refused(f"{provider} is not one of the providers that --transport direct speaks to")


def _refused(reason: str) -> JudgeError:
    return JudgeError(
        reason,
        retryable=False,
        is_fatal=True,
        hint=f"Use --transport litellm; direct serves {', '.join(_PROVIDERS)}, and as openai/NAME with --api-base "
        "whatever speaks OpenAI's protocol.",
    )


def _url(settings: JudgeSettings, name: str, provider: _Provider) -> str:
    base = settings.api_base or _first_set(provider.base_variables) or provider.base
    if base is None:
        raise JudgeError(
            f"{settings.model}: where {name} is served is not known",
            retryable=False,
            is_fatal=True,
            hint=f"Add --api-base, as in http://localhost:8000/v1, or set {provider.base_variables[0]}.",
        )
    base = base.rstrip("/")
    if base.endswith(_PATH):
        return base
    return f"{base.removesuffix(provider.base_suffix)}{provider.base_suffix}{_PATH}"


def _first_set(variables: tuple[str, ...]) -> str | None:
    return next((os.environ[name] for name in variables if os.environ.get(name)), None)


def _more_headers(provider: _Provider) -> dict[str, str]:
    return {header: os.environ[name] for name, header in provider.header_variables.items() if os.environ.get(name)}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Traits:
    """What one of OpenAI's own models takes."""

    limit_name: str = "max_tokens"
    system_role: str = "system"
    refuses_temperature: bool = False
    takes_only_one: bool = False
    """Whether the only temperature that it takes is 1."""

    def takes(self, temperature: float | None) -> bool:
        return not self.refuses_temperature and (temperature == 1 or not self.takes_only_one)


def _traits(model: str) -> _Traits:
    """Return what a model of OpenAI's takes; a name that is not known as one of its reasoning models takes all."""
    name = model.rpartition("/")[2]
    known = describe_model(name)
    if _O_SERIES.match(name) and known.get("litellm_provider") == "openai":
        role = "system" if known.get("supports_system_messages") else "user"
        return _Traits(limit_name="max_completion_tokens", system_role=role, takes_only_one=True)
    if _GPT_REASONING.search(name) and "gpt-5-chat" not in name:
        return _Traits(
            limit_name="max_completion_tokens",
            refuses_temperature="gpt-5" in name and "search" in name,
            takes_only_one=not _thinks_only_if_asked(known),
        )
    return _Traits()


def _thinks_only_if_asked(known: Mapping[str, Any]) -> bool:
    """Return whether a model does not reason by itself; older price maps tell only that it need not."""
    is_told = "default_reasoning_effort" in describe_model("gpt-5.1")
    is_default = known.get("default_reasoning_effort") == "none" if is_told else True
    return bool(known.get("supports_none_reasoning_effort")) and is_default
