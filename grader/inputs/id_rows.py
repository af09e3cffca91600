"""Gathers the rows of a table by their id, for layouts in which several rows can belong to one question.

What is said of the question stands on its first row, on all of them, or in a cell merged over them. This applies no
points and knows no criteria.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.inputs.columns import Columns, cell_text, clean_text, normalise_id
from grader.inputs.sheet import Sheet
from grader.inputs.tables import hidden_rows_note, listed_rows
from grader.records import CellRef

ROW_LIMIT = 100_000
SUMMARY_IDS = frozenset(
    (
        "total totals sum average mean count subtotal summe summen gesamt gesamtsumme insgesamt zwischensumme "
        "mittelwert durchschnitt anzahl somme moyenne totale suma promedio media 合計 合计 总计 總計 小計 小计 "
        "平均 総計"
    ).split()
)
"""What stands in the id column of a line that adds the others up."""

_EXAMPLE_ID = re.compile(r"\(\s*example\b.*\)", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)*(?:[eE][+-]?[0-9]+)?\s*%?")
_HINT_LONG = "Split the workbook, or delete what is not part of the table"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableHeader:
    """Where a table's header stands and what its columns are; positions count from 0."""

    row: int
    columns: Columns

    @property
    def id_column(self) -> int:
        """Where the ids stand."""
        return self.columns.fields["id"]


@dataclass(frozen=True, slots=True, kw_only=True)
class IdRow:
    """One row that is not blank, and the id that holds for it, which may be ""."""

    row: int
    item_id: str


def is_example(item_id: str) -> bool:
    """Return whether a row is one of the examples that `grader init` writes: its id is `(example …)`."""
    return _EXAMPLE_ID.fullmatch(item_id) is not None


def is_summary_line(item_id: str, texts: Iterable[str]) -> bool:
    """Return whether a row adds the others up: its id says so, and all else that it has are numbers."""
    return item_id.rstrip(" :").casefold() in SUMMARY_IDS and all(
        _NUMBER.fullmatch(text.strip()) for text in texts if text.strip()
    )


def shown_row(sheet: Sheet, row: int, column: int) -> int:
    """Return the row whose value a cell shows: its own, or that of the merged cell which covers it."""
    return sheet.merged_tops.get((row, column), row)


def shown_text(sheet: Sheet, row: int, column: int | None) -> str:
    """Return what a cell shows, merged cells included; "" where there is no such column."""
    return "" if column is None else sheet.text(shown_row(sheet, row, column), column)


def id_rows(sheet: Sheet, header: TableHeader) -> Iterator[IdRow]:
    """Yield the rows below the header, blank ones left out; a merged id holds for all its rows."""
    too_far = header.row + 1 + ROW_LIMIT
    if len(sheet.rows) > too_far:
        raise sheet.error(f"the table has more than {ROW_LIMIT:,} rows", too_far, header.id_column, hint=_HINT_LONG)
    for row in range(header.row + 1, len(sheet.rows)):
        if not sheet.is_blank(row):
            top = shown_row(sheet, row, header.id_column)
            yield IdRow(row=row, item_id=normalise_id(sheet.value(top, header.id_column)))


def grouped(rows: Sequence[IdRow]) -> dict[str, list[int]]:
    """Return the rows of each id, in the order in which the ids come first."""
    groups: dict[str, list[int]] = {}
    for each in rows:
        groups.setdefault(each.item_id, []).append(each.row)
    return groups


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionFields:
    """What an id's rows say of its question, and where a later row says something else."""

    texts: Mapping[str, str]
    others: Mapping[str, tuple[CellRef, ...]]
    """Field to the cells that differ from the text that counts, which is the first."""


def read_question_fields(
    sheet: Sheet, header: TableHeader, rows: Sequence[int], *, without: Sequence[str] = ()
) -> QuestionFields:
    """Return the first filled text of each field over an id's rows."""
    texts: dict[str, str] = {}
    others: dict[str, tuple[CellRef, ...]] = {}
    for name, column in header.columns.fields.items():
        if name != "id" and name not in without:
            found = [(row, text) for row in rows if (text := shown_text(sheet, row, column)).strip()]
            texts[name] = found[0][1] if found else ""
            others[name] = tuple(
                sheet.ref(row, column) for row, text in found if clean_text(text) != clean_text(texts[name])
            )
    for name, column in header.columns.extras.items():
        texts.setdefault(name, _first_extra(sheet, rows, column))
    return QuestionFields(texts=texts, others={name: cells for name, cells in others.items() if cells})


def _first_extra(sheet: Sheet, rows: Sequence[int], column: int) -> str:
    # Not through `Sheet.value`: an error in a column that nothing depends on is the expert's own affair.
    values = (cell_text(sheet.rows[row][column]) for row in rows if column < len(sheet.rows[row]))
    return next((text for text in values if text.strip()), "")


def split_footnotes(sheet: Sheet, last: int, rows: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return which of `rows` belong to the table that ends with row `last`, and which are footnotes below it."""
    gap = next((row for row in range(last + 1, len(sheet.rows)) if sheet.is_blank(row)), len(sheet.rows))
    return [row for row in rows if row < gap], [row for row in rows if row > gap]


def row_notes(
    sheet: Sheet, header: TableHeader, *, left_out: Sequence[int], examples: Sequence[int], lacking: str
) -> list[str]:
    """Return what to say of a table's rows: hidden, left out (for `lacking` something), merged, or examples."""
    notes = hidden_rows_note(sheet, header.row)
    if left_out:
        notes.append(f"{sheet.place()}: left out, having no {lacking}: {listed_rows(sorted(left_out))}")
    if examples:
        notes.append(f"{sheet.place()}: left out, being the template's examples: {listed_rows(sorted(examples))}")
    column = header.id_column
    merged = [row for row, place in sorted(sheet.merged_tops) if place == column and row > header.row]
    if merged:
        notes.append(f"{sheet.place()}: ids filled down from merged cells: {listed_rows(merged)}")
    return notes
