"""Finds the rows of our sheets in a graded workbook that came back, with the expert's cells; opens no file.

A sheet is known by its header, not by its name: experts rename sheets, and not every program keeps hidden names.
A row is known by its key, not by its place: experts sort and filter.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import Literal

from grader.outputs.graded_workbook.entry_values import Unclear, parse_entered_score

Kind = Literal["review", "verdicts", "blind"]
CriterionKey = tuple[float | None, int]
"""Level and number of a criterion within its item."""

Before = tuple[float | bool | None, str]
"""Score or verdict, and comment, as `grader review` had stored them when the workbook was written."""

KEY, TEXT_HASH, JUDGE_HASH, ENTERED_BEFORE = "Key", "Text hash", "Judge hash", "Entered before"
STALE = "Stale entry"
SCORE, VERDICT, COMMENT = "Expert score", "Expert verdict", "Expert comment"
_JUDGE_SCORE, _JUDGE_VERDICT = "Judge score", "Judge verdict"
_JUDGE_CELLS: Mapping[Kind, tuple[str, ...]] = {
    "review": (_JUDGE_SCORE, "Verdict", "Judge analysis"),
    "verdicts": (_JUDGE_VERDICT, "Evidence"),
    "blind": (),
}
_MOST_ROWS_ABOVE = 20
"""An expert may have put a title above the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRow:
    """One row of Review, Verdicts or Blind with what stands in the expert's cells, as it was read."""

    kind: Kind
    sheet: str
    row: int
    """From 0, as `value_column` and `comment_column` are."""
    value_column: int
    comment_column: int
    judge_column: int | None
    """The first of the judge's cells."""
    key: str
    text_hash: str
    criterion: CriterionKey | None
    """On Verdicts; `None` elsewhere."""
    value: object
    """The expert's score or verdict."""
    comment: object
    before: Before | None
    """`None` where nothing was stored, or in a workbook of an older grader."""
    judge_hash: str
    judge_cells: tuple[object, ...]
    """Score, verdict and analysis; on Verdicts verdict and evidence."""
    stale: str
    """What was entered for texts that had changed already, in words; empty as a rule."""
    item_id: str
    system: str
    sample: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LostColumns:
    """A sheet of ours in which columns that are needed are no longer there."""

    sheet: str
    row: int
    """Of the header, from 0."""
    missing: tuple[str, ...]


def entry_rows(sheet: str, rows: Iterable[Sequence[object]]) -> Iterator[EntryRow | LostColumns]:
    """Yield the rows of one sheet; nothing where it is none of ours. `rows` begin with the sheet's first."""
    numbered = zip(count(), rows, strict=False)
    found = _find_header(numbered)
    if found is None:
        return
    header_row, header = found
    missing = _missing(header)
    if missing:
        yield LostColumns(sheet=sheet, row=header_row, missing=missing)
        return
    columns = _Columns(sheet, header)
    for number, cells in numbered:
        if columns.text(cells, KEY):
            yield columns.entry_row(number, cells)


def _find_header(numbered: Iterator[tuple[int, Sequence[object]]]) -> tuple[int, dict[str, int]] | None:
    for number, cells in islice(numbered, _MOST_ROWS_ABOVE):
        header: dict[str, int] = {}
        for column, value in enumerate(cells):
            header.setdefault(" ".join(str(value).split()), column)
        if KEY in header and TEXT_HASH in header:
            return number, header
    return None


def _missing(header: Mapping[str, int]) -> tuple[str, ...]:
    is_verdicts = VERDICT in header or _JUDGE_VERDICT in header
    needed = (VERDICT, "No.", COMMENT) if is_verdicts else (SCORE, COMMENT)
    return tuple(name for name in needed if name not in header)


class _Columns:
    """Where the columns of one of our sheets stand, and what a row says in them."""

    def __init__(self, sheet: str, header: Mapping[str, int]) -> None:
        self._sheet, self._header = sheet, header
        self._kind: Kind = "verdicts" if VERDICT in header else "review" if _JUDGE_SCORE in header else "blind"
        self._value = VERDICT if self._kind == "verdicts" else SCORE
        judge = [header[name] for name in _JUDGE_CELLS[self._kind] if name in header]
        self._judge_column = judge[0] if judge else None

    def value(self, cells: Sequence[object], name: str) -> object:
        column = self._header.get(name)
        return "" if column is None or column >= len(cells) else cells[column]

    def text(self, cells: Sequence[object], name: str) -> str:
        value = self.value(cells, name)
        # A program may have made a number of an id such as 17.
        return f"{value:.15g}" if isinstance(value, float) else str(value).strip()

    def entry_row(self, number: int, cells: Sequence[object]) -> EntryRow:
        return EntryRow(
            kind=self._kind,
            sheet=self._sheet,
            row=number,
            value_column=self._header[self._value],
            comment_column=self._header[COMMENT],
            judge_column=self._judge_column,
            key=self.text(cells, KEY),
            text_hash=self.text(cells, TEXT_HASH),
            criterion=self._criterion(cells) if self._kind == "verdicts" else None,
            value=self.value(cells, self._value),
            comment=self.value(cells, COMMENT),
            before=_before(self.text(cells, ENTERED_BEFORE)),
            judge_hash=self.text(cells, JUDGE_HASH),
            judge_cells=tuple(self.value(cells, name) for name in _JUDGE_CELLS[self._kind]),
            stale=self.text(cells, STALE),
            item_id=self.text(cells, "ID"),
            system=self.text(cells, "System"),
            sample=int(_number(self.value(cells, "Sample")) or 1),
        )

    def _criterion(self, cells: Sequence[object]) -> CriterionKey:
        return _number(self.value(cells, "Level")), int(_number(self.value(cells, "No.")) or 0)


def _number(value: object) -> float | None:
    try:
        return parse_entered_score(value)
    except Unclear:
        return None


def _before(text: str) -> Before | None:
    """Return what `grader review` had stored of a row; `None` where there is nothing that says so."""
    try:
        value, comment = json.loads(text)
    except ValueError:  # of JSON, and of an array of another length
        return None
    except TypeError:
        return None
    is_value = value is None or isinstance(value, bool | int | float)
    return (value, comment) if is_value and isinstance(comment, str) else None
