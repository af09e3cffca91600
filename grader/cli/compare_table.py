"""Prints systems or judges side by side; computes nothing that compare.json does not hold."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from grader.cli.corrected_table import print_corrected
from grader.statistics.figure_words import interval_words, left_out_words, p_words, value_words

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from grader.comparison_records import Comparison
    from grader.statistics.comparison import PairedDifference

_MOST_ROWS = 60


def print_comparison(comparison: Comparison) -> None:
    """Print how each stands, each two compared, by group, corrected means, and what to know of it all."""
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 140, markup=False, highlight=False)
    console.print(_standings(comparison))
    _print_pairs(console, comparison.pairs, f"paired differences, first minus second ({_scores(comparison)} scores)")
    for group, pairs in comparison.groups.items():
        _print_pairs(console, pairs, f"{group}: paired differences")
    print_corrected(console, (each.corrected for each in comparison.standings if each.corrected))
    for line in (*comparison.warnings, *_reasons(comparison)):
        console.print(line)


def _scores(comparison: Comparison) -> str:
    return "final" if comparison.scores == "final" else "the judge's"


def _standings(comparison: Comparison) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    is_ranked = comparison.kind == "systems"
    table = Table(box=SIMPLE_HEAD, title=f"{comparison.kind} compared", title_justify="left")
    ranked = ("rank",) if is_ranked else ()
    for name in (*ranked, "", "judge", "n", "mean", "95 % interval", "unscored", "not told apart from"):
        table.add_column(name, justify="left" if name in ("", "judge", "not told apart from") else "right")
    for each in comparison.standings:
        rank = (("–" if each.rank is None else str(each.rank)),) if is_ranked else ()
        figures = (str(each.mean.n), value_words(each.mean), interval_words(each.mean))
        table.add_row(*rank, each.name, each.judge, *figures, str(each.unscored), ", ".join(each.not_told_apart))
    return table


def _print_pairs(console: Console, pairs: tuple[PairedDifference, ...], title: str) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, title=title, title_justify="left")
    for name in ("first", "second", "n", "difference", "95 % interval", "win/tie/loss", "p", "p (Holm)", "detectable"):
        table.add_column(name, justify="left" if name in ("first", "second") else "right")
    table.add_column("told apart")
    for pair in pairs[:_MOST_ROWS]:
        table.add_row(*_row(pair))
    console.print(table)
    if len(pairs) > _MOST_ROWS:
        console.print(f"… and {len(pairs) - _MOST_ROWS:,} more: see compare.json")


def _row(pair: PairedDifference) -> tuple[str, ...]:
    return (
        pair.first,
        pair.second,
        str(pair.difference.n),
        value_words(pair.difference, is_signed=True),
        interval_words(pair.difference, is_signed=True),
        f"{pair.wins}/{pair.ties}/{pair.losses}",
        p_words(pair.p_value),
        p_words(pair.p_holm),
        "–" if pair.detectable is None else f"{pair.detectable:.2f}",
        "yes" if pair.is_told_apart else "no",
    )


def _reasons(comparison: Comparison) -> Iterator[str]:
    """Say what was left out of the pairs, and why figures are missing."""
    for pair in comparison.pairs:
        if pair.left_out:
            about = f"{pair.first} and {pair.second}"
            yield f"{about}: {left_out_words(pair.left_out)}"
        if pair.difference.reason:
            yield f"{pair.first} and {pair.second}: {pair.difference.reason}"
    for each in comparison.standings:
        if each.mean.reason:
            yield f"{each.name}: {each.mean.reason}"
