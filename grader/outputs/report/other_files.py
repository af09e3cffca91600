"""Reads probe.json and compare.json as far as a report shows them, and says whether they are of this run; no more."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from grader.errors import InputError
from grader.outputs.report.contents import ReportedRun

_NEAR = 1e-9


class _Part(BaseModel):
    model_config = ConfigDict(extra="allow", allow_inf_nan=False)


class _Estimate(_Part):
    n: int = 0
    value: float | None = None
    low: float | None = None
    high: float | None = None
    method: str = ""
    reason: str = ""


class _Canary(_Part):
    name: str = ""
    title: str = ""
    wants: str = ""
    outcome: str = ""
    failures: _Estimate | None = None
    at_most: float | None = None
    margin: float | None = None
    reason: str = ""


class _Probe(_Part):
    canaries: list[_Canary]
    outcome: str = ""
    model: str = ""
    rubric: str = ""
    notes: list[str] = []


class _Pair(_Part):
    first: str
    second: str
    difference: _Estimate
    p_holm: float | None = None
    wins: int = 0
    ties: int = 0
    losses: int = 0
    is_told_apart: bool = False


class _Standing(_Part):
    name: str
    mean: _Estimate


class _Comparison(_Part):
    pairs: list[_Pair]
    scale: tuple[float, float] = (0.0, 100.0)
    kind: str = ""
    scores: str = ""
    standings: list[_Standing] = []


def read_probe_json(path: Path) -> Mapping[str, Any]:
    """Return what a probe.json holds.

    Raises:
        InputError: it is none.
    """
    return _read(path, _Probe)


def read_compare_json(path: Path) -> Mapping[str, Any]:
    """Return what a compare.json holds.

    Raises:
        InputError: it is none.
    """
    return _read(path, _Comparison)


def _read(path: Path, kind: type[_Part]) -> Mapping[str, Any]:
    try:
        return kind.model_validate_json(path.read_bytes()).model_dump()
    except (OSError, ValidationError) as error:
        raise InputError(
            f"this is not a file that grader wrote ({_first_fault(error)})",
            path=path,
            hint="Write it anew, or take it out of the run's folder.",
        ) from error


def _first_fault(error: OSError | ValidationError) -> str:
    if isinstance(error, OSError):
        return str(error.strerror or error)
    fault = error.errors()[0]
    return ": ".join(filter(None, [".".join(map(str, fault["loc"])), fault["msg"]]))


def probe_note(run: ReportedRun) -> str:
    """Return whose probe it is, and whether that is the run's judge and rubric."""
    probe = run.probe or {}
    model, rubric = probe.get("model") or "an unnamed judge", probe.get("rubric") or "an unnamed rubric"
    own = (run.record.get("model"), run.rubric.name)
    doubt = "" if (model, rubric) == own else f" This run was judged by {own[0]} with the rubric {own[1]}."
    return f"Of {model} with the rubric {rubric}.{doubt}"


def comparison_note(run: ReportedRun) -> str:
    """Return a warning where scores have changed since the systems of the run were compared; else nothing."""
    comparison = run.comparison or {}
    if (comparison.get("kind"), comparison.get("scores")) != ("systems", "final"):
        return ""
    for standing in comparison.get("standings") or ():
        system, then = run.summary.systems.get(standing["name"]), standing["mean"]["value"]
        now = system.final.mean().value if system else None
        if now is not None and (then is None or abs(now - then) > _NEAR):
            return "Scores have changed since: run grader compare again."
    return ""
