"""Finds what an expert has typed on the Review sheets of an earlier graded workbook; judges none of it."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from python_calamine import CalamineError, CalamineWorkbook

from grader.outputs.graded_workbook.keys import grade_key, text_hash
from grader.outputs.graded_workbook.names import SheetNames
from grader.outputs.graded_workbook.review_columns import Column, column_index
from grader.records import Grade

_NEEDED = (Column.KEY, Column.TEXT_HASH, Column.EXPERT_SCORE, Column.EXPERT_COMMENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpertEntry:
    """What stands in the expert's cells of one row."""

    score: float | str | None
    """A number as a rule; text where something else was typed."""
    comment: str
    text_hash: str
    """Of the texts that the expert had before them."""

    @property
    def number(self) -> float | None:
        """The score, where it is a number."""
        return self.score if isinstance(self.score, float) else None


_CELL = re.compile(rb"""<(?:\w+:)?c\s[^>]*?\br=["']([A-Z]{1,3})(\d{1,7})["']""")

NO_ENTRY = ExpertEntry(score=None, comment="", text_hash="")


class Unreadable(Exception):
    """The file is no workbook that could be looked into."""


def read_entries(path: Path) -> dict[str, ExpertEntry]:
    """Return the expert's entries by their rows' keys; empty for a workbook without a Review sheet of ours.

    Raises:
        Unreadable: the file is damaged, protected, or no workbook.
    """
    try:
        workbook = CalamineWorkbook.from_path(path)
        # The last sheet is the newest: a workbook graded twice has Review and Review (2).
        names = [name for name in workbook.sheet_names if is_review(name)]
        return {key: entry for name in names for key, entry in _entries(workbook.get_sheet_by_name(name).iter_rows())}
    except (CalamineError, zipfile.BadZipFile, OSError) as error:
        raise Unreadable(str(error)) from error


def is_review(sheet: str) -> bool:
    """Return whether a sheet may be a Review of ours, by its name; its header says for sure."""
    return sheet.startswith(SheetNames().review)


def cell_area(sheet: bytes) -> int:
    """Return how many cells lie between A1 and the last column and row that a sheet's XML names."""
    columns, rows = {b"A"}, {1}
    for column, row in _CELL.findall(sheet):
        columns.add(column)
        rows.add(int(row))
    widest = max(columns, key=lambda letters: (len(letters), letters))
    return (column_index(widest.decode()) + 1) * max(rows)


def entry_for(grade: Grade, entries: Mapping[str, ExpertEntry]) -> ExpertEntry:
    """Return the entry that belongs to a grade: made for the same item, with the same texts before the expert."""
    entry = entries.get(grade_key(grade)) if entries else None
    return entry if entry is not None and entry.text_hash == text_hash(grade.item) else NO_ENTRY


def _entries(rows: Iterator[Sequence[object]]) -> Iterator[tuple[str, ExpertEntry]]:
    header = [str(value).strip() for value in next(rows, ())]
    if not set(_NEEDED) <= set(header):
        return
    places = [header.index(name) for name in _NEEDED]
    for row in rows:
        key, texts, score, comment = (row[place] for place in places)
        if score != "" or comment != "":
            yield str(key), ExpertEntry(score=_score(score), comment=str(comment), text_hash=str(texts))


def _score(value: object) -> float | str | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return str(value) if value != "" else None
