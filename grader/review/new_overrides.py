"""Finds what is new in graded workbooks that came back, against what the run's store knows; stores nothing.

A cell says something new where it differs from what `grader review` had stored of it (the hidden column *Entered
before*) and from what its reviewer entered last. A cell may show what several experts said together: changed or
emptied, it speaks for its own reviewer only, and nobody else's entry is touched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.outputs.expert_scores import criterion_of, override_key, signed_comment
from grader.outputs.graded_workbook.entry_rows import EntryRow, Kind
from grader.outputs.graded_workbook.entry_values import (
    Unclear,
    entered_comment,
    parse_entered_score,
    parse_entered_verdict,
)
from grader.outputs.graded_workbook.expert_entries import same_score
from grader.outputs.graded_workbook.keys import grade_key, item_key, judge_hash, text_hash
from grader.records import CellRef, Grade, Override, format_number
from grader.review.graded_files import GradedFile, PercentCells
from grader.rubric import Scale

Value = float | bool | None
_SORTS: Mapping[Kind, str] = {"review": "score", "verdicts": "verdict", "blind": "blind score"}
Place = tuple[object, ...]
"""Row key, criterion, and whether it is the blind entry: what an override is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A grade of the run, as far as an entry needs to know it."""

    system: str
    item_id: str
    sample: int
    text_hash: str


@dataclass(slots=True)
class NewOverrides:
    """What came back, and what is to be said of it."""

    overrides: list[Override] = field(default_factory=list)
    problems: list[tuple[CellRef, str]] = field(default_factory=list)
    """Cells that cannot be stored; where there is one, nothing is."""
    stale: list[CellRef] = field(default_factory=list)
    """New entries made for texts that have changed since."""
    unknown: list[CellRef] = field(default_factory=list)
    """New entries about rows that the run does not have, or no longer: they are stored and count for nothing."""
    unplaced: list[CellRef] = field(default_factory=list)
    """Entries in rows that do not even say what they are about: they stay in their workbook."""
    changed_judge_cells: list[CellRef] = field(default_factory=list)
    counts: dict[Path, Counter[str]] = field(default_factory=dict)
    """By file what is new in it: `score`, `blind score`, `verdict`, `comment`, and `taken back`."""
    cleared_for_others: list[CellRef] = field(default_factory=list)
    """Cells that were emptied by somebody who had entered nothing there: what others entered stays."""


def targets_of(grades: Iterable[Grade]) -> dict[str, Target]:
    """Return the run's grades by their rows' keys."""
    return {
        grade_key(grade): Target(
            system=grade.item.system,
            item_id=grade.item.id,
            sample=grade.sample,
            text_hash=text_hash(grade.item),
        )
        for grade in grades
    }


def find_new_overrides(
    files: Sequence[tuple[GradedFile, str]], *, targets: Mapping[str, Target], stored: Sequence[Override], scale: Scale
) -> NewOverrides:
    """Return what the files, each with its reviewer, say that is not stored yet; the one saved last is read last."""
    reading = _Reading(targets, stored, scale)
    for file, reviewer in sorted(files, key=lambda pair: pair[0].saved):
        reading.read(file, reviewer)
    return reading.found


class _Reading:
    """The going through all rows of all files."""

    def __init__(self, targets: Mapping[str, Target], stored: Sequence[Override], scale: Scale) -> None:
        self.found = NewOverrides()
        self._targets, self._scale = targets, scale
        self._latest: dict[tuple[Place, str, str], Override] = {}
        self._said: set[tuple[object, ...]] = set()
        for override in stored:
            self._note(override)
        self._stored: dict[Place, dict[str, Override]] = {}
        for (place, reviewer, _), override in self._latest.items():
            self._stored.setdefault(place, {})[reviewer] = override

    def read(self, file: GradedFile, reviewer: str) -> None:
        """Take note of all that is new in one file."""
        self.found.counts[file.path] = Counter()
        for lost in file.lost:
            names = " and ".join(f"“{name}”" for name in lost.missing)
            self._problem(file.ref(lost.sheet, lost.row, 0), f"the column {names} is not there any more")
        seen: dict[Place, tuple[EntryRow, Value, str]] = {}
        percent = PercentCells(file, self._scale)
        for row in file.rows:
            self._check_judge_cells(file, row)
            typed = self._typed(file, row)
            if typed is None:
                continue
            value, comment = typed
            place = _place_of_row(row)
            first = seen.setdefault(place, (row, value, comment))
            if first[0] is not row:
                self._check_copy(file, row, typed, first)
                continue
            before = row.before if place in self._stored else None
            if before is None or not _same(value, before[0]):
                self._check_value(file, row, value, percent)
            self._add(file, row, reviewer, self._event(file, row, reviewer, value, comment))

    def _typed(self, file: GradedFile, row: EntryRow) -> tuple[Value, str] | None:
        """Return what the row's cells say, or `None` where one of them cannot be read, which is noted."""
        is_readable = True
        for column in (row.value_column, row.comment_column):
            fault = file.faults.get((row.sheet, row.row, column))
            if fault:
                self._problem(file.ref(row.sheet, row.row, column), fault)
                is_readable = False
        if not is_readable:
            return None
        try:
            parse = parse_entered_score if row.criterion is None else parse_entered_verdict
            return parse(row.value), entered_comment(row.comment)
        except Unclear as unclear:
            self._problem(file.ref(row.sheet, row.row, row.value_column), str(unclear))
            return None

    def _check_value(self, file: GradedFile, row: EntryRow, value: Value, percent: PercentCells) -> None:
        if value is None or isinstance(value, bool):
            return
        cell = file.ref(row.sheet, row.row, row.value_column)
        if percent.has(row, value):
            self._problem(cell, f"{value:.4g} is shown as a percentage; type the score as a plain number")
        elif not self._scale.contains(value):
            step = f" in steps of {format_number(self._scale.step)}" if self._scale.step else ""
            self._problem(cell, f"{format_number(value)} is not on the scale {self._scale.described()}{step}")

    def _check_copy(
        self, file: GradedFile, row: EntryRow, typed: tuple[Value, str], first: tuple[EntryRow, Value, str]
    ) -> None:
        other, value, comment = first
        if _same(typed[0], value) and typed[1] == comment:
            return
        cell = file.ref(other.sheet, other.row, other.value_column)
        self._problem(
            file.ref(row.sheet, row.row, row.value_column),
            f"this row is a copy of the one at {cell.sheet}!{cell.cell}, and they say different things: delete one",
        )

    def _check_judge_cells(self, file: GradedFile, row: EntryRow) -> None:
        if row.judge_hash and row.judge_column is not None and row.judge_hash != _hash_of_judge_cells(row):
            self.found.changed_judge_cells.append(file.ref(row.sheet, row.row, row.judge_column))

    def _event(self, file: GradedFile, row: EntryRow, reviewer: str, value: Value, comment: str) -> Override | None:
        """Return what the reviewer says with this row, or `None` where that is nothing new."""
        place = _place_of_row(row)
        own = self._latest.get((place, reviewer, row.text_hash))
        own_value, own_comment = (_value_of(own), own.comment) if own else (None, "")
        if row.before is not None and place in self._stored:
            old_value, old_comment = row.before[0], entered_comment(row.before[1])
            is_cleared = value is None and not comment and (old_value is not None or bool(old_comment))
            if is_cleared and own_value is None and not own_comment:
                self.found.cleared_for_others.append(file.ref(row.sheet, row.row, row.value_column))
            value = own_value if _same(value, old_value) else value
            comment = own_comment if comment == old_comment else self._own_part(place, reviewer, comment)
        elif not _is_of_file(own, file):
            # An empty cell in another copy takes nothing back that was entered in the first.
            value = own_value if value is None else value
            comment = comment or own_comment
        if _same(value, own_value) and comment == own_comment:
            return None
        override = self._override(file, row, reviewer, value, comment)
        if override is None or _said(override) in self._said:
            return None
        if not _same(value, own_value):
            self.found.counts[file.path]["taken back" if value is None else _SORTS[row.kind]] += 1
        if comment != own_comment:
            self.found.counts[file.path]["comment" if comment else "taken back"] += 1
        return override

    def _own_part(self, place: Place, reviewer: str, comment: str) -> str:
        """Return a changed comment without what other experts had said in the same cell."""
        others = (each for name, each in self._stored.get(place, {}).items() if name != reviewer and each.comment)
        for other in others:
            comment = comment.replace(signed_comment(other), "", 1)
        return comment.strip().removeprefix(f"{reviewer}: ").strip()

    def _override(self, file: GradedFile, row: EntryRow, reviewer: str, value: Value, comment: str) -> Override | None:
        target = self._targets.get(row.key) or _named_target(row)
        column = row.value_column if value is not None else row.comment_column
        if target is None:
            self.found.unplaced.append(file.ref(row.sheet, row.row, column))
            return None
        level, number = row.criterion or (None, None)
        return Override(
            system=target.system,
            item_id=target.item_id,
            sample=target.sample,
            level=level,
            number=number,
            score=None if isinstance(value, bool) else value,
            met=value if isinstance(value, bool) else None,
            comment=comment,
            is_blind=row.kind == "blind",
            text_hash=row.text_hash,
            reviewer=reviewer,
            entered=file.saved,
            source=CellRef(path=str(file.path.absolute()), **_cell(file.ref(row.sheet, row.row, column))),
        )

    def _add(self, file: GradedFile, row: EntryRow, reviewer: str, override: Override | None) -> None:
        if override is None:
            return
        cell = file.ref(row.sheet, row.row, row.value_column)
        target = self._targets.get(row.key)
        if target is None:
            self.found.unknown.append(cell)
        elif target.text_hash != row.text_hash:
            self.found.stale.append(cell)
        self.found.overrides.append(override)
        self._note(override)

    def _note(self, override: Override) -> None:
        self._latest[(_place(override), override.reviewer, override.text_hash)] = override
        self._said.add(_said(override))

    def _problem(self, cell: CellRef, words: str) -> None:
        self.found.problems.append((cell, words))


def _place(override: Override) -> Place:
    return override_key(override), criterion_of(override), override.is_blind


def _place_of_row(row: EntryRow) -> Place:
    return row.key, row.criterion, row.kind == "blind"


def _said(override: Override) -> tuple[object, ...]:
    """Return what makes two entries one: the same words of the same person, saved at the same moment."""
    value = (override.score, override.met, override.comment)
    return (*_place(override), override.reviewer, override.text_hash, override.entered, *value)


def _value_of(override: Override) -> Value:
    return override.met if override.met is not None else override.score


def _same(one: Value, other: Value) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return same_score(one, other)


def _is_of_file(override: Override | None, file: GradedFile) -> bool:
    return override is not None and override.source is not None and Path(override.source.path) == file.path.absolute()


def _named_target(row: EntryRow) -> Target | None:
    """Return the grade that a row is about by what it shows, where the key says that nobody has changed that."""
    if item_key(row.system, row.item_id, row.sample) != row.key:
        return None
    return Target(system=row.system, item_id=row.item_id, sample=row.sample, text_hash=row.text_hash)


def _hash_of_judge_cells(row: EntryRow) -> str:
    cells = [cell if isinstance(cell, int | float) else entered_comment(cell) for cell in row.judge_cells]
    score, verdict, analysis = cells if row.kind == "review" else (None, *cells)
    return judge_hash(score, str(verdict), str(analysis))


def _cell(ref: CellRef) -> dict[str, str | None]:
    return {"sheet": ref.sheet, "cell": ref.cell}
