"""Prints what a probe found out; computes nothing that probe.json does not hold."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from grader.outputs.probe_words import detail_words, failure_words, item_words, margin_words, verdict_words

if TYPE_CHECKING:
    from rich.console import Console

    from grader.probe_records import CheckedItem, ProbeReport

_MOST_LINES = 5
"""Of a canary that are printed; probe.json has all."""

_COLOURS = {"pass": "green", "fail": "bold red", "inconclusive": "yellow", "not_tested": "dim"}


def print_probe(report: ProbeReport) -> None:
    """Print a row for each canary, then the answers that failed and those of which nothing can be said."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(width=None if sys.stdout.isatty() else 120, markup=False, highlight=False)
    judge = (
        f"judge: {report.facts['model']}{' (text-matching baseline, no LLM)' if report.facts['is_baseline'] else ''}"
    )
    table = Table(box=SIMPLE_HEAD, title=f"{judge}, rubric: {report.facts['rubric']}", title_justify="left")
    for name in ("canary", "outcome", "failed answers", "margin", "remarks"):
        table.add_column(name, justify="right" if name == "margin" else "left")
    for canary in report.canaries:
        outcome = Text(canary.outcome.words, style=_COLOURS[canary.outcome])
        table.add_row(canary.title, outcome, failure_words(canary), margin_words(canary), detail_words(canary))
    console.print(table)
    for canary in report.canaries:
        lines = [_failure_line(item) for item in canary.failed]
        _print_lines(console, f"{canary.title}: {canary.wants}", lines)
    unusable = [item for canary in report.canaries for item in canary.unusable]
    _print_lines(console, "Answers of which nothing can be said, which is no pass:", map(_unusable_line, unusable))
    for note in report.notes:
        console.print(note)
    console.print(verdict_words(report))


def _print_lines(console: Console, heading: str, lines: Iterable[str]) -> None:
    """Print each line once, with how often it is to be said."""
    counts = Counter(lines)
    if not counts:
        return
    console.print(heading)
    for line, count in list(counts.items())[:_MOST_LINES]:
        console.print(f"  {line}{f' ({count} times)' if count > 1 else ''}")
    if len(counts) > _MOST_LINES:
        console.print(f"  … and {len(counts) - _MOST_LINES} more, in probe.json")
    console.print()


def _failure_line(item: CheckedItem) -> str:
    item_id, variant, score, expected = item_words(item)
    return f"id {item_id}, {variant}: {item.reason or f'got {score}, should be {expected}'}"


def _unusable_line(item: CheckedItem) -> str:
    return f"id {item.id}: {item.reason}"
