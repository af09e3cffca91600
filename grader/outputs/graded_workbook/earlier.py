"""Looks at the graded workbook that a new one would replace, so that nothing an expert typed is lost."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path

from grader.outputs.graded_workbook.expert_entries import ExpertEntry, Unreadable, cell_area, is_review, read_entries
from grader.outputs.graded_workbook.package import Package

_MOST_CELLS = 5_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """What stands where the new workbook should go."""

    entries: Mapping[str, ExpertEntry] = field(default_factory=dict)
    """What experts have typed, there or in a criteria workbook that was graded before, by row key."""
    at_target: Set[str] = frozenset()
    """The keys of the entries that are lost if the target is replaced and they are not carried over."""
    obstacle: str | None = None
    """Why the target must be kept in any case."""

    def reason_to_keep(self, carried: Set[str]) -> str | None:
        """Return why the target must not be replaced, once it is known which entries were carried over."""
        left = len(self.at_target - carried)
        if left:
            return f"{left} of the expert's entries in it belong to texts or items that have changed since"
        return self.obstacle


def look_at_earlier(target: Path, criteria_path: Path | None, package: Package | None) -> Earlier:
    """Return what is known of the files that are there now; neither is changed."""
    before = _entries_in_criteria(criteria_path, package)
    if not target.exists():
        return Earlier(entries=before)
    if criteria_path is not None and criteria_path.exists() and target.samefile(criteria_path):
        return Earlier(entries=before, obstacle="it is the criteria workbook itself")
    try:
        typed = read_entries(target)
    except Unreadable:
        return Earlier(entries=before, obstacle="it could not be read, and may hold an expert's scores")
    return Earlier(entries={**before, **typed}, at_target=frozenset(typed))


def _entries_in_criteria(criteria_path: Path | None, package: Package | None) -> dict[str, ExpertEntry]:
    """Return the entries of a criteria workbook that was graded before; most have none, and are not opened."""
    if criteria_path is None or package is None:
        return {}
    reviews = [part for name, part in package.sheets().items() if is_review(name) and package.find(part)]
    # The reader makes room for every cell up to the last one, so one cell at XFD1048576 would take all memory.
    if not reviews or any(cell_area(package.data(part)) > _MOST_CELLS for part in reviews):
        return {}
    try:
        return read_entries(criteria_path)
    except Unreadable:
        return {}
