"""Finds the rows of our sheets in a graded workbook that came back, with the expert's cells; opens no file.

A sheet is known by its mark, or by several columns of its header, not by its name: experts rename sheets, and not every
program keeps hidden names. A row is known by its key, not by its place: experts sort and filter. Rows that have lost
their key are yielded too, with what they show: whoever reads them decides what they are about.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count, islice
from typing import Literal

from grader.outputs.graded_workbook.entry_values import Unclear, entered_comment, parse_entered_score
from grader.outputs.graded_workbook.keys import comment_digest

Kind = Literal["review", "verdicts", "blind"]
CriterionKey = tuple[float | None, int]
"""Level and number of a criterion within its item."""

Before = tuple[float | bool | None, str]
"""Score or verdict, and comment, as `grader review` had stored them when the workbook was written."""

KEY, TEXT_HASH, JUDGE_HASH, ENTERED_BEFORE = "Key", "Text hash", "Judge hash", "Entered before"
STALE = "Stale entry"
JUDGE_SHOWN, SHOWN = "Judge shown", "yes"
"""A hidden column of Blind, and what it says where the workbook shows the row's judge cells elsewhere."""

SCORE, VERDICT, COMMENT = "Expert score", "Expert verdict", "Expert comment"
_JUDGE_SCORE, _JUDGE_VERDICT = "Judge score", "Judge verdict"
_JUDGE_CELLS: Mapping[Kind, tuple[str, ...]] = {
    "review": (_JUDGE_SCORE, "Verdict", "Judge analysis"),
    "verdicts": (_JUDGE_VERDICT, "Evidence"),
    "blind": (),
}
_OF_VERDICTS = frozenset({VERDICT, _JUDGE_VERDICT, "Evidence", "No.", "Criterion", "Final verdict"})
_OF_REVIEW = frozenset(
    {"System", _JUDGE_SCORE, "Verdict", "Judge analysis", "Needs review", "Final", "Difference", JUDGE_HASH}
)
_OF_ANY = _OF_VERDICTS | _OF_REVIEW | {KEY, TEXT_HASH, ENTERED_BEFORE, "ID", "Question", "Answer"}
_TELLING = 2
"""Columns of one kind alone that tell it: one may be the expert's own, or have been renamed."""
_NAMED_OTHERWISE = 3
"""Columns of ours that tell a sheet of ours beside the expert's two, once the hidden ones are gone."""

_MOST_ROWS_ABOVE = 20
"""An expert may have put a title above the table."""
_DIGEST = re.compile("[0-9a-f]{16}")


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
    """The first of the judge's cells; `None` where they are not all there."""
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
    is_judge_shown: bool = False
    """Of a row on Blind: whether its workbook shows the judge's cells, so that nothing new in it is blind."""
    shown_texts: tuple[str, str] | None = None
    """Question and answer as the row shows them, where it has no text hash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LostColumns:
    """A sheet of ours that cannot be read, as columns that are needed are no longer there."""

    sheet: str
    row: int
    """Of the header, from 0."""
    missing: tuple[str, ...]
    """Their names; empty where it is the header itself that is gone or cannot be told."""
    is_unclear: bool = False
    """Whether there is a header that may be Review's as well as Blind's."""


def entry_rows(
    sheet: str, rows: Iterable[Sequence[object]], *, kind: Kind | None = None
) -> Iterator[EntryRow | LostColumns]:
    """Yield the rows of one sheet; nothing where it is none of ours.

    Args:
        sheet: Its name.
        rows: Begin with the sheet's first.
        kind: What its mark says that it is; else its header has to say so.
    """
    numbered = zip(count(), rows, strict=False)
    first = list(islice(numbered, _MOST_ROWS_ABOVE))
    found = _find_header(first)
    if found is None:
        if kind or any(_has_hidden_cells(cells) for _, cells in first):
            yield LostColumns(sheet=sheet, row=0, missing=())
        return
    header_row, header = found
    kind = kind or _kind(header)
    missing = _missing(header, kind)
    if missing or kind is None:
        yield LostColumns(sheet=sheet, row=header_row, missing=missing, is_unclear=kind is None)
        return
    columns = _Columns(sheet, header, kind)
    for number, cells in chain((each for each in first if each[0] > header_row), numbered):
        if columns.text(cells, KEY) or columns.has_entry(cells):
            yield columns.entry_row(number, cells)


def _find_header(first: Iterable[tuple[int, Sequence[object]]]) -> tuple[int, dict[str, int]] | None:
    for number, cells in first:
        header: dict[str, int] = {}
        for column, value in enumerate(cells):
            header.setdefault(" ".join(str(value).split()), column)
        names = set(header)
        if names >= {KEY, TEXT_HASH}:
            return number, header
        if names & {SCORE, VERDICT} and COMMENT in names and len(names & _OF_ANY) >= _NAMED_OTHERWISE:
            return number, header
    return None


def _has_hidden_cells(cells: Sequence[object]) -> bool:
    """Return whether a row begins with a key and a text hash, as all of ours do."""
    return len(cells) > 1 and all(_DIGEST.fullmatch(str(cell)) for cell in cells[:2])


def _kind(header: Mapping[str, int]) -> Kind | None:
    """Return what kind of sheet a header is of; `None` where it is not clear."""
    names = set(header)
    if len(names & _OF_VERDICTS) >= _TELLING:
        return "verdicts"
    of_review = len(names & _OF_REVIEW)
    return "review" if of_review >= _TELLING else None if of_review else "blind"


def _missing(header: Mapping[str, int], kind: Kind | None) -> tuple[str, ...]:
    needed = (VERDICT, "No.", COMMENT) if kind == "verdicts" else (SCORE, COMMENT)
    hidden = () if KEY in header or TEXT_HASH in header else (KEY, TEXT_HASH)
    return (*hidden, *(name for name in needed if name not in header))


class _Columns:
    """Where the columns of one of our sheets stand, and what a row says in them."""

    def __init__(self, sheet: str, header: Mapping[str, int], kind: Kind) -> None:
        self._sheet, self._header, self._kind = sheet, header, kind
        self._value = VERDICT if self._kind == "verdicts" else SCORE
        judge = [header[name] for name in _JUDGE_CELLS[self._kind] if name in header]
        self._judge_column = judge[0] if judge and len(judge) == len(_JUDGE_CELLS[self._kind]) else None

    def has_entry(self, cells: Sequence[object]) -> bool:
        """Return whether something stands in one of the expert's two cells."""
        return bool(self.text(cells, self._value) or self.text(cells, COMMENT))

    def value(self, cells: Sequence[object], name: str) -> object:
        column = self._header.get(name)
        return "" if column is None or column >= len(cells) else cells[column]

    def text(self, cells: Sequence[object], name: str) -> str:
        value = self.value(cells, name)
        # A program may have made a number of an id such as 17.
        return f"{value:.15g}" if isinstance(value, float) else str(value).strip()

    def entry_row(self, number: int, cells: Sequence[object]) -> EntryRow:
        text_hash = self.text(cells, TEXT_HASH)
        return EntryRow(
            kind=self._kind,
            sheet=self._sheet,
            row=number,
            value_column=self._header[self._value],
            comment_column=self._header[COMMENT],
            judge_column=self._judge_column,
            key=self.text(cells, KEY),
            text_hash=text_hash,
            criterion=self._criterion(cells) if self._kind == "verdicts" else None,
            value=self.value(cells, self._value),
            comment=self.value(cells, COMMENT),
            before=_before(self.text(cells, ENTERED_BEFORE), self.value(cells, COMMENT)),
            judge_hash=self.text(cells, JUDGE_HASH),
            judge_cells=tuple(self.value(cells, name) for name in _JUDGE_CELLS[self._kind]),
            stale=self.text(cells, STALE),
            item_id=self.text(cells, "ID"),
            system=self.text(cells, "System"),
            sample=int(_number(self.value(cells, "Sample")) or 1),
            is_judge_shown=self.text(cells, JUDGE_SHOWN).casefold() == SHOWN,
            shown_texts=None if text_hash else (self.text(cells, "Question"), self.text(cells, "Answer")),
        )

    def _criterion(self, cells: Sequence[object]) -> CriterionKey:
        return _number(self.value(cells, "Level")), int(_number(self.value(cells, "No.")) or 0)


def _number(value: object) -> float | None:
    try:
        return parse_entered_score(value)
    except Unclear:
        return None


def _before(text: str, comment_now: object) -> Before | None:
    """Return what `grader review` had stored of a row; `None` where there is nothing that says so.

    Of a comment too long for this cell only a digest stands there (see `review_row.entered_before`): what stands in
    the comment's cell now is that comment, as far as a cell holds it, or it is another.
    """
    try:
        value, comment, *digest = json.loads(text)
    except ValueError:  # of JSON, and of a shorter array
        return None
    except TypeError:
        return None
    if digest:
        now = entered_comment(comment_now)
        comment = now if [comment_digest(now)] == digest else ""
    is_value = value is None or isinstance(value, bool | int | float)
    return (value, comment) if is_value and isinstance(comment, str) else None
