"""Looks at the graded workbook that a new one would replace, so that nothing an expert typed is lost; changes none."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path

from grader.outputs.graded_workbook.expert_entries import ExpertEntry, Unreadable, cell_area, read_entries, read_keys
from grader.outputs.graded_workbook.opening import open_package
from grader.outputs.graded_workbook.package import Package, Unpatchable
from grader.outputs.graded_workbook.removal.changes import changes_by_hand
from grader.outputs.graded_workbook.removal.recognising import Ours, find_ours

_MOST_CELLS = 5_000_000
_WITH_ENTRIES = ("review", "verdicts", "blind")


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """What stands where the new workbook should go."""

    entries: Mapping[str, ExpertEntry] = field(default_factory=dict)
    """What experts have typed, there or in a criteria workbook that was graded before, by row key."""
    at_target: Set[str] = frozenset()
    """The keys of the entries that are lost if the target is replaced and they are not carried over."""
    obstacles: tuple[str, ...] = ()
    """Why the target must be kept in any case; each completes "because …"."""
    blind_keys: Set[str] = frozenset()
    """Of the rows on the sheet Blind, whether or not something was entered there."""

    def reasons_to_keep(self, carried: Set[str]) -> tuple[str, ...]:
        """Return why the target must not be replaced, once it is known which entries were carried over."""
        left = len(self.at_target - carried)
        if not left:
            return self.obstacles
        entries = "an entry of the expert's belongs" if left == 1 else f"{left} of the expert's entries belong"
        return (f"{entries} to rows that are no longer there", *self.obstacles)


def look_at_earlier(target: Path, criteria_path: Path | None, package: Package | None) -> Earlier:
    """Return what is known of the files that are there now; `package` is the criteria workbook as it was given."""
    ours = find_ours(package) if package is not None else Ours()
    before = _entries_in_criteria(criteria_path, package, ours)
    if not target.exists():
        return Earlier(entries=before)
    if criteria_path is not None and criteria_path.exists() and target.samefile(criteria_path):
        return Earlier(entries=before, obstacles=("it is the criteria workbook itself",))
    try:
        earlier = open_package(target)
        at_target = find_ours(earlier)
        typed = _read_entries(target, earlier, at_target)
        obstacles = tuple(changes_by_hand(earlier, at_target))
    except (Unreadable, Unpatchable):
        unreadable = "it could not be read, and may hold an expert's scores"
        return Earlier(entries=before, obstacles=(unreadable,))
    blind = [name for kind, name in at_target.sheets if kind == "blind"]
    return Earlier(
        entries={**before, **typed},
        at_target=frozenset(typed),
        obstacles=obstacles,
        blind_keys=read_keys(target, blind) if blind else frozenset(),
    )


def _entries_in_criteria(criteria_path: Path | None, package: Package | None, ours: Ours) -> dict[str, ExpertEntry]:
    """Return the entries of a criteria workbook that was graded before; most have none, and are not opened."""
    if criteria_path is None or package is None or not ours.sheets:
        return {}
    try:
        return _read_entries(criteria_path, package, ours)
    except Unreadable:
        return {}


def _read_entries(path: Path, package: Package, ours: Ours) -> dict[str, ExpertEntry]:
    names = [name for kind, name in ours.sheets if kind in _WITH_ENTRIES]
    # The reader makes room for every cell up to the last one, so one cell at XFD1048576 would take all memory.
    if any(cell_area(package.data(package.sheets()[name])) > _MOST_CELLS for name in names):
        raise Unreadable("its cells lie too far apart")
    return read_entries(path, names)
