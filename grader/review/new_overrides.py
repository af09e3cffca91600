"""Finds what is new in graded workbooks that came back, against what the run's store knows; stores nothing.

A cell says something new where it differs from what `grader review` had stored of it (the hidden column *Entered
before*) and from what its reviewer entered last. A cell may show what several experts said together: changed or
emptied, it speaks for its own reviewer only, and nobody else's entry is touched.

What is entered on Blind in a workbook that shows the judge's cells elsewhere by then is a score like one on Review: it
counts, and is not blind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from grader.outputs.expert_scores import signed_comment
from grader.outputs.graded_workbook.entry_rows import EntryRow, Kind
from grader.outputs.graded_workbook.entry_values import (
    Unclear,
    entered_comment,
    parse_entered_score,
    parse_entered_verdict,
)
from grader.outputs.graded_workbook.keys import judge_hash
from grader.records import CellRef, Override, format_number
from grader.review.comparing import Place, Value, is_same, place_of, place_of_row, said_by, value_of
from grader.review.findings import NewOverrides
from grader.review.graded_files import GradedFile, PercentCells
from grader.review.row_targets import RowTargets, Target, Unplaced
from grader.review.words import entry_words, lost_words, short_place, shown_value
from grader.rubric import Scale

_SORTS: Mapping[Kind, str] = {"review": "score", "verdicts": "verdict", "blind": "blind score"}


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
        self._by_reviewer: dict[tuple[Place, str, str], tuple[CellRef, Value, str]] = {}
        self._of_file: dict[Place, tuple[CellRef, Value]] = {}
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
        self._of_file.clear()
        for lost in file.lost:
            self._problem(file.ref(lost.sheet, lost.row, 0), lost_words(lost))
        rows = RowTargets(file.rows, self._targets)
        seen: dict[Place, tuple[EntryRow, Value, str]] = {}
        percent = PercentCells(file, self._scale)
        for read in file.rows:
            row = self._placed(file, read, rows)
            typed = self._typed(file, row) if row else None
            if row is None or typed is None:
                continue
            self._check_judge_cells(file, row)
            value, comment = typed
            place = place_of_row(row)
            first = seen.setdefault(place, (row, value, comment))
            if first[0] is not row:
                self._check_copy(file, row, typed, first)
                continue
            before = row.before if place in self._stored else None
            if before is None or not is_same(value, before[0]):
                self._check_value(file, row, value, percent)
            self._compare_files(file, row, reviewer, typed)
            self._add(file, row, self._event(file, row, reviewer, value, comment, rows))

    def _placed(self, file: GradedFile, row: EntryRow, rows: RowTargets) -> EntryRow | None:
        """Return the row with key and text hash, as far as what it shows makes up for lost ones."""
        is_filled = bool(str(row.value).strip() or entered_comment(row.comment))
        cell = _filled_cell(file, row)
        try:
            placed = rows.placed(row)
        except Unplaced as unplaced:
            if is_filled:
                self._problem(cell, str(unplaced))
            return None
        if is_filled and placed.key != row.key:
            self.found.keyless.append(cell)
        if is_filled and not row.text_hash:
            self.found.hashless.append(cell)
        return placed

    def _compare_files(self, file: GradedFile, row: EntryRow, reviewer: str, typed: tuple[Value, str]) -> None:
        """Note where a reviewer's other workbook of this review says otherwise about the same."""
        handed_on = (row.before[0], entered_comment(row.before[1])) if row.before else (None, "")
        if (is_same(typed[0], handed_on[0]) and typed[1] == handed_on[1]) or typed == (None, ""):
            return
        cell, key = file.ref(row.sheet, row.row, row.value_column), (place_of_row(row), reviewer, row.text_hash)
        other = self._by_reviewer.get(key)
        self._by_reviewer[key] = (cell, *typed)
        if other is None or other[0].path == cell.path:
            return
        before, now = entry_words(*other[1:]), entry_words(*typed)
        if before != now:
            self.found.contradictions.append(
                f"{reviewer} says two things: {before} in {short_place(other[0])} and {now} in {short_place(cell)};"
                f" the workbook saved last counts (of two saved at once, the one named last), which is {now}"
            )

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
        if is_same(typed[0], value) and typed[1] == comment:
            return
        cell = file.ref(other.sheet, other.row, other.value_column)
        self._problem(
            file.ref(row.sheet, row.row, row.value_column),
            f"this row is a copy of the one at {cell.sheet}!{cell.cell}, and they say different things: delete one",
        )

    def _check_judge_cells(self, file: GradedFile, row: EntryRow) -> None:
        if row.judge_hash and row.judge_column is not None and row.judge_hash != _hash_of_judge_cells(row):
            self.found.changed_judge_cells.append(file.ref(row.sheet, row.row, row.judge_column))

    def _event(
        self, file: GradedFile, row: EntryRow, reviewer: str, value: Value, comment: str, rows: RowTargets
    ) -> Override | None:
        """Return what the reviewer says with this row, or `None` where that is nothing new."""
        place = place_of_row(row)
        own = self._own(file, row, reviewer)
        own_value, own_comment = (value_of(own), own.comment) if own else (None, "")
        if row.before is not None and place in self._stored:
            old_value, old_comment = row.before[0], entered_comment(row.before[1])
            is_cleared = value is None and not comment and (old_value is not None or bool(old_comment))
            if is_cleared and own_value is None and not own_comment:
                self.found.cleared_for_others.append(file.ref(row.sheet, row.row, row.value_column))
            value = own_value if is_same(value, old_value) else value
            comment = own_comment if comment == old_comment else self._own_part(place, reviewer, comment)
        elif not _is_of_file(own, file):
            # An empty cell in another copy takes nothing back that was entered in the first.
            value = own_value if value is None else value
            comment = comment or own_comment
        if is_same(value, own_value) and comment == own_comment:
            return None
        is_new = value is not None and not is_same(value, own_value)
        is_blind = row.kind == "blind" and not (row.is_judge_shown and is_new) and (own is None or own.is_blind)
        override = self._override(file, row, reviewer, value, comment, target=rows.target(row), is_blind=is_blind)
        if override is None or said_by(override) in self._said:
            return None
        if not is_same(value, own_value):
            sort = "score" if row.kind == "blind" and not is_blind else _SORTS[row.kind]
            self.found.counts[file.path]["taken back" if value is None else sort] += 1
        if comment != own_comment:
            self.found.counts[file.path]["comment" if comment else "taken back"] += 1
        return override

    def _own(self, file: GradedFile, row: EntryRow, reviewer: str) -> Override | None:
        """Return what the reviewer entered last in this row; on Blind it may have been no blind score any more."""
        if row.is_judge_shown:
            seen = self._latest.get(((row.key, row.criterion, False), reviewer, row.text_hash))
            if seen and seen.source and seen.source.sheet == row.sheet and _is_of_file(seen, file):
                return seen
        return self._latest.get((place_of_row(row), reviewer, row.text_hash))

    def _own_part(self, place: Place, reviewer: str, comment: str) -> str:
        """Return a changed comment without what other experts had said in the same cell."""
        others = (each for name, each in self._stored.get(place, {}).items() if name != reviewer and each.comment)
        for other in others:
            comment = comment.replace(signed_comment(other), "", 1)
        return comment.strip().removeprefix(f"{reviewer}: ").strip()

    def _override(
        self,
        file: GradedFile,
        row: EntryRow,
        reviewer: str,
        value: Value,
        comment: str,
        *,
        target: Target | None,
        is_blind: bool,
    ) -> Override | None:
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
            is_blind=is_blind,
            text_hash=row.text_hash,
            reviewer=reviewer,
            entered=file.saved,
            source=CellRef(path=str(file.path.absolute()), **_cell(file.ref(row.sheet, row.row, column))),
        )

    def _add(self, file: GradedFile, row: EntryRow, override: Override | None) -> None:
        if override is None:
            return
        cell = file.ref(row.sheet, row.row, row.value_column)
        value = value_of(override)
        other, said = self._of_file.setdefault(place_of(override), (cell, value))
        if not is_same(said, value):
            where = f"{other.sheet}!{other.cell}"
            self._problem(cell, f"{shown_value(said)} at {where} is about the same answer, and seen too: empty one")
        if row.kind == "blind" and not override.is_blind and value is not None:
            self.found.unveiled.append(cell)
        target = self._targets.get(row.key)
        if target is None:
            self.found.unknown.append(cell)
        elif target.text_hash != row.text_hash:
            self.found.stale.append(cell)
        self.found.overrides.append(override)
        self._note(override)

    def _note(self, override: Override) -> None:
        self._latest[(place_of(override), override.reviewer, override.text_hash)] = override
        self._said.add(said_by(override))

    def _problem(self, cell: CellRef, words: str) -> None:
        self.found.problems.append((cell, words))


def _is_of_file(override: Override | None, file: GradedFile) -> bool:
    return override is not None and override.source is not None and Path(override.source.path) == file.path.absolute()


def _hash_of_judge_cells(row: EntryRow) -> str:
    cells = [cell if isinstance(cell, int | float) else entered_comment(cell) for cell in row.judge_cells]
    score, verdict, analysis = cells if row.kind == "review" else (None, *cells)
    return judge_hash(score, str(verdict), str(analysis))


def _cell(ref: CellRef) -> dict[str, str | None]:
    return {"sheet": ref.sheet, "cell": ref.cell}


def _filled_cell(file: GradedFile, row: EntryRow) -> CellRef:
    column = row.value_column if str(row.value).strip() else row.comment_column
    return file.ref(row.sheet, row.row, column)
