"""Decides what becomes of the workbook that stands where a new one goes, and says so; reads no entries.

The new one is `graded.xlsx`, and an earlier one that must be kept gets another name, so that the user goes on with one
name. Only what is open in another program, or is the criteria workbook itself, stays under its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from grader.outputs.graded_workbook.earlier import Earlier, has_nothing_new
from grader.outputs.graded_workbook.saving import keep_earlier, save_beside

Outcome = TypeVar("Outcome")


@dataclass(slots=True)
class Target:
    """Where the new workbook goes, and what becomes of the one that stands there."""

    path: Path
    earlier: Earlier
    reasons: tuple[str, ...]
    """Why what stands there must be kept; each completes "because …"."""
    kept: Path | None = None
    """Where it was kept."""

    def save(self, write: Callable[[Path], Outcome], *, suffix: str | None = None) -> tuple[Path, Outcome]:
        """Save a workbook, one of our sheets alone where its `suffix` is given."""
        target = self.path.with_suffix(suffix) if suffix else self.path
        if suffix and self.earlier.has_theirs and target == self.path:
            self.reasons = (*self.reasons, "it holds the expert's sheets, and the new one does not")
        path, outcome = save_beside(
            target,
            write,
            is_fixed=self.earlier.is_criteria and target == self.path,
            before_replacing=self._keep,
            may_replace=has_nothing_new,
        )
        if self.kept and path != target:  # it turned out to be open, and stays where it was
            self.kept.unlink()
            self.kept = None
        return path, outcome

    def notes(self, path: Path) -> list[str]:
        """Return what is to be said of where the new workbook is, now that it was saved at `path`."""
        name = self.path.with_suffix(path.suffix).name
        if self.kept:
            return [f"The earlier {name} was kept as {self.kept.name}, because {', and '.join(self.reasons)}."]
        if path.name == name:
            return []
        if self.earlier.is_criteria:
            return [f"{name} was kept, because it is the criteria workbook itself; the new workbook is {path.name}."]
        return [f"{name} is open in another program, so the new workbook was saved as {path.name}."]

    def _keep(self, there: Path) -> None:
        if self.reasons:
            self.kept = keep_earlier(there)
