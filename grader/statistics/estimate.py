"""The `Estimate`: one figure with its interval, how it was made and why it may be missing; calculates nothing."""

from __future__ import annotations

from dataclasses import dataclass

CONFIDENCE = 0.95
"""Of every interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A figure from `n` numbers or pairs, with its 95 % interval from `low` to `high`."""

    n: int
    value: float | None
    low: float | None = None
    high: float | None = None
    method: str = ""
    """How value and interval were made, in words."""
    reason: str = ""
    """Why there is no value, or no interval beside it, in words; empty where there are both."""
