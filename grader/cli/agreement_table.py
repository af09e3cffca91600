"""Prints how far judge and experts agree; computes nothing that agreement.json does not hold."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from grader.cli.corrected_table import print_corrected
from grader.statistics.ratings import JUDGE

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from grader.statistics.agreement_records import Agreement, AgreementReport, Block, PairAgreement
    from grader.statistics.estimate import Estimate

_ALL = "all systems"


def print_agreement(report: AgreementReport) -> None:
    """Print what was entered blind and what was entered in sight of the judge's scores, each in its own tables."""
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 120, markup=False, highlight=False)
    for block in report.blocks:
        if not block.is_empty:
            _print_block(console, block)
            if block.counted:
                console.print(block.counted + "\n")
    print_corrected(console, report.corrected)


def _print_block(console: Console, block: Block) -> None:
    kind = "blind" if block.is_blind else "seen"
    for agreement, what in ((block.scores, "scores"), (block.criteria, "criteria")):
        if agreement.judge_and_experts:
            console.print(_table(agreement, f"agreement of judge and experts, {kind} {what}"))
            for reason in _reasons(agreement):
                console.print(f"  {reason}")
            console.print(agreement.reading + "\n")


def _table(agreement: Agreement, title: str) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, title=title, title_justify="left")
    for name in ("", "n", "same", "near", "kappa", "alpha", "Spearman", "difference"):
        table.add_column(name, justify="right" if name else "left")
    alphas = {group.system: group.alpha for group in agreement.together if JUDGE in group.raters}
    for pair in _shown(agreement.judge_and_experts):
        table.add_row(*_row(pair, pair.system or _ALL, alphas.get(pair.system)))
    each = agreement.judge_and_each if len(agreement.judge_and_each) > 1 else ()
    for pair in (*each, *agreement.between_experts):
        table.add_row(*_row(pair, f"{pair.first} and {pair.second}", None))
    return table


def _shown(pairs: tuple[PairAgreement, ...]) -> tuple[PairAgreement, ...]:
    """Return the rows worth showing: all systems together say nothing new where there is but one."""
    return pairs if len(pairs) > 2 else pairs[1:]


def _row(pair: PairAgreement, name: str, alpha: Estimate | None) -> tuple[str, ...]:
    shares = (_cell(pair.exact, is_share=True), _cell(pair.near, is_share=True))
    return (name, f"{pair.n:,}", *shares, *map(_cell, (pair.kappa, alpha, pair.spearman, pair.difference)))


def _cell(estimate: Estimate | None, *, is_share: bool = False) -> str:
    """Return the value, and under it the interval."""
    if estimate is None:
        return ""
    if estimate.value is None:
        return "–"
    factor, decimals, unit = (100, 0, " %") if is_share else (1, 2, "")
    value = f"{factor * estimate.value:.{decimals}f}{unit}"
    if estimate.low is None or estimate.high is None:
        return value
    return f"{value}\n{factor * estimate.low:.{decimals}f} to {factor * estimate.high:.{decimals}f}"


def _reasons(agreement: Agreement) -> Iterator[str]:
    """Say why figures or intervals are missing, each reason once with the systems that it is about."""
    shown = _shown(agreement.judge_and_experts)
    missing: dict[tuple[str, str], list[str]] = {}
    for pair in shown:
        named = {"kappa": pair.kappa, "Spearman": pair.spearman, "difference": pair.difference}
        for name, estimate in named.items():
            if estimate.reason:
                missing.setdefault((name, estimate.reason), []).append(pair.system or _ALL)
    systems = {pair.system for pair in shown}
    for group in agreement.together:
        if group.alpha.reason and group.system in systems and JUDGE in group.raters:
            missing.setdefault(("alpha", group.alpha.reason), []).append(group.system or _ALL)
    for (name, reason), about in missing.items():
        yield f"{', '.join(about)}: {name}: {reason}"
