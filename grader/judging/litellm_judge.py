"""Asks any provider through LiteLLM, one HTTP request a call; the only module that imports LiteLLM.

Retries, pacing and caching are not its business: LiteLLM's own are switched off (see SPEED and RELIABILITY 7).
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import re
import secrets
import time
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from grader.errors import JudgeError
from grader.judging.chat_completion import (
    UNREADABLE,
    as_usage,
    error_status,
    parse_body,
    read_reply,
    read_usage,
    usage_in,
)
from grader.judging.endings import find_ending
from grader.judging.failures import Target, beginning, call_failure, is_filtered, missing_key, timed_out, unreadable
from grader.judging.judge import Call
from grader.judging.openai_endpoints import NAME_PROVIDER
from grader.judging.rate_limits import RateLimits, read_rate_limits
from grader.records import JudgeSettings, Reply, Usage

_LITELLM_PREFIX = re.compile(r"^(?:litellm\.)?(\w+Error: |\w+Exception - |litellm\.)+")
_NOISE = re.compile(r" ssl:<[^>]*>| \[Connect call failed [^\]]*\]")
_NO_CONNECTION = re.compile(r"Connection error|Cannot connect to host")
_HEADER_PREFIX = "llm_provider-"
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
    seen_limits: RateLimits | None = None
    """What the provider said in its latest answer of how much it takes."""

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
        heard: dict[str, Any] = {}
        started = time.perf_counter()
        try:
            async with asyncio.timeout(self._settings.timeout_seconds):  # LiteLLM's own is for each wait, not for all
                response = await self._litellm.acompletion(
                    model=self.model,
                    messages=call.prompt.with_nonce(secrets.token_hex(4)),
                    timeout=self._settings.timeout_seconds,
                    num_retries=0,
                    max_retries=0,
                    api_key=self._settings.api_key or self._api_key,
                    logger_fn=heard.update,  # told of the answer's body before LiteLLM reads it
                    **({"extra_headers": dict(self._settings.headers)} if self._settings.headers else {}),
                    **sent,
                )
        except TimeoutError as error:
            self.seen_limits = None
            raise timed_out(self._settings.timeout_seconds, self._target) from error
        except Exception as error:
            self.seen_limits = read_rate_limits(_error_headers(error) or {})
            return self._after(error, _body_of_success(error, heard), time.perf_counter() - started)
        self.seen_limits = read_rate_limits(_reply_headers(response))
        return self._as_reply(response, _usage(response, heard), time.perf_counter() - started)

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
        if not missing or self._settings.api_key:
            return None
        if self._settings.api_base is not None:
            return "not-needed"
        raise missing_key(self.model, missing)

    def _missing_keys(self) -> list[str]:
        keys: list[str] = self._litellm.validate_environment(model=self.model)["missing_keys"]
        return keys

    def _as_reply(self, response: Any, usage: Usage | None, seconds: float) -> Reply:
        if not response.choices:
            return Reply(usage=usage, seconds=seconds)
        choice = response.choices[0]
        own_fields = getattr(choice, "provider_specific_fields", None) or {}
        message_fields = getattr(choice.message, "provider_specific_fields", None) or {}
        return Reply(
            text=choice.message.content or "",
            finish_reason=find_ending(choice.finish_reason, own_fields.get("native_finish_reason")),
            refusal=message_fields.get("refusal") or None,
            usage=usage,
            seconds=seconds,
        )

    def _after(self, error: Exception, body: bytes, seconds: float) -> Reply:
        """Return the reply that LiteLLM did not hand on, or raise what its failure means.

        `body` is that of an answer with success, which it could not read, or which holds an error; else it is empty.
        """
        answer = _json_object(body)
        if answer and not answer.get("error"):
            with contextlib.suppress(*UNREADABLE):
                return read_reply(answer, seconds)  # LiteLLM refuses all of an answer for an odd usage
        usage = usage_in(body or _body_of_failure(error))
        if isinstance(error, self._litellm.ContentPolicyViolationError) or is_filtered(_status(error), str(error)):
            return Reply(finish_reason="content_filter", usage=usage, seconds=seconds)
        if answer and answer.get("error"):
            status, text = error_status(answer["error"]), body.decode("utf-8", "replace")
            raise call_failure(text, self._target, status=status, headers=_error_headers(error), usage=usage) from error
        if body and isinstance(error, self._litellm.APIError | self._litellm.APIConnectionError):
            raise unreadable(body, self._target, usage=usage) from error
        raise self._as_judge_error(error, usage) from error

    def _as_judge_error(self, error: Exception, usage: Usage | None) -> JudgeError:
        """Map any other exception of LiteLLM to ours; here and nowhere else."""
        text = beginning(str(getattr(error, "message", error))).partition("Traceback (most recent call last)")[0]
        text = _NOISE.sub("", _LITELLM_PREFIX.sub("", " ".join(text.split())))
        if "LLM Provider NOT provided" in text:
            return JudgeError(
                "LiteLLM knows no provider of a model with this name",
                retryable=False,
                is_fatal=True,
                hint=NAME_PROVIDER,
            )
        return call_failure(
            text,
            self._target,
            status=_status(error),
            headers=_error_headers(error),
            usage=usage,
            is_unreachable=isinstance(error, self._litellm.APIConnectionError) or bool(_NO_CONNECTION.search(text)),
        )

    @cached_property
    def _target(self) -> Target:
        names = self._missing_keys() or [f"{self._litellm.get_llm_provider(self.model)[1].upper()}_API_KEY"]
        return Target(model=self.model, api_base=self._settings.api_base, key_names=" or ".join(names))


def _usage(response: Any, heard: Mapping[str, Any]) -> Usage | None:
    """Return what LiteLLM says was used, unless the provider's own words are odd: it calls 0 what they leave open."""
    body = heard.get("original_response")
    answer = _json_object(body) if isinstance(body, str) else {}
    if "choices" in answer and "usage" in answer and read_usage(answer["usage"]) is None:
        return None
    usage = getattr(response, "usage", None)
    return as_usage(getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None))


def _body_of_success(error: Exception, heard: Mapping[str, Any]) -> bytes:
    """Return the body that LiteLLM had in hand when it failed; some of its clients tell of an exception's text instead.

    Such a text is that of an answer without success, which `error` holds as well, or is no JSON and has no status.
    """
    body = heard.get("original_response")
    if not isinstance(body, str) or _body_of_failure(error):
        return b""
    content = body.encode("utf-8", "replace")
    return content if _status(error) == 200 or _is_json(content) else b""


def _body_of_failure(error: BaseException | None) -> bytes:
    """Return the body of the answer without success that `error` was made of; LiteLLM's own has an empty one."""
    while error is not None:
        with contextlib.suppress(Exception):  # a response of another client, or one that was never read
            content = error.response.content  # type: ignore[attr-defined]
            if content:
                return bytes(content)
        error = error.__cause__ or error.__context__
    return b""


def _is_json(body: bytes) -> bool:
    try:
        parse_body(body)
    except UNREADABLE:
        return False
    return True


def _json_object(body: bytes | str) -> Mapping[str, Any]:
    """Return the JSON object that a body is, an empty one for any other."""
    with contextlib.suppress(*UNREADABLE):
        answer = parse_body(body)
        return answer if isinstance(answer, Mapping) else {}
    return {}


def _status(error: Exception) -> int | None:
    status = getattr(error, "status_code", None)  # a word, where a provider put one into the body of a success
    return status if isinstance(status, int) else None


def _error_headers(error: Exception) -> Mapping[str, str] | None:
    headers: Mapping[str, str] | None = getattr(error, "litellm_response_headers", None)
    return getattr(getattr(error, "response", None), "headers", None) if headers is None else headers


def _reply_headers(response: Any) -> Mapping[str, str]:
    """Return the provider's headers as it sent them; LiteLLM keeps each under a name with a prefix."""
    hidden = getattr(response, "_hidden_params", None) or {}
    headers = hidden.get("additional_headers") or {}
    return {name.removeprefix(_HEADER_PREFIX): value for name, value in headers.items()}
