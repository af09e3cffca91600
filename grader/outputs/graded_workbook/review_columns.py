"""The columns of Review: their names, whose they are, and which of them a run needs; holds no values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile
from typing import Generic, TypeVar

from grader.outputs.graded_workbook.names import quoted
from grader.outputs.graded_workbook.text import line_text
from grader.rubric import Rubric


class Column(StrEnum):
    """A column by the name in its header; an expert's entries are read back by these names."""

    KEY = "Key"
    TEXT_HASH = "Text hash"
    JUDGE_HASH = "Judge hash"
    ENTERED_BEFORE = "Entered before"
    JUDGE_SHOWN = "Judge shown"
    BLIND_SCORE = "Blind score"
    EXPERT_RESULT = "Expert result"
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
    STALE = "Stale entry"
    FINAL = "Final"
    DIFFERENCE = "Difference"


@dataclass(frozen=True, slots=True)
class FieldColumn:
    """A column for one of an item's fields, such as its context, which a rubric names and others do not know."""

    field: str
    header: str
    is_choice: bool = False
    """Whether the field is one of a few words."""

    def __str__(self) -> str:
        return self.header


ReviewColumn = Column | FieldColumn

ROW = "\0"
"""Stands in a formula for the number of its own row."""


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
    Column.JUDGE_HASH: ColumnLook(Owner.ITEM, "note", 18),
    Column.ENTERED_BEFORE: ColumnLook(Owner.ITEM, "note", 18),
    Column.JUDGE_SHOWN: ColumnLook(Owner.ITEM, "note", 10),
    Column.BLIND_SCORE: ColumnLook(Owner.ITEM, "note", 10),
    Column.EXPERT_RESULT: ColumnLook(Owner.ITEM, "note", 10),
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
    Column.NEEDS_REVIEW: ColumnLook(Owner.JUDGE, "judge_mark", 15, 15),
    Column.ANALYSIS: ColumnLook(Owner.JUDGE, "judge_text", 28, 60),
    Column.EXPERT_SCORE: ColumnLook(Owner.EXPERT, "expert_score", 10),
    Column.EXPERT_COMMENT: ColumnLook(Owner.EXPERT, "expert_text", 30),
    Column.STALE: ColumnLook(Owner.EXPERT, "stale_text", 26, 26),
    Column.FINAL: ColumnLook(Owner.RESULT, "final", 9),
    Column.DIFFERENCE: ColumnLook(Owner.RESULT, "difference", 11),
}

_FIELD_LOOK = ColumnLook(Owner.ITEM, "text", 26, 52)
_CHOICE_LOOK = ColumnLook(Owner.ITEM, "text", 14)
_FIELD_HEADERS = {"context_passages": "Relevant passages"}
_FIELDS_WITH_A_COLUMN = frozenset({"id", "system", "group", "question", "reference", "criteria", "answer"})
_HEADER_LIMIT = 60

HIDDEN = frozenset(
    {
        *(Column.KEY, Column.TEXT_HASH, Column.JUDGE_HASH, Column.ENTERED_BEFORE),
        *(Column.JUDGE_SHOWN, Column.BLIND_SCORE, Column.EXPERT_RESULT),
    }
)
ALWAYS = frozenset(Column) - {
    *(Column.JUDGE_SHOWN, Column.BLIND_SCORE, Column.EXPERT_RESULT, Column.STALE),
    *(Column.SAMPLE, Column.GROUP, Column.QUESTION, Column.REFERENCE, Column.CRITERIA),
}
"""The columns every run has; the others are there where some item has something in them."""

_FROZEN = HIDDEN | {Column.ID, Column.SYSTEM, Column.SAMPLE}

AnyColumn = TypeVar("AnyColumn")


@dataclass(frozen=True, slots=True)
class TableLayout(Generic[AnyColumn]):
    """Where each column of one of our tables stands, for cells and for formulas on other sheets."""

    sheet: str
    columns: tuple[AnyColumn, ...]
    row_count: int
    """Rows of items; a table has one at least, if empty."""

    def index(self, column: AnyColumn) -> int:
        """Return a column's place, from 0."""
        return self.columns.index(column)

    @property
    def last_row(self) -> int:
        """The last row of the table, from 0; the header is row 0."""
        return max(1, self.row_count)

    def cell(self, column: AnyColumn, row: int) -> str:
        """Return a cell of row `row` (from 0) as formulas on the same sheet write it: `$P2`."""
        return f"${column_letters(self.index(column))}{row + 1}"

    def cell_in_row(self, column: AnyColumn) -> str:
        """Return the cell of a formula's own row, with `ROW` for its number."""
        return f"${column_letters(self.index(column))}{ROW}"

    def range(self, column: AnyColumn) -> str:
        """Return all cells of a column as formulas on other sheets write them: `'Review'!$P$2:$P$481`."""
        letters = column_letters(self.index(column))
        return f"{quoted(self.sheet)}!${letters}$2:${letters}${self.last_row + 1}"


@dataclass(frozen=True, slots=True)
class ReviewLayout(TableLayout[ReviewColumn]):
    """Where each column of this run's Review stands."""

    @property
    def frozen_count(self) -> int:
        """How many columns stay in view when scrolling to the right."""
        return len(list(takewhile(_FROZEN.__contains__, self.columns)))


def look_of(column: ReviewColumn) -> ColumnLook:
    """Return how a column looks."""
    if isinstance(column, Column):
        return LOOKS[column]
    return _CHOICE_LOOK if column.is_choice else _FIELD_LOOK


def columns_for(rubric: Rubric) -> tuple[ReviewColumn, ...]:
    """Return all columns that a run with `rubric` may have, in their order: its own fields stand behind Reference."""
    columns = tuple(Column)
    place = columns.index(Column.REFERENCE) + 1
    return (*columns[:place], *field_columns(rubric), *columns[place:])


def field_columns(rubric: Rubric) -> tuple[FieldColumn, ...]:
    """Return a column for each field of an item that `rubric` uses and that has no column anyway."""
    fields = dict.fromkeys((*rubric.inputs, *rubric.optional_inputs, *rubric.option_choices))
    taken = {column.casefold() for column in Column}
    columns = []
    for field in fields:
        if field not in _FIELDS_WITH_A_COLUMN:
            header = _free_header(field, taken)
            taken.add(header.casefold())
            columns.append(FieldColumn(field, header, is_choice=field in rubric.option_choices))
    return tuple(columns)


def _free_header(field: str, taken: set[str]) -> str:
    """Return a field in words; a table's columns must differ, and the expert's entries are found by ours."""
    words = line_text(_FIELD_HEADERS.get(field, field.replace("_", " ")), _HEADER_LIMIT)
    plain = words[:1].upper() + words[1:]
    header, number = plain, 2
    while header.casefold() in taken:
        header, number = f"{plain} ({number})", number + 1
    return header


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
