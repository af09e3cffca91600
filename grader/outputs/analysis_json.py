"""Writes analysis.json, all that an `ItemAnalysis` holds; computes none of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
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
        file.write(_document(analysis_record(analysis)))


def analysis_record(analysis: ItemAnalysis) -> dict[str, Any]:
    """Return the analysis as plain data; its keys are the records' fields.

    Every estimate is `{n, value, low, high, method, reason}`; what could not be computed is null, with a reason.
    """
    return {"version": ANALYSIS_VERSION, "confidence": CONFIDENCE, **asdict(analysis)}


def _document(record: Mapping[str, Any]) -> str:
    return "{\n" + ",\n".join(f"{_as_json(key)}: {_by_line(part)}" for key, part in record.items()) + "\n}\n"


def _by_line(part: Any) -> str:
    """Return JSON with one line for each of many: thousands of criteria would be mostly indents."""
    if not isinstance(part, list | tuple) or not part:
        return _as_json(part)
    return "[\n" + ",\n".join(map(_as_json, part)) + "\n]"


def _as_json(part: Any) -> str:
    return json.dumps(part, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
