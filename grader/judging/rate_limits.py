"""Reads from a provider's headers how much it still takes and until when; paces nothing itself.

Known are the headers of OpenAI and those who follow it (`x-ratelimit-remaining-requests`), Anthropic's
(`anthropic-ratelimit-requests-remaining`), the plain ones (`x-ratelimit-remaining`), and the IETF's drafts
(`ratelimit-remaining`; `ratelimit` with `ratelimit-policy`).
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

_NAMES = {
    "requests": (
        "x-ratelimit-{}-requests",
        "anthropic-ratelimit-requests-{}",
        "x-ratelimit-{}",
        "ratelimit-{}",
    ),
    "tokens": ("x-ratelimit-{}-tokens", "anthropic-ratelimit-tokens-{}"),
}
_UNIT_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_POLICY_FIELD = re.compile(r"\b(limit|remaining|reset|[qwrt])\s*=\s*(\d+)")
_EPOCH = 1e9
"""A reset beyond so many seconds is a time of day, in seconds or milliseconds since 1970."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """How much of one thing a provider takes: `remaining` of `limit`, until it is whole again in so many seconds."""

    limit: float
    remaining: float
    reset_seconds: float
    window_seconds: float | None = None
    """For how long the limit is, where the provider says it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimits:
    """What one answer of a provider said of its limits."""

    requests: Quota | None = None
    tokens: Quota | None = None


@runtime_checkable
class TellsLimits(Protocol):
    """A judge that reads its provider's headers; `seen_limits` are those of the answer that came last."""

    seen_limits: RateLimits | None


def read_rate_limits(headers: Mapping[str, str]) -> RateLimits | None:
    """Return what `headers` say, or `None` where they say nothing that can be read; names in any case."""
    found = {name.lower(): str(value) for name, value in headers.items() if "ratelimit" in name.lower()}
    if not found:
        return None
    requests = _quota(found, "requests") or _draft_quota(found)
    tokens = _quota(found, "tokens")
    return RateLimits(requests=requests, tokens=tokens) if requests or tokens else None


def _quota(found: Mapping[str, str], kind: str) -> Quota | None:
    for pattern in _NAMES[kind]:
        with contextlib.suppress(KeyError, ValueError):
            limit = _first_number(found[pattern.format("limit")])
            remaining = _first_number(found[pattern.format("remaining")])
            reset = _seconds(found[pattern.format("reset")])
            if limit > 0:
                window = _policy_window(found, limit) if kind == "requests" else None
                return Quota(limit=limit, remaining=remaining, reset_seconds=reset, window_seconds=window)
    return None


def _draft_quota(found: Mapping[str, str]) -> Quota | None:
    """Return what the single `RateLimit` header of the newer drafts says, with its policy."""
    fields = dict(_POLICY_FIELD.findall(found.get("ratelimit", "")))
    policy = dict(_POLICY_FIELD.findall(found.get("ratelimit-policy", "")))
    limit = fields.get("limit") or policy.get("q")
    remaining, reset = fields.get("remaining") or fields.get("r"), fields.get("reset") or fields.get("t")
    if limit is None or remaining is None or reset is None or float(limit) <= 0:
        return None
    window = policy.get("w")
    return Quota(
        limit=float(limit),
        remaining=float(remaining),
        reset_seconds=float(reset),
        window_seconds=float(window) if window else None,
    )


def _policy_window(found: Mapping[str, str], limit: float) -> float | None:
    """Return the window that the policy gives for `limit`, as in `100;w=60`."""
    text = ",".join((found.get("ratelimit-policy", ""), found.get("ratelimit-limit", "")))
    for part in text.split(","):
        window = re.search(r"\bw=(\d+)", part)
        if window and re.match(rf"\s*{limit:.0f}\s*;", part):
            return float(window[1]) or None
    return None


def _first_number(text: str) -> float:
    """Return the number that a header begins with: `100`, or `100, 100;w=60`."""
    return float(re.split(r"[,;]", text, maxsplit=1)[0])


def _seconds(text: str) -> float:
    """Return a reset in seconds from now: given as `6m0s`, `20ms`, `1.5`, a time in seconds or ISO 8601."""
    text = text.strip()
    with contextlib.suppress(ValueError):
        value = float(text)
        if value > _EPOCH * 1000:
            value /= 1000
        return max(0.0, value - time.time()) if value > _EPOCH else max(0.0, value)
    parts = _DURATION.findall(text)
    if parts and "".join(number + unit for number, unit in parts) == text:
        return sum(float(number) * _UNIT_SECONDS[unit] for number, unit in parts)
    return max(0.0, datetime.fromisoformat(text).timestamp() - time.time())
