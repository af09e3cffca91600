"""Writes agreement.json, all that an `AgreementReport` holds; computes none of it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grader.outputs.atomic_file import writing
from grader.statistics.agreement_records import AgreementReport
from grader.statistics.estimate import CONFIDENCE

AGREEMENT_VERSION = 1
"""Of agreement.json: grows when a key changes its meaning."""


def write_agreement_json(path: Path, report: AgreementReport) -> None:
    """Write `report` to `path`.

    Raises:
        RunError: the folder cannot be written or the disk is full; what stood at `path` stays.
    """
    with writing(path) as file:
        json.dump(agreement_record(report), file, ensure_ascii=False, indent=2, allow_nan=False)
        file.write("\n")


def agreement_record(report: AgreementReport) -> dict[str, Any]:
    """Return the report as plain data; its keys are the records' fields.

    Every estimate is `{n, value, low, high, method, reason}`; what could not be computed is null, with a reason.
    """
    return {"version": AGREEMENT_VERSION, "confidence": CONFIDENCE, **asdict(report)}
