"""Shows a run while it goes on: a bar on a terminal, plain lines elsewhere, nothing when quiet; writes to stderr."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

from grader.records import Reply, StoredGrade, format_number

_SECONDS_BETWEEN_LINES = 10.0


class Progress:
    """Counts what a run tells it; the two shows below draw it."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self.unscored = 0
        self.calls = 0
        self.cost_usd = 0.0
        self._sum = 0.0
        self._started = time.monotonic()

    def called(self, reply: Reply) -> None:
        """Count a call."""
        self.calls += 1
        self.cost_usd += reply.cost_usd or 0.0

    def graded(self, stored: StoredGrade) -> None:
        """Count a grade."""
        self.done += 1
        score = stored.grade.verdict.score
        if score is None:
            self.unscored += 1
        else:
            self._sum += score

    @property
    def state(self) -> str:
        """The numbers behind the bar, as one line."""
        scored = self.done - self.unscored
        seconds = max(time.monotonic() - self._started, 1e-9)
        mean = format_number(round(self._sum / scored, 2)) if scored else "–"
        return f"mean {mean} · unscored {self.unscored} · ${self.cost_usd:.4f} · {self.calls / seconds:.1f} calls/s"


class _Bar(Progress):
    """A bar that rich redraws."""

    def __init__(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        super().__init__(total)
        self.shown = RichProgress(
            TextColumn("grading"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[state]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        self._task = self.shown.add_task("grading", total=total, state=self.state)

    def called(self, reply: Reply) -> None:
        super().called(reply)
        self.shown.update(self._task, state=self.state)

    def graded(self, stored: StoredGrade) -> None:
        super().graded(stored)
        self.shown.update(self._task, completed=self.done, state=self.state)


class _Lines(Progress):
    """A line every ten seconds, for logs."""

    def __init__(self, total: int) -> None:
        super().__init__(total)
        self._said = time.monotonic()

    def graded(self, stored: StoredGrade) -> None:
        super().graded(stored)
        now = time.monotonic()
        if now - self._said >= _SECONDS_BETWEEN_LINES or self.done == self.total:
            self._said = now
            click.echo(f"graded {self.done}/{self.total} · {self.state}", err=True)


@contextmanager
def progress(total: int, *, is_quiet: bool, is_bar: bool) -> Iterator[Progress]:
    """Show a run of `total` items while the context lasts."""
    if is_quiet:
        yield Progress(total)
    elif not is_bar:
        yield _Lines(total)
    else:
        bar = _Bar(total)
        with bar.shown:
            yield bar
