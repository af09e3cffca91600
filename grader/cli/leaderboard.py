"""Prints the table of systems at the end of a run; computes nothing that summary.json does not hold."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from grader.outputs.summary import Summary, SystemSummary
from grader.statistics.estimate import Estimate

if TYPE_CHECKING:
    from rich.table import Table


def print_leaderboard(summary: Summary, *, title: str) -> None:
    """Print a row for each system, best first, and its means by group where there are groups.

    Once experts have entered something, the means of the scores that count stand beside the judge's.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    ranked = sorted(summary.systems.values(), key=_rank)
    table = Table(box=SIMPLE_HEAD, title=title, title_justify="left")
    is_reviewed = any(system.reviewed for system in summary.systems.values())
    finals = ("final mean", "95 % interval") if is_reviewed else ()
    mean = "judge mean" if is_reviewed else "mean"
    for name in ("system", "n", mean, "95 % interval", *finals, "unscored", "flagged", "cost"):
        table.add_column(name, justify="left" if name == "system" else "right")
    for system in ranked:
        table.add_row(*_row(system, is_reviewed=is_reviewed))
    tables: list[Table] = [table]
    if summary.groups:
        tables.append(_by_group(ranked, summary.groups))
    console = Console(width=None if sys.stdout.isatty() else 120, markup=False, highlight=False)
    for each in tables:
        console.print(each)


def _rank(system: SystemSummary) -> tuple[bool, float]:
    mean = system.mean.value
    return mean is None, -(mean or 0.0)


def _row(system: SystemSummary, *, is_reviewed: bool) -> tuple[str, ...]:
    mean, final = system.mean, system.final.mean()
    finals = (_value(final), _interval(final)) if is_reviewed else ()
    counts = (str(system.unscored), str(system.flagged))
    return (system.system, str(mean.n), _value(mean), _interval(mean), *finals, *counts, _cost(system))


def _cost(system: SystemSummary) -> str:
    if system.has_unknown_cost:
        return "unknown"
    return "–" if system.cost_usd is None else f"${system.cost_usd:.4f}"


def _by_group(systems: list[SystemSummary], groups: list[str]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, title="mean (n) by group", title_justify="left")
    table.add_column("system")
    for group in groups:
        table.add_column(group, justify="right")
    for system in systems:
        means = [system.groups[group].mean() if group in system.groups else None for group in groups]
        table.add_row(system.system, *(f"{_value(mean)} ({mean.n})" if mean else "–" for mean in means))
    return table


def _value(mean: Estimate) -> str:
    return "–" if mean.value is None else f"{mean.value:.2f}"


def _interval(mean: Estimate) -> str:
    return "–" if mean.low is None or mean.high is None else f"{mean.low:.2f} to {mean.high:.2f}"
