"""Asks any provider through LiteLLM, one HTTP request a call; the only module that imports LiteLLM.

Retries, pacing and caching are not its business: LiteLLM's own are switched off (see SPEED and RELIABILITY 7).
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import re
import secrets
import time
from collections.abc import Mapping
from typing import Any

from grader.errors import JudgeError
from grader.judging.judge import Call
from grader.judging.redact import redact
from grader.records import JudgeSettings, Reply, Usage

_RETRYABLE_STATUS = frozenset({408, 409, 425, 429})
_FATAL_STATUS = frozenset({401, 403, 404})
_LITELLM_PREFIX = re.compile(r"^(?:litellm\.)?(\w+Error: |\w+Exception - |litellm\.)+")
_NOISE = re.compile(r" ssl:<[^>]*>| \[Connect call failed [^\]]*\]")
_NO_CONNECTION = re.compile(r"Connection error|Cannot connect to host")
_KEY_NAMES = "_API_KEY"  # clouds such as AWS have other ways to know who asks
_ENVIRONMENT = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else its import fetches prices from the network
    "LITELLM_MODE": "PRODUCTION",  # else its import reads a .env file
    "LITELLM_LOG": "ERROR",
    # OpenAI's own endpoints by the same HTTP handler that LiteLLM uses for most others: a quarter less CPU a call
    # than by OpenAI's client. A LiteLLM that does not know the switch takes the client.
    "EXPERIMENTAL_OPENAI_BASE_LLM_HTTP_HANDLER": "true",
    # 0 would mean 100; see SPEED, LiteLLM's connections
    "AIOHTTP_CONNECTOR_LIMIT": "100000",
    "AIOHTTP_CONNECTOR_LIMIT_PER_HOST": "100000",
}


def import_litellm() -> Any:
    """Import LiteLLM, which takes seconds, once and with what makes it behave; cheap ever after."""
    os.environ.update(_ENVIRONMENT)
    gc.disable()  # a third of the import is garbage collection that finds nothing
    try:
        import litellm
    finally:
        gc.freeze()
        gc.enable()
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.num_retries = 0
    litellm.cache = None
    return litellm


class LiteLLMJudge:
    """A model behind LiteLLM's name for it, such as `openai/gpt-4o` or `ollama/llama3`."""

    is_baseline = False

    def __init__(self, settings: JudgeSettings) -> None:
        self.model = settings.model
        self._settings = settings
        self._litellm = import_litellm()
        self._sent = self._supported_parameters()
        self._api_key = self._stand_in_key()

    def parameters(self, call: Call) -> Mapping[str, Any]:
        """Return the parameters that are sent, where to, and those that the model does not take and so are not."""
        return {**self._sent, "max_tokens": call.max_tokens, "api_base": self._settings.api_base}

    async def ask(self, call: Call) -> Reply:
        """Return the model's reply, made with exactly one request."""
        sent = {name: value for name, value in self.parameters(call).items() if value is not None}
        started = time.perf_counter()
        try:
            response = await self._litellm.acompletion(
                model=self.model,
                messages=call.prompt.with_nonce(secrets.token_hex(4)),
                timeout=self._settings.timeout_seconds,
                num_retries=0,
                max_retries=0,
                api_key=self._api_key,
                **sent,
            )
        except Exception as error:
            filtered = isinstance(error, self._litellm.ContentPolicyViolationError)
            if filtered:
                return Reply(finish_reason="content_filter", seconds=time.perf_counter() - started)
            raise self._as_judge_error(error) from error
        return self._as_reply(response, time.perf_counter() - started)

    async def close(self) -> None:
        """Close LiteLLM's connections."""
        await self._litellm.close_litellm_async_clients()

    def _supported_parameters(self) -> dict[str, Any]:
        """Return the settings that the model takes; a reasoning model, for one, refuses a temperature."""
        wanted = {"temperature": self._settings.temperature}
        try:
            name, provider, *_ = self._litellm.get_llm_provider(model=self.model)
            self._litellm.utils.get_optional_params(model=name, custom_llm_provider=provider, **wanted)
        except self._litellm.UnsupportedParamsError:
            return {}
        except self._litellm.BadRequestError:
            return wanted  # the first call tells that there is no such model
        return wanted

    def _stand_in_key(self) -> str | None:
        """Return a stand-in key for an endpoint of the user's own that wants none; the client insists on one.

        Raises:
            JudgeError: the provider's own address is to be called, and its key is missing; no socket is opened.
        """
        missing = [name for name in self._missing_keys() if name.endswith(_KEY_NAMES)]
        if not missing:
            return None
        if self._settings.api_base is not None:
            return "not-needed"
        raise JudgeError(
            f"{self.model}: the key {' or '.join(missing)} is not in the environment",
            retryable=False,
            is_fatal=True,
            hint=f"Set it, as in: export {missing[0]}=…",
        )

    def _missing_keys(self) -> list[str]:
        keys: list[str] = self._litellm.validate_environment(model=self.model)["missing_keys"]
        return keys

    def _as_reply(self, response: Any, seconds: float) -> Reply:
        usage = _usage(response)
        if not response.choices:
            return Reply(usage=usage, seconds=seconds)
        choice = response.choices[0]
        own_fields = getattr(choice, "provider_specific_fields", None) or {}
        message_fields = getattr(choice.message, "provider_specific_fields", None) or {}
        return Reply(
            text=choice.message.content or "",
            finish_reason=_finish_reason(choice.finish_reason, own_fields.get("native_finish_reason")),
            refusal=message_fields.get("refusal") or None,
            usage=usage,
            seconds=seconds,
        )

    def _as_judge_error(self, error: Exception) -> JudgeError:
        """Map any exception of LiteLLM to ours; here and nowhere else."""
        status = getattr(error, "status_code", None)
        text = _readable(error)
        is_unreachable = isinstance(error, self._litellm.APIConnectionError) or bool(_NO_CONNECTION.search(text))
        no_quota = "insufficient_quota" in text
        is_unknown_model = "LLM Provider NOT provided" in text
        if is_unknown_model:
            text = "LiteLLM knows no provider of a model with this name"
        return JudgeError(
            text,
            retryable=(is_unreachable or _is_retryable(status)) and not no_quota,
            is_fatal=is_unreachable or no_quota or is_unknown_model or status in _FATAL_STATUS,
            status_code=status,
            retry_after_seconds=_retry_after_seconds(error),
            hint=self._hint(status, is_unreachable=is_unreachable, is_unknown_model=is_unknown_model),
        )

    def _hint(self, status: int | None, *, is_unreachable: bool, is_unknown_model: bool) -> str | None:
        if is_unknown_model:
            return "Name the provider too, as in openai/gpt-4o, anthropic/claude-sonnet-4-5 or ollama/llama3."
        if status in (401, 403):
            key = (
                " or ".join(self._missing_keys()) or f"{self._litellm.get_llm_provider(self.model)[1].upper()}_API_KEY"
            )
            return f"Check {key} in the environment: it is missing, wrong, or has no right to this model."
        if status == 404:
            return f"Check the model's name “{self.model}” and --api-base: the provider does not know them."
        if is_unreachable:
            return f"Check the network and --api-base ({self._settings.api_base or 'the provider’s own'})."
        return None


def _is_retryable(status: int | None) -> bool:
    """Return whether the same request may be served later; a status of success is a body that could not be read."""
    return status is None or status < 400 or status in _RETRYABLE_STATUS or status >= 500


def _readable(error: Exception) -> str:
    """Return what an exception of LiteLLM says, in the provider's words where it quotes them, without keys."""
    text = " ".join(str(getattr(error, "message", error)).split())
    text = _NOISE.sub("", _LITELLM_PREFIX.sub("", text))
    start = text.find('{"error"')
    if start >= 0:
        with contextlib.suppress(ValueError, KeyError, TypeError):
            text = text[:start] + json.JSONDecoder().raw_decode(text[start:])[0]["error"]["message"]
    return redact(text)[:600]


def _finish_reason(normalised: str | None, native: str | None) -> str | None:
    """Return why a reply ended: LiteLLM calls unknown, empty and missing reasons `stop`, so the raw one counts."""
    return normalised if normalised == "content_filter" else native or normalised


def _usage(response: Any) -> Usage | None:
    usage = getattr(response, "usage", None)
    if usage is None:
        return None
    return Usage(prompt_tokens=usage.prompt_tokens or 0, completion_tokens=usage.completion_tokens or 0)


def _retry_after_seconds(error: Exception) -> float | None:
    """Return the provider's Retry-After in seconds, where it gave one as a number."""
    headers = getattr(error, "litellm_response_headers", None)
    if headers is None:
        headers = getattr(getattr(error, "response", None), "headers", None)
    if not headers:
        return None
    for name, per_second in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers.get(name)) / per_second)
        except (TypeError, ValueError):
            continue
    return None
