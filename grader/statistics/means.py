"""Means with their intervals, gathered one number at a time; what every table of scores shows."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable

from grader.statistics.estimate import Estimate
from grader.statistics.proportions import share_of_tops
from grader.statistics.student_t import t_quantile

_METHOD = "mean with Student's t interval"


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

    def mean(self, noun: str = "score") -> Estimate:
        """Return the mean so far; no interval for fewer than two numbers, or where all are the same.

        `noun` names one of the numbers where the interval's absence is explained.
        """
        if self.n == 0:
            return Estimate(n=0, value=None, method=_METHOD, reason="nothing is scored")
        if self.n == 1:
            reason = f"interval not computable from one {noun}"
            return Estimate(n=1, value=self.value, method=_METHOD, reason=reason)
        if self._squares <= 1e-12 * max(1.0, self.value**2):
            reason = f"interval not computable: all {noun}s are the same"
            return Estimate(n=self.n, value=self.value, method=_METHOD, reason=reason)
        half = t_quantile(self.n - 1) * math.sqrt(self._squares / (self.n - 1) / self.n)
        return Estimate(n=self.n, value=self.value, low=self.value - half, high=self.value + half, method=_METHOD)


class QuestionMeans:
    """Gathers scores by question: what one question was given several times is averaged before it counts, once.

    The scores of one question must come one after another, as they do in a run. `ends` are the only two scores that
    there can be, low and high, of a rubric that says yes or no: the mean then is a share, with Wilson's interval.
    """

    def __init__(self, ends: tuple[float, float] | None = None) -> None:
        self.score_count = 0
        """Scores that were added, of which one question may have several."""
        self._ends = ends
        self._tops = 0
        self._question: str | None = None
        self._current = RunningMean()
        self._earlier = RunningMean()

    def add(self, question: str, score: float) -> None:
        """Count one more score of `question`."""
        if question != self._question and self._current.n:
            self._earlier.add(self._current.value)
            self._current = RunningMean()
        self._question = question
        self._current.add(score)
        self.score_count += 1
        if self._ends and score not in self._ends:
            self._ends = None
        self._tops += self._ends is not None and score == self._ends[1]

    @property
    def n(self) -> int:
        """Questions that have a score."""
        return self._earlier.n + bool(self._current.n)

    def mean(self) -> Estimate:
        """Return the mean over the questions, with its interval."""
        if self._ends and 0 < self.n == self.score_count:
            return share_of_tops(self._tops, self.n, self._ends)
        means = copy.copy(self._earlier)
        if self._current.n:
            means.add(self._current.value)
        return means.mean("score" if self.n == self.score_count else "question's mean")


def mean_of(numbers: Iterable[float], noun: str) -> Estimate:
    """Return the mean of `numbers`, each of which is a `noun`."""
    running = RunningMean()
    for number in numbers:
        running.add(number)
    if not running.n:
        return Estimate(n=0, value=None, method=_METHOD, reason=f"not computable: there is no {noun}")
    return running.mean(noun)
