"""Prints the judge's means corrected by experts' blind scores; computes nothing that the files do not hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from grader.statistics.figure_words import correction_lines, estimate_words

if TYPE_CHECKING:
    from rich.console import Console

    from grader.statistics.correction_records import CorrectedMean


def print_corrected(console: Console, means: Iterable[CorrectedMean]) -> None:
    """Print a row for each system, and why figures are missing; nothing without means."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    kept = list(means)
    if not kept:
        return
    is_binary = any(each.rogan_gladen is not None for each in kept)
    table = Table(
        box=SIMPLE_HEAD, title="mean corrected by what experts scored blind (95 % interval)", title_justify="left"
    )
    last = ("Rogan–Gladen",) if is_binary else ()
    for name in ("system", "blind", "of", "judge only", "experts only", "corrected (PPI++)", *last):
        table.add_column(name, justify="left" if name == "system" else "right")
    for each in kept:
        figures = (each.judge, each.experts, each.ppi, *((each.rogan_gladen,) if is_binary else ()))
        counts = (str(each.labelled_count), str(each.row_count))
        table.add_row(each.system or "all systems", *counts, *map(estimate_words, figures))
    console.print(table)
    for line in correction_lines(kept):
        console.print(f"  {line}")
