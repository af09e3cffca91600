"""Figures and intervals as the report writes them; computes none of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from grader.rubric import Scale
from grader.statistics.estimate import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure in words: the value, its interval, and for the pointer how it was made or why it is missing."""

    value: str
    interval: str
    title: str


def score_figure(estimate: Estimate, scale: Scale) -> Figure:
    """Return a mean on `scale`."""
    decimals = 2 if scale.max - scale.min > 1 else 3
    return _figure(estimate, lambda number: f"{number:.{decimals}f}")


def share_figure(estimate: Estimate) -> Figure:
    """Return a share as a percentage."""
    return _figure(estimate, lambda number: f"{number:.0%}")


def plain_figure(estimate: Estimate) -> Figure:
    """Return a figure without a unit, such as a correlation."""
    return _figure(estimate, lambda number: f"{number:.2f}")


def as_estimate(record: Mapping[str, Any] | None) -> Estimate:
    """Return the estimate that a JSON file holds; without value where it holds none."""
    found = record or {}
    return Estimate(
        n=int(found.get("n") or 0),
        value=found.get("value"),
        low=found.get("low"),
        high=found.get("high"),
        method=str(found.get("method") or ""),
        reason=str(found.get("reason") or ""),
    )


def money(usd: float | None) -> str:
    """Return an amount in US dollars."""
    return "unknown" if usd is None else f"${usd:,.4f}"


def _figure(estimate: Estimate, shown: Callable[[float], str]) -> Figure:
    def words(number: float) -> str:
        return shown(number).replace("-", "\u2212")

    interval = "–"
    if estimate.low is not None and estimate.high is not None:
        interval = f"{words(estimate.low)} to {words(estimate.high)}"
    value = "–" if estimate.value is None else words(estimate.value)
    title = f"n = {estimate.n:,}; {estimate.method}" + (f"; {estimate.reason}" if estimate.reason else "")
    return Figure(value=value, interval=interval, title=title)
