"""Writes compare.json, all that a `Comparison` holds; computes none of it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grader import __version__
from grader.comparison_records import Comparison
from grader.outputs.atomic_file import writing
from grader.statistics.comparison import PairedDifference
from grader.statistics.estimate import CONFIDENCE

COMPARE_VERSION = 1
"""Of compare.json: grows when a key changes its meaning."""


def write_compare_json(path: Path, comparison: Comparison) -> None:
    """Write `comparison` to `path`.

    Raises:
        RunError: the folder cannot be written or the disk is full; what stood at `path` stays.
    """
    with writing(path) as file:
        json.dump(compare_record(comparison), file, ensure_ascii=False, indent=2, allow_nan=False)
        file.write("\n")


def compare_record(comparison: Comparison) -> dict[str, Any]:
    """Return the comparison as plain data; its keys are the records' fields.

    Every estimate is `{n, value, low, high, method, reason}`; of each pair it is also said whether the two are told
    apart.
    """
    record = asdict(comparison)
    record["pairs"] = _told(comparison.pairs)
    record["groups"] = {group: _told(pairs) for group, pairs in comparison.groups.items()}
    return {
        "version": COMPARE_VERSION,
        "grader_version": __version__,
        "confidence": CONFIDENCE,
        **record,
    }


def _told(pairs: tuple[PairedDifference, ...]) -> list[dict[str, Any]]:
    return [{**asdict(pair), "is_told_apart": pair.is_told_apart} for pair in pairs]
