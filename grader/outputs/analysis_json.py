"""Writes analysis.json, all that an `ItemAnalysis` holds; computes none of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import orjson

from grader.outputs.atomic_file import writing
from grader.statistics.estimate import CONFIDENCE
from grader.statistics.item_analysis_records import ItemAnalysis

ANALYSIS_VERSION = 1
"""Of analysis.json: grows when a key changes its meaning."""


def write_analysis_json(path: Path, analysis: ItemAnalysis) -> None:
    """Write `analysis` to `path`; its keys are the records' fields.

    Every estimate is `{n, value, low, high, method, reason}`; what could not be computed is null, with a reason.

    Raises:
        RunError: the folder cannot be written or the disk is full; what stood at `path` stays.
    """
    with writing(path) as file:
        file.write(f'{{\n"version": {ANALYSIS_VERSION},\n"confidence": {CONFIDENCE}')
        for field in fields(analysis):
            file.write(f",\n{_as_json(field.name)}: ")
            file.writelines(_by_line(getattr(analysis, field.name)))
        file.write("\n}\n")


def _by_line(parts: Sequence[Any]) -> Iterator[str]:
    """Yield JSON with one line for each of many: thousands of criteria would be mostly indents."""
    if not parts:
        yield "[]"
        return
    for place, part in enumerate(parts):
        yield (",\n" if place else "[\n") + _as_json(part)
    yield "\n]"


def _as_json(part: Any) -> str:
    try:
        return orjson.dumps(part).decode()
    except TypeError:  # half of an emoji in a criterion, which UTF-8 has no form for
        return json.dumps(part, default=asdict, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
