"""Means with their intervals, gathered one number at a time; what every table of scores shows."""

from __future__ import annotations

import math
from dataclasses import dataclass

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """A mean of `n` numbers and its 95 % interval by Student's t; `reason` says why there is none."""

    n: int
    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""


class RunningMean:
    """Gathers numbers without keeping them: the sum for the mean, Welford's method for the spread."""

    def __init__(self) -> None:
        self.n = 0
        self._sum = 0.0
        self._centre = 0.0
        self._squares = 0.0

    @property
    def value(self) -> float:
        """The mean so far; a sum over a count, since whole scores then give the mean exactly."""
        return self._sum / self.n if self.n else 0.0

    def add(self, number: float) -> None:
        """Count one more number."""
        self.n += 1
        self._sum += number
        distance = number - self._centre
        self._centre += distance / self.n
        self._squares += distance * (number - self._centre)

    def mean(self) -> Mean:
        """Return the mean so far; no interval for fewer than two numbers, or where all are the same."""
        if self.n == 0:
            return Mean(n=0, value=None, reason="nothing is scored")
        if self.n == 1:
            return Mean(n=1, value=self.value, reason="not computable from one score")
        if self._squares <= 1e-12 * max(1.0, self.value**2):
            return Mean(n=self.n, value=self.value, reason="not computable: all scores are the same")
        half = t_quantile(self.n - 1) * math.sqrt(self._squares / (self.n - 1) / self.n)
        return Mean(n=self.n, value=self.value, low=self.value - half, high=self.value + half)


def t_quantile(degrees_of_freedom: int) -> float:
    """Return the quantile of Student's t that leaves 2.5 % above it."""
    from scipy.special import stdtrit  # a tenth of a second, and only for those who need it

    return float(stdtrit(degrees_of_freedom, (1 + CONFIDENCE) / 2))
