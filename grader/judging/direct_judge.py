"""Asks an endpoint that speaks OpenAI's protocol, without LiteLLM: one session, one HTTP request a call.

It reaches fewer providers than LiteLLM and costs a twentieth of its CPU. Retries, pacing and caching are not its
business; nor is which provider is where (see `openai_endpoints`).
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import orjson

from grader import __version__
from grader.judging.chat_completion import (
    UNREADABLE,
    error_status,
    parse_body,
    read_reply,
    usage_in,
)
from grader.judging.failures import Target, call_failure, is_filtered, timed_out, unreadable
from grader.judging.judge import Call
from grader.judging.openai_endpoints import Endpoint, find_endpoint
from grader.judging.rate_limits import RateLimits, read_rate_limits
from grader.records import JudgeSettings, Reply

_KEEP_ALIVE_SECONDS = 15.0
_NOBODY_THERE = (aiohttp.ClientConnectorError, aiohttp.InvalidURL, aiohttp.ClientProxyConnectionError)
"""Other failures of a connection come from a host that was reached: a reset, an answer cut off."""


class DirectJudge:
    """A model behind an OpenAI-compatible endpoint, named as for LiteLLM: `openai/gpt-4o`, `hosted_vllm/NAME`.

    Raises:
        JudgeError: the provider is of another kind, or its key or address is missing; no socket is opened.
    """

    is_baseline = False
    first_seconds = 0.01
    """So long other calls wait for the answer to the first: to wait until it comes would cost a run one latency, which
    is more than all else that a run in this way costs beside waiting."""
    seen_limits: RateLimits | None = None
    """What the provider said in its latest answer of how much it takes."""

    def __init__(self, settings: JudgeSettings) -> None:
        self.model = settings.model
        self._settings = settings
        self._endpoint: Endpoint = find_endpoint(settings)
        self._target = Target(model=settings.model, api_base=settings.api_base, key_names=self._endpoint.key_names)
        self._proxy = _proxy(self._endpoint.url)
        self._is_open = False

    def parameters(self, call: Call) -> Mapping[str, Any]:
        """Return what LiteLLM's judge returns, so that a run begun by one is finished by the other."""
        sent = {} if self._refuses_temperature else {"temperature": self._settings.temperature}
        return {**sent, "max_tokens": call.max_tokens, "api_base": self._settings.api_base}

    async def ask(self, call: Call) -> Reply:
        """Return the model's reply, made with exactly one request."""
        messages = call.prompt.with_nonce(secrets.token_hex(4))
        body = _encoded(self._endpoint.request(messages, call.max_tokens))
        self.seen_limits = None
        started = time.perf_counter()
        try:
            async with self._session.post(
                self._endpoint.url, data=body, proxy=self._proxy, allow_redirects=False
            ) as response:
                self.seen_limits = read_rate_limits(response.headers)
                content = await response.read()
        except TimeoutError as error:
            raise timed_out(self._settings.timeout_seconds, self._target) from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            text = f"no connection: {str(error) or type(error).__name__}"
            is_unreachable = isinstance(error, _NOBODY_THERE)
            raise call_failure(text, self._target, status=None, is_unreachable=is_unreachable) from error
        seconds = time.perf_counter() - started
        if response.status != 200:
            return self._refusal(response.status, response.headers, content, seconds)
        return self._as_reply(content, response.headers, seconds)

    async def close(self) -> None:
        """Close the connections."""
        if self._is_open:
            await self._session.close()

    @property
    def _refuses_temperature(self) -> bool:
        return self._endpoint.temperature is None and self._settings.temperature is not None

    @cached_property
    def _session(self) -> aiohttp.ClientSession:
        """The one session, opened by the first call since it belongs to a running loop."""
        self._is_open = True
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEEP_ALIVE_SECONDS),
            timeout=aiohttp.ClientTimeout(total=self._settings.timeout_seconds),
            headers={
                "Content-Type": "application/json",
                "User-Agent": f"grader/{__version__}",
                **self._endpoint.headers,
            },
            cookie_jar=aiohttp.DummyCookieJar(),
        )

    def _refusal(self, status: int, headers: Mapping[str, str], content: bytes, seconds: float) -> Reply:
        """Return the reply that a filter's refusal is, or raise what any other answer without success means."""
        text = content.decode("utf-8", "replace")
        usage = usage_in(content)
        if is_filtered(status, text):
            return Reply(finish_reason="content_filter", usage=usage, seconds=seconds)
        raise call_failure(text or f"HTTP {status}", self._target, status=status, headers=headers, usage=usage)

    def _as_reply(self, content: bytes, headers: Mapping[str, str], seconds: float) -> Reply:
        """Return what the body of a success says; one that is no chat completion is a failure that may pass."""
        try:
            answer = parse_body(content)
            if answer.get("error"):
                return self._refusal(error_status(answer["error"]), headers, content, seconds)
            return read_reply(answer, seconds)
        except UNREADABLE as error:
            raise unreadable(content, self._target, usage=usage_in(content)) from error


def _encoded(request: Mapping[str, Any]) -> bytes:
    try:
        return orjson.dumps(request)
    except TypeError:  # a lone surrogate, for which UTF-8 has no form
        for message in request["messages"]:
            message["content"] = message["content"].encode("utf-8", "replace").decode()
        return orjson.dumps(request)


def _proxy(url: str) -> str | None:
    """Return the proxy that the environment names for `url`; looked up once, since it costs as much as a call."""
    parts = urlsplit(url)
    if proxy_bypass(parts.hostname or ""):
        return None
    return getproxies().get(parts.scheme)
