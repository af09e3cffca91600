"""Decides when the next call may start: by the user's `--rpm` and `--tpm`, and by what the provider says it takes.

Both count requests or tokens alike. Neither sleeps nor holds anybody; `limits` does.
"""

from __future__ import annotations

import math

from grader.judging.rate_limits import Quota
from grader.records import Usage

_CATCH_UP_SECONDS = 0.05
"""How much of a late start the next ones may make up for: sleeps are late by a little, each and every one."""

_NATURAL_SECONDS = (0.1, 0.5, 1, 2, 5, 10, 15, 20, 30, 60, 300, 600, 3600, 86400)
_SNAP = 0.85
"""A reset this near a natural window is the end of one that began a little earlier."""

_PLENTY = 0.5
"""While more than this share of a quota is left, nobody is held back."""

_FASTEST = 2.0
"""How much faster than on average calls may start to use up what is left of a window."""

_SLOWEST = 10.0
"""Where nothing seems left, calls still start this much slower than the quota allows on average: the one that is served
tells of what has been given back."""


LONGEST_WAIT_SECONDS = 600.0
"""Whatever a provider says, the next call starts no later: headers may be wrong, and an answer tells more."""


class Pace:
    """Spreads what is used evenly, at `per_minute` at most."""

    def __init__(self, per_minute: float) -> None:
        self._seconds_each = 60 / per_minute
        self._next = 0.0

    def wait_seconds(self, now: float) -> float:
        """Return in how many seconds the next call may start."""
        return self._next - now

    def book(self, amount: float, now: float) -> None:
        """Count a call that starts now and uses `amount`."""
        self._next = _due(self._next, now) + amount * self._seconds_each

    def correct(self, difference: float) -> None:
        """Count that a call used so much more than was booked, or less."""
        self._next += difference * self._seconds_each


class Allowance:
    """Keeps to what a provider says is left, spread over the time until it gives more.

    A window that is filled anew at once, and a bucket that fills all the time, are kept to alike: `remaining / reset`
    is the right pace for the one, and for the other it settles at the rate at which the bucket fills.
    """

    def __init__(self) -> None:
        self._limit = 0.0
        self._window = 0.0
        self._shortest, self._longest = 0.0, math.inf
        self._left = 0.0
        self._until = 0.0
        self._has_plenty = True
        self._next = 0.0
        self._told_at = 0.0
        self.begun = 0.0
        """All that was ever booked; what a provider has not counted yet is told by it."""

    @property
    def is_told(self) -> bool:
        """Whether the provider has said anything."""
        return bool(self._limit)

    def told(self, quota: Quota, *, begun_before: float, started: float) -> None:
        """Take in what the answer to a call says that `started` when `begun_before` had been booked."""
        if started < self._told_at:
            return
        self._told_at = started
        self._limit = quota.limit
        guess = self._guess_window(quota)
        self._window = quota.window_seconds or guess
        self._left = quota.remaining - (self.begun - begun_before)
        self._until = started + quota.reset_seconds
        self._has_plenty = self._left > _PLENTY * quota.limit

    def _guess_window(self, quota: Quota) -> float:
        """Return for how long the limit must be, as far as can be told.

        It is no shorter than any reset. A bucket that lacks a tenth is full after a tenth of it; a window that has just
        begun looks longer by that, but not for long.
        """
        used = quota.limit - quota.remaining
        if used > 0:
            self._longest = min(self._longest, quota.reset_seconds * quota.limit / used)
        self._shortest = max(self._shortest, _natural(quota.reset_seconds))
        return self._shortest if self._longest == math.inf else max(self._shortest, self._longest)

    def wait_seconds(self, now: float) -> float:
        """Return in how many seconds the next call may start."""
        if not self._limit or self._has_plenty:
            return 0.0
        return self._next - now

    def book(self, amount: float, now: float) -> None:
        """Count a call that starts now and uses `amount`."""
        self.begun += amount
        self._left -= amount
        if not self._limit:
            return
        self._has_plenty = self._has_plenty and self._left > _PLENTY * self._limit
        self._next = min(_due(self._next, now) + amount * self._seconds_each(now), now + LONGEST_WAIT_SECONDS)

    def correct(self, difference: float) -> None:
        """Count that a call used so much more than was booked, or less."""
        self.begun += difference
        self._left -= difference

    def _seconds_each(self, now: float) -> float:
        average = self._window / self._limit
        if now >= self._until:
            return average
        seconds = (self._until - now) / self._left if self._left > 0 else _SLOWEST * average
        return min(max(seconds, self._shortest / self._limit / _FASTEST), _SLOWEST * average)


def _due(planned: float, now: float) -> float:
    """Return when a call that starts now was to start, where it is late by so little that others may make up for it."""
    return planned if now - planned <= _CATCH_UP_SECONDS else now


def _natural(seconds: float) -> float:
    """Return the window that a reset of so many seconds speaks of: a natural one that is a little longer, or itself."""
    return next((window for window in _NATURAL_SECONDS if _SNAP * window <= seconds <= window), max(seconds, 1e-3))


class TokenEstimate:
    """Guesses how many tokens a call will take, better with every call that was served."""

    def __init__(self) -> None:
        self._per_byte = 0.25
        self._completion: float | None = None

    def tokens(self, prompt_bytes: int, max_tokens: int | None) -> float:
        """Return the guess for a prompt of so many bytes; until a reply was seen, it is as long as it may be."""
        completion = float(max_tokens or 0) if self._completion is None else self._completion
        return prompt_bytes * self._per_byte + completion

    def learn(self, prompt_bytes: int, usage: Usage) -> None:
        """Take in what a call took."""
        if self._completion is None:
            self._per_byte, self._completion = usage.prompt_tokens / max(prompt_bytes, 1), usage.completion_tokens
            return
        self._per_byte += 0.1 * (usage.prompt_tokens / max(prompt_bytes, 1) - self._per_byte)
        self._completion += 0.1 * (usage.completion_tokens - self._completion)
