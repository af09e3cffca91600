"""A real provider on loopback with scripted replies and a history: what the judge path is tested against."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from aiohttp import web


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripted:
    """What the provider does with one request."""

    text: str | None = "<analysis>fine</analysis>\n<score>50</score>"
    finish_reason: str | None = "stop"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    is_held: Callable[[], bool] = lambda: False
    """Asked again and again before `seconds` begin to count."""
    body: bytes | None = None
    """Sent instead of a chat completion."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Sent in the JSON of the answer besides, or in place of what it has: a `usage` of another kind, for one."""
    is_dripping: bool = False
    """Whether the answer is spaces without an end, one every 50 milliseconds."""
    is_reset: bool = False
    """Whether the connection is closed without a word."""
    choices: list[dict[str, Any]] | None = None
    prompt_tokens: int = 100
    completion_tokens: int = 20


class RateLimit:
    """Lets so many requests through in each window, and tells how many are left unless `is_silent`."""

    def __init__(
        self, requests: int, seconds: float = 1.0, *, is_bucket: bool = False, is_silent: bool = False
    ) -> None:
        self._requests, self._seconds = requests, seconds
        self._is_bucket, self._is_silent = is_bucket, is_silent
        self._left, self._since = float(requests), 0.0
        self.refused = 0

    def admit(self, now: float) -> tuple[bool, dict[str, str]]:
        """Return whether a request at `now` is let through, and the headers of its answer."""
        if self._is_bucket:
            self._left = min(self._requests, self._left + (now - self._since) * self._requests / self._seconds)
            self._since = now
        elif now - self._since >= self._seconds:
            self._left, self._since = float(self._requests), now
        is_admitted = self._left >= 1
        self._left -= is_admitted
        self.refused += not is_admitted
        return is_admitted, {} if self._is_silent else self._headers(now)

    def _headers(self, now: float) -> dict[str, str]:
        missing = (self._requests - self._left) * self._seconds / self._requests
        reset = missing if self._is_bucket else self._since + self._seconds - now
        return {
            "x-ratelimit-limit-requests": str(self._requests),
            "x-ratelimit-remaining-requests": str(int(self._left)),
            "x-ratelimit-reset-requests": f"{max(1, round(1000 * reset))}ms",
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the provider was sent."""

    body: dict[str, Any]
    headers: Mapping[str, str]
    at: float
    path: str = "/v1/chat/completions"

    @property
    def prompt(self) -> str:
        """The text of all messages."""
        return "\n".join(message["content"] for message in self.body["messages"])


Script = Callable[[Request], Scripted]


class Provider:
    """An OpenAI-compatible server in a thread of its own."""

    def __init__(self) -> None:
        self.history: list[Request] = []
        self.script: Script = lambda _: Scripted()
        self.rate_limit: RateLimit | None = None
        self.in_flight = 0
        self.most_in_flight = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        self._ready.wait(10)

    def reset(self) -> None:
        """Forget what was asked, and answer 50 to everything."""
        self.history.clear()
        self.script = lambda _: Scripted()
        self.rate_limit = None
        self.in_flight = self.most_in_flight = 0

    @property
    def base_url(self) -> str:
        """What `--api-base` wants."""
        return f"http://127.0.0.1:{self.port}/v1"

    def close(self) -> None:
        """End the server and its thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        app = web.Application()
        app.router.add_post("/{path:.*chat/completions}", self._answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        self._loop.run_until_complete(runner.setup())
        site = web.TCPSite(runner, "127.0.0.1", 0)
        self._loop.run_until_complete(site.start())
        self.port: int = runner.addresses[0][1]
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())
        left = asyncio.all_tasks(self._loop)  # of clients that were killed in the midst of a request
        for task in left:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        self._loop.close()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        asked = Request(
            body=await request.json(), headers=dict(request.headers), at=self._loop.time(), path=request.path
        )
        self.history.append(asked)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            scripted = self._limited(self.script(asked), asked)
            while scripted.is_held():
                await asyncio.sleep(0.05)
            await asyncio.sleep(scripted.seconds)
            if scripted.is_dripping:
                return await _drip(request)
            if scripted.is_reset and request.transport is not None:
                request.transport.close()
            return self._response(scripted, asked)
        finally:
            self.in_flight -= 1

    def _limited(self, scripted: Scripted, asked: Request) -> Scripted:
        """Return what is answered under the rate limit, if there is one: at once where it refuses."""
        if self.rate_limit is None:
            return scripted
        is_admitted, headers = self.rate_limit.admit(asked.at)
        if is_admitted:
            return replace(scripted, headers={**headers, **scripted.headers})
        return Scripted(status=429, headers=headers)

    def _response(self, scripted: Scripted, asked: Request) -> web.Response:
        if scripted.body is not None:
            return web.Response(status=scripted.status, body=scripted.body, headers=scripted.headers)
        if scripted.status != 200:
            error = {"error": {"message": f"scripted {scripted.status}", "type": "scripted", "code": None}}
            return web.json_response({**error, **scripted.more}, status=scripted.status, headers=scripted.headers)
        return web.Response(
            body=json.dumps(_completion(scripted, asked.body["model"])).encode(),
            content_type="application/json",
            headers=scripted.headers,
        )


async def _drip(request: web.Request) -> web.StreamResponse:
    """Write until the client has gone."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    with contextlib.suppress(ConnectionError):
        while True:
            await response.write(b" ")
            await asyncio.sleep(0.05)
    return response


def _completion(scripted: Scripted, model: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": scripted.text}
    choices = [{"index": 0, "message": message, "finish_reason": scripted.finish_reason}]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": choices if scripted.choices is None else scripted.choices,
        "usage": {
            "prompt_tokens": scripted.prompt_tokens,
            "completion_tokens": scripted.completion_tokens,
            "total_tokens": scripted.prompt_tokens + scripted.completion_tokens,
        },
        **scripted.more,
    }
