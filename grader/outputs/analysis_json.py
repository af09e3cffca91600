"""Writes analysis.json, all that an `ItemAnalysis` holds; computes none of it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grader.outputs.atomic_file import writing
from grader.statistics.estimate import CONFIDENCE
from grader.statistics.item_analysis_records import ItemAnalysis

ANALYSIS_VERSION = 1
"""Of analysis.json: grows when a key changes its meaning."""


def write_analysis_json(path: Path, analysis: ItemAnalysis) -> None:
    """Write `analysis` to `path`.

    Raises:
        RunError: the folder cannot be written or the disk is full; what stood at `path` stays.
    """
    with writing(path) as file:
        json.dump(analysis_record(analysis), file, ensure_ascii=False, indent=1, allow_nan=False)
        file.write("\n")


def analysis_record(analysis: ItemAnalysis) -> dict[str, Any]:
    """Return the analysis as plain data; its keys are the records' fields.

    Every estimate is `{n, value, low, high, method, reason}`; what could not be computed is null, with a reason.
    """
    return {"version": ANALYSIS_VERSION, "confidence": CONFIDENCE, **asdict(analysis)}
