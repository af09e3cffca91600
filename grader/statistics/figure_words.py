"""Puts figures into the words of a table's cell or of a line below it; computes nothing."""

from __future__ import annotations

from collections.abc import Iterable

from grader.statistics.correction_records import CorrectedMean, MoreRows
from grader.statistics.estimate import Estimate


def value_words(estimate: Estimate, *, is_signed: bool = False) -> str:
    """Return the value with two decimals, or a dash."""
    return "–" if estimate.value is None else f"{estimate.value:{'+' if is_signed else ''}.2f}"


def interval_words(estimate: Estimate, *, is_signed: bool = False) -> str:
    """Return the interval as `1.20 to 3.40`, or a dash."""
    if estimate.low is None or estimate.high is None:
        return "–"
    sign = "+" if is_signed else ""
    return f"{estimate.low:{sign}.2f} to {estimate.high:{sign}.2f}"


def estimate_words(estimate: Estimate | None) -> str:
    """Return value and interval as `2.30 (1.20 to 3.40)`, or a dash."""
    if estimate is None or estimate.value is None:
        return "–"
    return value_words(estimate) + ("" if estimate.low is None else f" ({interval_words(estimate)})")


def p_words(p_value: float | None) -> str:
    """Return a p-value as people read it."""
    if p_value is None:
        return "–"
    return "<0.001" if p_value < 0.001 else f"{p_value:.3f}"


def more_words(more: MoreRows) -> str:
    """Return how many more rows experts must score."""
    if more.count is None:
        return f"± {more.margin:.3g} is {more.reason}"
    if not more.count:
        return f"± {more.margin:.3g} is reached"
    return f"label {more.count:,} more rows for about ± {more.margin:.3g}"


def correction_lines(means: Iterable[CorrectedMean]) -> list[str]:
    """Return why corrected means are missing, and how many more rows would narrow an interval by how much."""
    said: dict[str, list[str]] = {}
    for each in means:
        reasons = [estimate.reason for estimate in (each.ppi, each.rogan_gladen) if estimate and estimate.reason]
        for line in [*dict.fromkeys(reasons), *([more_words(each.more)] if each.more else [])]:
            said.setdefault(line, []).append(each.system or "all systems")
    return [f"{', '.join(systems)}: {line}" for line, systems in said.items()]


def left_out_words(count: int) -> str:
    """Return of how many questions only one of two has a score."""
    verbs = ("question has", "is") if count == 1 else ("questions have", "are")
    return f"{count:,} {verbs[0]} a score of one only, and {verbs[1]} left out"
