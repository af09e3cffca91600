"""The columns of Review: their names, whose they are, and which of them a run needs; holds no values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile

from grader.outputs.graded_workbook.names import quoted


class Column(StrEnum):
    """A column by the name in its header; an expert's entries are read back by these names."""

    KEY = "Key"
    TEXT_HASH = "Text hash"
    ID = "ID"
    SYSTEM = "System"
    SAMPLE = "Sample"
    GROUP = "Group"
    QUESTION = "Question"
    REFERENCE = "Reference"
    CRITERIA = "Criteria"
    ANSWER = "Answer"
    SCORE = "Judge score"
    VERDICT = "Verdict"
    NEEDS_REVIEW = "Needs review"
    ANALYSIS = "Judge analysis"
    EXPERT_SCORE = "Expert score"
    EXPERT_COMMENT = "Expert comment"
    FINAL = "Final"
    DIFFERENCE = "Difference"


class Owner(StrEnum):
    """Whose column it is; the header's colour says so."""

    ITEM = "item"
    JUDGE = "judge"
    EXPERT = "expert"
    RESULT = "result"


@dataclass(frozen=True, slots=True)
class ColumnLook:
    """How a column looks: whose it is, the style of its cells, and its width in characters."""

    owner: Owner
    style: str
    width: float
    max_width: float = 0
    """Where the text decides: the width for long texts, `width` being the one for short ones."""

    @property
    def grows_rows(self) -> bool:
        """Whether rows are made as high as this column's text."""
        return self.max_width > 0


LOOKS: Mapping[Column, ColumnLook] = {
    Column.KEY: ColumnLook(Owner.ITEM, "note", 18),
    Column.TEXT_HASH: ColumnLook(Owner.ITEM, "note", 18),
    Column.ID: ColumnLook(Owner.ITEM, "id", 6, 14),
    Column.SYSTEM: ColumnLook(Owner.ITEM, "text", 12, 22),
    Column.SAMPLE: ColumnLook(Owner.ITEM, "number", 8),
    Column.GROUP: ColumnLook(Owner.ITEM, "text", 10, 18),
    Column.QUESTION: ColumnLook(Owner.ITEM, "text", 22, 44),
    Column.REFERENCE: ColumnLook(Owner.ITEM, "text", 26, 52),
    Column.CRITERIA: ColumnLook(Owner.ITEM, "text", 28, 48),
    Column.ANSWER: ColumnLook(Owner.ITEM, "text", 32, 72),
    Column.SCORE: ColumnLook(Owner.JUDGE, "score", 9),
    Column.VERDICT: ColumnLook(Owner.JUDGE, "judge_text", 20, 24),
    Column.NEEDS_REVIEW: ColumnLook(Owner.JUDGE, "judge_mark", 10),
    Column.ANALYSIS: ColumnLook(Owner.JUDGE, "judge_text", 28, 60),
    Column.EXPERT_SCORE: ColumnLook(Owner.EXPERT, "expert_score", 10),
    Column.EXPERT_COMMENT: ColumnLook(Owner.EXPERT, "expert_text", 30),
    Column.FINAL: ColumnLook(Owner.RESULT, "final", 9),
    Column.DIFFERENCE: ColumnLook(Owner.RESULT, "difference", 11),
}

HIDDEN = frozenset({Column.KEY, Column.TEXT_HASH})
ALWAYS = frozenset(Column) - {Column.SAMPLE, Column.GROUP, Column.QUESTION, Column.REFERENCE, Column.CRITERIA}
"""The columns every run has; the others are there where some item has something in them."""

_FROZEN = HIDDEN | {Column.ID, Column.SYSTEM, Column.SAMPLE}


@dataclass(frozen=True, slots=True)
class ReviewLayout:
    """Where each column of this run's Review stands, for cells and for formulas on other sheets."""

    sheet: str
    columns: tuple[Column, ...]
    row_count: int
    """Rows of items; a table has one at least, if empty."""

    def index(self, column: Column) -> int:
        """Return a column's place, from 0."""
        return self.columns.index(column)

    @property
    def frozen_count(self) -> int:
        """How many columns stay in view when scrolling to the right."""
        return len(list(takewhile(_FROZEN.__contains__, self.columns)))

    @property
    def last_row(self) -> int:
        """The last row of the table, from 0; the header is row 0."""
        return max(1, self.row_count)

    def cell(self, column: Column, row: int) -> str:
        """Return a cell of row `row` (from 0) as formulas on the same sheet write it: `$P2`."""
        return f"${column_letters(self.index(column))}{row + 1}"

    def range(self, column: Column) -> str:
        """Return all cells of a column as formulas on other sheets write them: `'Review'!$P$2:$P$481`."""
        letters = column_letters(self.index(column))
        return f"{quoted(self.sheet)}!${letters}$2:${letters}${self.last_row + 1}"


def column_letters(index: int) -> str:
    """Return the letters of the column at `index`, counted from 0: 0 is `A`, 27 is `AB`."""
    letters = ""
    number = index + 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def column_index(letters: str) -> int:
    """Return the place of a column, from 0: the reverse of `column_letters`."""
    index = 0
    for letter in letters:
        index = index * 26 + ord(letter) - ord("A") + 1
    return index - 1
