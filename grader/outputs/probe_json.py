"""Writes probe.json, all that a `ProbeReport` holds; computes none of it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grader.outputs.atomic_file import writing
from grader.probe_records import ProbeReport
from grader.statistics.estimate import CONFIDENCE

PROBE_VERSION = 1
"""Of probe.json: grows when a key changes its meaning."""


def write_probe_json(path: Path, report: ProbeReport) -> None:
    """Write `report` to `path`.

    Raises:
        RunError: the folder cannot be written or the disk is full; what stood at `path` stays.
    """
    with writing(path) as file:
        json.dump(probe_record(report), file, ensure_ascii=False, indent=2, allow_nan=False)
        file.write("\n")


def probe_record(report: ProbeReport) -> dict[str, Any]:
    """Return the report as plain data: the facts at the top, then the keys of the records.

    Every estimate is `{n, value, low, high, method, reason}`; what could not be computed is null, with a reason.
    """
    return {
        "version": PROBE_VERSION,
        "confidence": CONFIDENCE,
        "outcome": report.outcome,
        **report.facts,
        "notes": list(report.notes),
        "canaries": [asdict(canary) for canary in report.canaries],
    }
