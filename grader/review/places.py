"""Decides whether a reviewed workbook may be written where it is asked for; writes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from grader.errors import InputError

_SUFFIXES = (".xlsx", ".xlsm")
_HINT = "Give --out the name of a new workbook, such as reviewed.xlsx, or leave it out for the run's graded.xlsx"


def check_out(out: Path, *, graded: Iterable[Path], criteria_path: Path, run_dir: Path) -> str:
    """Return what is to be said of `out`, the place for the updated workbook; empty as a rule.

    Raises:
        InputError: it is no name of a workbook, or a file stands there that must stay as it is.
    """
    if out.suffix.lower() not in _SUFFIXES or out.is_dir():
        raise InputError("the updated workbook cannot be written there: it is no .xlsx", path=out, hint=_HINT)
    if _is_same(out, criteria_path):
        raise InputError("this is the criteria workbook, which stays as it is", path=out, hint=_HINT)
    if not _is_same(out, run_dir / "graded.xlsx") and any(_is_same(out, path) for path in graded):
        raise InputError("this is an expert's workbook, which stays as it is", path=out, hint=_HINT)
    parent = out.parent
    while not parent.exists():
        parent = parent.parent
    if not parent.is_dir():
        raise InputError(f"{parent} is no folder", path=out, hint=_HINT)
    return "" if parent == out.parent else f"The folder {out.parent} was not there, and is made."


def _is_same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()
