"""Reads the body of an answer in OpenAI's protocol: a reply, an error, what it used; fetches none.

Both transports read by it what providers say of tokens and errors, so that one answer means one thing by either.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import orjson

from grader.judging.endings import find_ending
from grader.records import Reply, Usage

UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, RecursionError)
"""What reading a body raises that is no chat completion."""

_TOO_MANY_TOKENS = 10**9
_TOO_LONG_FOR_USAGE = 1_000_000
"""A failed answer of more bytes is not searched for what it used: no provider sends one."""

_THOUGHTS = re.compile(r"<(think|thinking|budget:thinking)>.*?</(?:think|thinking|budget:thinking)>", re.DOTALL)
"""What some servers leave at the head of a reply; it is no part of the verdict, and LiteLLM takes it off too."""

_FINAL_STATUS = 422
_STATUS_OF_WORD = {
    **dict.fromkeys(("rate_limit_exceeded", "rate_limit_error", "rate_limit", "rate_limited"), 429),
    **dict.fromkeys(("too_many_requests", "resource_exhausted"), 429),
    **dict.fromkeys(("server_error", "internal_server_error", "internal_error", "api_error", "internal"), 500),
    **dict.fromkeys(("bad_gateway", "upstream_error"), 502),
    **dict.fromkeys(("service_unavailable", "service_unavailable_error", "unavailable"), 503),
    **dict.fromkeys(("overloaded_error", "overloaded", "server_overloaded", "engine_overloaded"), 503),
    **dict.fromkeys(("timeout", "timeout_error", "request_timeout", "gateway_timeout", "deadline_exceeded"), 408),
}
"""Providers' words, case folded, for failures that pass, with the HTTP status that each stands for."""


def parse_body(body: bytes | str) -> Any:
    """Return what the JSON of a body holds; NaN and halves of characters, which strict JSON has not, are let in.

    Raises:
        ValueError, RecursionError: it is no JSON.
    """
    try:
        return orjson.loads(body)
    except ValueError:
        return json.loads(body)


def read_reply(answer: Any, seconds: float) -> Reply:
    """Return the reply that a chat completion holds.

    Raises:
        TypeError, KeyError, AttributeError: `answer` is none.
    """
    choices = answer["choices"]
    choice = choices[0] if choices else {}
    message = choice.get("message") or {}
    return Reply(
        text=_text(message),
        finish_reason=_ending(choice) if choices else None,
        refusal=message.get("refusal") or None,
        usage=read_usage(answer.get("usage")),
        seconds=seconds,
    )


def read_usage(stated: object) -> Usage | None:
    """Return what an answer says that its call took, or `None` where it says nothing that can be so."""
    if not isinstance(stated, dict):
        return None
    return as_usage(stated.get("prompt_tokens"), stated.get("completion_tokens"))


def as_usage(prompt_tokens: object, completion_tokens: object) -> Usage | None:
    """Return whole numbers of tokens as a usage; of anything else it is not known what was used.

    No prompt is empty, so none has 0 tokens.
    """
    prompt, completion = _whole(prompt_tokens), _whole(completion_tokens)
    if prompt is None or completion is None or prompt < 1:
        return None
    return Usage(prompt_tokens=prompt, completion_tokens=completion)


def usage_in(body: bytes) -> Usage | None:
    """Return what the body of a failure says that the call took all the same, `None` where it says nothing."""
    if b'"usage"' not in body or len(body) > _TOO_LONG_FOR_USAGE:
        return None
    try:
        return read_usage(parse_body(body).get("usage"))
    except UNREADABLE:
        return None


def error_status(error: object) -> int:
    """Return the HTTP status that an error in the body of a success stands for: final, unless it says that it passes.

    `error` has a number as its `code`, or a word as `code`, `type` or `status`, or is such a word itself.
    """
    words = [error.get(name) for name in ("code", "type", "status")] if isinstance(error, Mapping) else [error]
    for word in words:
        if isinstance(word, int) and not isinstance(word, bool):
            return word
        if isinstance(word, str):
            status = int(word) if re.fullmatch("[45][0-9]{2}", word) else _STATUS_OF_WORD.get(word.casefold())
            if status is not None:
                return status
    return _FINAL_STATUS


def _whole(number: object) -> int | None:
    """Return a count of tokens as a whole number, `12.0` as 12, or `None` where it cannot be one."""
    if type(number) is float and number.is_integer():
        number = int(number)
    return number if type(number) is int and 0 <= number < _TOO_MANY_TOKENS else None


def _ending(choice: Mapping[str, Any]) -> str:
    return find_ending(choice.get("finish_reason"), choice.get("native_finish_reason"))


def _text(message: Mapping[str, Any]) -> str:
    """Return a message's text, never its reasoning."""
    content = message.get("content")
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if part.get("type", "text") == "text")
    text = str(content or "")
    if {"reasoning_content", "reasoning"} & message.keys():
        return text
    thoughts = _THOUGHTS.match(text)
    return text[thoughts.end() :] if thoughts else text
