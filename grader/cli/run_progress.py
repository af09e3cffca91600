"""Shows a benchmark while it goes on: a bar for each combination on a terminal, plain lines elsewhere; to stderr."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import click

from grader.benchmark_records import BenchmarkItem, Combination, ItemStatus
from grader.records import Reply

_SECONDS_BETWEEN_LINES = 10.0
_ERRORS = {
    ItemStatus.ERROR_WORKER_API: "worker",
    ItemStatus.ERROR_ACCURACY_JUDGE: "accuracy",
    ItemStatus.ERROR_INTEGRITY_JUDGE: "integrity",
    ItemStatus.ERROR_SUB_SCORE: "sub-score",
    ItemStatus.SKIPPED_DATA_INCOMPLETE: "skipped",
}


@dataclass(slots=True)
class Tally:
    """What a combination, or all of them, has come to so far."""

    total: int
    done: int = 0
    accuracy_sum: float = 0.0
    esi_sum: float = 0.0
    completed: int = 0
    errors: dict[str, int] | None = None

    def add(self, item: BenchmarkItem) -> None:
        """Count a finished item."""
        self.done += 1
        if item.esi is not None:
            self.completed += 1
            self.esi_sum += item.esi
            self.accuracy_sum += item.sub_scores.accuracy or 0.0
        name = _ERRORS.get(ItemStatus(item.status))
        if name:
            self.errors = self.errors or {}
            self.errors[name] = self.errors.get(name, 0) + 1

    @property
    def state(self) -> str:
        """Averages and errors, as one line."""
        averages = "ACC – · ESI –"
        if self.completed:
            averages = f"ACC {self.accuracy_sum / self.completed:.1f} · ESI {self.esi_sum / self.completed:.1f}"
        errors = ", ".join(f"{name} {count}" for name, count in (self.errors or {}).items())
        return f"{averages} · errors: {errors or 'none'}"


class BenchmarkProgress:
    """Counts what a benchmark tells it; the two shows below draw it."""

    def __init__(self, planned: Mapping[Combination, int]) -> None:
        self.tallies = {each: Tally(count) for each, count in planned.items()}
        self.all = Tally(sum(planned.values()))

    @property
    def done(self) -> int:
        """How many items are finished."""
        return self.all.done

    def called(self, reply: Reply) -> None:
        """Nothing is shown of single calls."""

    def finished(self, item: BenchmarkItem) -> None:
        """Count a finished item."""
        self.tallies[item.combination].add(item)
        self.all.add(item)


class _Bars(BenchmarkProgress):
    """A bar for each combination, that rich redraws."""

    def __init__(self, planned: Mapping[Combination, int]) -> None:
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        super().__init__(planned)
        self.shown = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("{task.fields[state]}"),
            console=Console(stderr=True),
        )
        self._tasks = {
            each: self.shown.add_task(
                escape(f"{each.dataset} · {each.model} · {each.prompt_version}"), total=tally.total, state=tally.state
            )
            for each, tally in self.tallies.items()
        }

    def finished(self, item: BenchmarkItem) -> None:
        super().finished(item)
        tally = self.tallies[item.combination]
        self.shown.update(self._tasks[item.combination], completed=tally.done, state=tally.state)


class _Lines(BenchmarkProgress):
    """A line every ten seconds, for logs."""

    def __init__(self, planned: Mapping[Combination, int]) -> None:
        super().__init__(planned)
        self._said = time.monotonic()

    def finished(self, item: BenchmarkItem) -> None:
        super().finished(item)
        now = time.monotonic()
        if now - self._said >= _SECONDS_BETWEEN_LINES or self.done == self.all.total:
            self._said = now
            click.echo(f"finished {self.done}/{self.all.total} · {self.all.state}", err=True)


@contextmanager
def benchmark_progress(
    planned: Mapping[Combination, int], *, is_quiet: bool, is_bar: bool
) -> Iterator[BenchmarkProgress]:
    """Show a benchmark while the context lasts."""
    if is_quiet:
        yield BenchmarkProgress(planned)
    elif not is_bar:
        yield _Lines(planned)
    else:
        bars = _Bars(planned)
        with bars.shown:
            yield bars
