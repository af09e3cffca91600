"""Says what a failed call to a provider means: whether to try again, when, and what to do; makes no call itself."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from grader.errors import JudgeError
from grader.judging.redact import redact
from grader.records import Usage

_RETRYABLE_STATUS = frozenset({408, 409, 425, 429})
_FATAL_STATUS = frozenset({301, 302, 303, 307, 308, 401, 403, 404})
_LONGEST_TEXT = 600
_LONGEST_READ = 10_000
"""No more of an answer is searched for what it means: a broken one may have many megabytes."""

_FILTERED = re.compile(
    r'content_policy_violation|"code":\s*"content_filter"|rejected as a result of (?:the|our) safety system'
    r"|Invalid prompt.*violating our usage policy",
    re.IGNORECASE | re.DOTALL,
)
_UNKNOWN_MODEL = "model_not_found"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What was called, as the advice about a failure names it."""

    model: str
    api_base: str | None
    key_names: str
    """The environment variables that hold the key, as in `OPENAI_API_KEY`."""


def call_failure(
    text: str,
    target: Target,
    *,
    status: int | None,
    headers: Mapping[str, str] | None = None,
    usage: Usage | None = None,
    is_unreachable: bool = False,
) -> JudgeError:
    """Return what a failed call means; `text` is what came of it, such as the body of an answer with HTTP `status`."""
    text = beginning(text)
    has_no_quota = "insufficient_quota" in text
    if status == 400 and _UNKNOWN_MODEL in text:
        status = 404
    return JudgeError(
        readable(text) or (f"HTTP {status}" if status else "no answer"),
        retryable=(is_unreachable or _is_retryable(status)) and not has_no_quota,
        is_fatal=is_unreachable or has_no_quota or status in _FATAL_STATUS,
        status_code=status,
        retry_after_seconds=retry_after_seconds(headers),
        usage=usage,
        hint=_hint(status, target, is_unreachable=is_unreachable),
    )


def timed_out(seconds: float, target: Target) -> JudgeError:
    """Return the failure, which may pass, of a call whose answer was not whole in time."""
    return call_failure(f"no answer within {seconds:g} seconds", target, status=408)


def unreadable(body: bytes, target: Target, *, usage: Usage | None = None) -> JudgeError:
    """Return the failure, which may pass, of an answer that should be a reply and is none."""
    text = body[: 4 * _LONGEST_READ].decode("utf-8", "replace")
    return call_failure(f"the answer cannot be read: {text}", target, status=200, usage=usage)


def beginning(text: str) -> str:
    """Return as much of an answer as is searched for what it means, up to the end of a word: half a key is unknown."""
    if len(text) <= _LONGEST_READ:
        return text
    head = text[:_LONGEST_READ]
    end = max(head.rfind(space) for space in " \n\r\t")
    return head[:end] if end > 0 else head


def missing_key(model: str, names: list[str]) -> JudgeError:
    """Return the error of a provider that wants a key and has none; told before any call."""
    return JudgeError(
        f"{model}: the key {' or '.join(names)} is not in the environment",
        retryable=False,
        is_fatal=True,
        hint=f"Set it, as in: export {names[0]}=…",
    )


def is_filtered(status: int | None, text: str) -> bool:
    """Return whether a request was refused for what is in it: final, and about this item alone."""
    return status == 400 and bool(_FILTERED.search(beginning(text)))


def readable(text: str) -> str:
    """Return what a provider said went wrong, in its own words where they are in JSON, without keys."""
    text = " ".join(text.split())
    start = text.find('{"error"')
    if start < 0:
        start = text.find('{ "error"')
    if start >= 0:
        with contextlib.suppress(ValueError, KeyError, TypeError):
            text = text[:start] + json.JSONDecoder().raw_decode(text[start:])[0]["error"]["message"]
    return redact(text)[:_LONGEST_TEXT]


def retry_after_seconds(headers: Mapping[str, str] | None) -> float | None:
    """Return the provider's Retry-After in seconds, given as a number or as a date."""
    if not headers:
        return None
    for name, per_second in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name) or headers.get(name.title())
        if not value:
            continue
        with contextlib.suppress(ValueError):
            return max(0.0, float(value) / per_second)
        with contextlib.suppress(ValueError, TypeError):
            return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    return None


def _is_retryable(status: int | None) -> bool:
    """Return whether the same request may be served later; a status of success is a body that could not be read."""
    return status is None or status < 300 or status in _RETRYABLE_STATUS or status >= 500


def _hint(status: int | None, target: Target, *, is_unreachable: bool) -> str | None:
    if status in (401, 403):
        return f"Check {target.key_names} in the environment: it is missing, wrong, or has no right to this model."
    if status == 404:
        return f"Check the model's name “{target.model}” and --api-base: the provider does not know them."
    if status is not None and 300 <= status < 400:
        return "Check --api-base: the address sends callers elsewhere, and keys are not sent after it."
    if is_unreachable:
        return f"Check the network and --api-base ({target.api_base or 'the provider’s own'})."
    return None
