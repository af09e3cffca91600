"""Looks at the graded workbooks that a new one follows, so that nothing an expert typed is lost; changes none."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass
from pathlib import Path

from python_calamine import CalamineError, CalamineWorkbook

from grader.outputs.graded_workbook.entry_rows import EntryRow, entry_rows
from grader.outputs.graded_workbook.expert_entries import (
    ExpertEntry,
    Unreadable,
    cell_area,
    read_entries,
    read_keys,
    typed_over,
)
from grader.outputs.graded_workbook.opening import open_package
from grader.outputs.graded_workbook.package import Package, Unpatchable
from grader.outputs.graded_workbook.removal.changes import changes_by_hand, is_untouched
from grader.outputs.graded_workbook.removal.recognising import Ours, find_ours
from grader.outputs.graded_workbook.saving import numbered_files
from grader.outputs.graded_workbook.source import has_theirs

_MOST_CELLS = 5_000_000
_MOST_NAMES = 5
_WITH_ENTRIES = ("review", "verdicts", "blind")


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What experts have typed in one workbook."""

    path: Path
    entries: Mapping[str, ExpertEntry]
    """By row key."""
    blind_keys: Set[str] = frozenset()
    """Of the rows on its sheet Blind, whether or not something was entered there."""
    is_target: bool = False
    """Whether the new workbook is to go where this one is."""
    is_beside: bool = False
    """Whether it is `graded (2).xlsx` or another with a number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """What stands where the new workbook should go, and beside it."""

    typed: tuple[Typed, ...] = ()
    """The workbook with the oldest entries first: of two about one row the later counts."""
    obstacles: tuple[str, ...] = ()
    """Why the target must be kept in any case; each completes "because …"."""
    is_criteria: bool = False
    """Whether the target is the criteria workbook itself, which stays where it is."""
    has_theirs: bool = False
    """Whether the target holds sheets of the expert's, which a workbook of our sheets alone would replace."""

    @property
    def keys(self) -> Set[str]:
        """The keys of all rows with an entry."""
        return {key for typed in self.typed for key in typed.entries}

    @property
    def blind_keys(self) -> Set[str]:
        """The keys of all rows that are to be scored blind."""
        return {key for typed in self.typed for key in typed.blind_keys}

    @property
    def carried_on(self) -> tuple[Typed, ...]:
        """The workbooks beside the target whose entries go into the new one."""
        return tuple(typed for typed in self.typed if typed.is_beside)

    def laid_over(self, stored: Mapping[str, ExpertEntry], *, is_reviewed: bool) -> dict[str, ExpertEntry]:
        """Return what is to stand in the new workbook; with `is_reviewed` the target's entries are stored already."""
        entries = dict(stored)
        for typed in self.typed:
            entries = typed_over(entries, typed.entries, is_reviewed=is_reviewed and typed.is_target)
        return entries

    def reasons_to_keep(self, carried: Set[str], *, is_reviewed: bool = False) -> tuple[str, ...]:
        """Return why the target must not be lost, once it is known which entries were carried over.

        With `is_reviewed` the target's entries are stored already.
        """
        reasons = list(self.obstacles)
        overruled = set() if is_reviewed else self._overruled()
        for typed in (typed for typed in self.typed if typed.is_target):
            lost = typed.entries.keys() - carried
            if overruled:
                rows = _row_names(typed.path, overruled)
                reasons.insert(0, f"another workbook that was saved later says otherwise about the same ({rows})")
            if lost:
                entries = (
                    "an entry of the expert's belongs"
                    if len(lost) == 1
                    else f"{len(lost)} of the expert's entries belong"
                )
                reasons.insert(0, f"{entries} to rows that are no longer there ({_row_names(typed.path, lost)})")
        return tuple(reasons)

    def _overruled(self) -> set[str]:
        """Return the keys of the target's entries of which a workbook that was saved later says otherwise."""
        earlier: Mapping[str, ExpertEntry] = {}
        keys: set[str] = set()
        for typed in self.typed:
            both = earlier.keys() & typed.entries.keys()
            keys |= {key for key in both if _says_otherwise(earlier[key], typed.entries[key])}
            earlier = typed.entries if typed.is_target else earlier
        return keys


def look_at_earlier(
    target: Path, criteria_path: Path | None, package: Package | None, *, known: Collection[str] = ()
) -> Earlier:
    """Return what is known of the files that are there now.

    Args:
        target: Where the new workbook is to go.
        criteria_path: The criteria workbook.
        package: The same as it was given, if it can be read.
        known: SHA-256 of workbooks beside the target whose entries were carried on or stored before.
    """
    before = _typed_in_criteria(criteria_path, package)
    beside = _typed_beside(target, known)
    if not target.exists():
        return Earlier(typed=(*before, *beside))
    if criteria_path is not None and criteria_path.exists() and target.samefile(criteria_path):
        return Earlier(typed=(*before, *beside), is_criteria=True)
    try:
        earlier = open_package(target)
        ours = find_ours(earlier)
        at_target = _read(target, earlier, ours, is_target=True)
        obstacles = tuple(changes_by_hand(earlier, ours))
    except (Unreadable, Unpatchable):
        unreadable = "it could not be read, and may hold an expert's scores"
        return Earlier(typed=(*before, *beside), obstacles=(unreadable,))
    in_order = sorted((at_target, *beside), key=lambda typed: typed.path.stat().st_mtime_ns)
    return Earlier(typed=(*before, *in_order), obstacles=obstacles, has_theirs=has_theirs(earlier))


def has_nothing_new(path: Path) -> bool:
    """Return whether a workbook is as we wrote it, so that another may take its place."""
    try:
        return is_untouched(open_package(path))
    except Unpatchable:
        return False


def unreviewed_count(
    entries: Mapping[str, ExpertEntry], stored: Mapping[str, ExpertEntry], hashes: Iterable[tuple[str, str]]
) -> int:
    """Return how many entries stand in the workbook and not in the store; `hashes` are today's rows and texts.

    A score and its comment are one entry, and so are a verdict on a criterion and its comment.
    """
    none = ExpertEntry()
    count = 0
    for key, text_hash in hashes:
        entry, known = entries.get(key, none), stored.get(key, none)
        if entry is known or entry.text_hash != text_hash:
            continue
        known = known if known.text_hash == text_hash else none
        count += (entry.score, entry.comment) != (known.score, known.comment)
        count += (entry.blind_score, entry.blind_comment) != (known.blind_score, known.blind_comment)
        for place, criterion in entry.criteria.items():
            old = known.criteria.get(place)
            count += (criterion.met, criterion.comment) != ((old.met, old.comment) if old else (None, ""))
    return count


def _says_otherwise(entry: ExpertEntry, later: ExpertEntry) -> bool:
    """Return whether something in an entry is gone once the later one is laid over it."""
    return any(
        said and says and said != says for said, says in zip(_parts(entry, later), _parts(later, entry), strict=True)
    )


def _parts(entry: ExpertEntry, other: ExpertEntry) -> list[tuple[object, ...]]:
    """Return what an entry says in each place where either says something, `()` for nothing."""
    pairs = [(entry.score, entry.comment), (entry.blind_score, entry.blind_comment)]
    for place in sorted({*entry.criteria, *other.criteria}, key=str):
        criterion = entry.criteria.get(place)
        pairs.append((criterion.met, criterion.comment) if criterion else (None, ""))
    return [() if pair == (None, "") else pair for pair in pairs]


def _typed_in_criteria(criteria_path: Path | None, package: Package | None) -> list[Typed]:
    """Return the entries of a criteria workbook that was graded before; most have none, and are not opened."""
    ours = find_ours(package) if package is not None else Ours()
    if criteria_path is None or package is None or not ours.sheets:
        return []
    try:
        return [Typed(path=criteria_path, entries=_read_entries(criteria_path, package, ours))]
    except Unreadable:
        return []


def _typed_beside(target: Path, known: Collection[str]) -> list[Typed]:
    """Return what was typed in `graded (2).xlsx` …, which we wrote because the target was open or must be kept."""
    found = []
    for path in numbered_files(target):
        if target.exists() and _digest(path) in known:
            continue
        try:
            package = open_package(path)
            ours = find_ours(package)
            if ours.sheets and not (target.exists() and is_untouched(package)):
                found.append(_read(path, package, ours, is_beside=True))
        except (Unreadable, Unpatchable):
            continue  # it stays where it is
    return found


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read(path: Path, package: Package, ours: Ours, *, is_target: bool = False, is_beside: bool = False) -> Typed:
    blind = [name for kind, name in ours.sheets if kind == "blind"]
    return Typed(
        path=path,
        entries=_read_entries(path, package, ours),
        blind_keys=read_keys(path, blind) if blind else frozenset(),
        is_target=is_target,
        is_beside=is_beside,
    )


def _read_entries(path: Path, package: Package, ours: Ours) -> dict[str, ExpertEntry]:
    names = [name for kind, name in ours.sheets if kind in _WITH_ENTRIES]
    # The reader makes room for every cell up to the last one, so one cell at XFD1048576 would take all memory.
    if any(cell_area(package.data(package.sheets()[name])) > _MOST_CELLS for name in names):
        raise Unreadable("its cells lie too far apart")
    return read_entries(path, names)


def _row_names(path: Path, keys: Set[str]) -> str:
    """Return what the rows with these keys are called, in words."""
    try:
        workbook = CalamineWorkbook.from_path(path)
        sheets = [(name, workbook.get_sheet_by_name(name).iter_rows()) for name in workbook.sheet_names]
    except (CalamineError, zipfile.BadZipFile, OSError):
        return "which cannot be read"
    rows = (row for name, cells in sheets for row in entry_rows(name, cells) if isinstance(row, EntryRow))
    names = list(dict.fromkeys(_named(row) for row in rows if row.key in keys))
    return "; ".join(names[:_MOST_NAMES]) + (" …" if len(names) > _MOST_NAMES else "")


def _named(row: EntryRow) -> str:
    return f"id {row.item_id}" + (f" of {row.system}" if row.system else "")
