"""Says what is wrong between ranges of numbers that should follow on each other; reads them from nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise


def range_problem(ranges: Sequence[tuple[float, float]], step: float) -> str:
    """Return what is wrong between ranges in rising order: a gap, an overlap, or nothing."""
    for (low, high), (next_low, next_high) in pairwise(ranges):
        shown = f"{low:g}–{high:g} and {next_low:g}–{next_high:g}" if low != high else f"{low:g} and {next_low:g}"
        if next_low <= high:
            return f"the ranges {shown} overlap"
        if step and next_low - high > step + 1e-9:
            return f"there is a gap between the ranges {shown}"
    return ""
