"""The numbers that the report's charts draw, taken from the same summaries as its tables; draws nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grader.outputs.report.contents import ReportedRun
from grader.outputs.report.sections import BETWEEN, Spread, ranked, system_label
from grader.outputs.report.shown_text import fit_text
from grader.statistics.estimate import Estimate

_MOST_GROUP_ROWS = 200
"""Groups times systems up to which a chart can be read."""


def chart_data(runs: Sequence[ReportedRun], spreads: Sequence[Spread]) -> dict[str, Any]:
    """Return the data of all charts: intervals on one axis for each scale, spreads and groups for each run."""
    return {
        "intervals": _intervals(runs),
        "spreads": [_spread(run, spread) for run, spread in zip(runs, spreads, strict=True)],
        "groups": [_groups(run) for run in runs],
    }


def _intervals(runs: Sequence[ReportedRun]) -> list[dict[str, Any]]:
    by_scale: dict[tuple[float, float], list[dict[str, Any]]] = {}
    for run in runs:
        scale = run.rubric.scale
        for system in ranked(run):
            label = fit_text(system_label(run, system.system, len(runs) > 1))
            by_scale.setdefault((scale.min, scale.max), []).append({"label": label, **_mean(system.final.mean())})
    return [{"domain": list(ends), "rows": rows} for ends, rows in by_scale.items()]


def _spread(run: ReportedRun, spread: Spread) -> dict[str, Any]:
    rows = [
        {"label": fit_text(system), "class": name, "count": count, "share": count / (sum(counts) or 1)}
        for system, counts in spread.counts.items()
        for name, count in zip(spread.classes, counts, strict=True)
    ]
    return {"classes": list(spread.classes), "between": BETWEEN, "rows": rows}


def _groups(run: ReportedRun) -> dict[str, Any] | None:
    scale, groups = run.rubric.scale, run.summary.groups
    rows = [
        {"label": fit_text(system.system), "group": fit_text(group), **_mean(system.groups[group].mean())}
        for group in groups
        for system in ranked(run)
        if group in system.groups
    ]
    if not rows or len(rows) > _MOST_GROUP_ROWS:
        return None
    return {"domain": [scale.min, scale.max], "rows": rows}


def _mean(estimate: Estimate) -> dict[str, Any]:
    return {"mean": estimate.value, "low": estimate.low, "high": estimate.high, "n": estimate.n}
