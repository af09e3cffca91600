"""A read-only view of the criteria as they stand in their sheet, faults and all; judges nothing.

The readers in `grader.inputs` stop at what cannot be graded. This goes over the same cells with the same helpers and
keeps what is wrong, so that the rules can say all of it at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from grader.inputs.columns import cell_text, clean_text, normalise_id
from grader.inputs.criteria_table import Layout
from grader.inputs.id_rows import SUMMARY_IDS, is_example, shown_row
from grader.inputs.numbering import split_numbered
from grader.inputs.sheet import ERROR_VALUES, Sheet
from grader.records import CellRef


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """One row of the table that is neither blank, an example, a total nor a footnote; rows count from 0."""

    row: int
    item_id: str
    top: int
    """The row that shows its id: another one where the id is merged over several."""
    has_text: bool
    """Whether it holds a criterion, or in a table of questions anything but an id; a cell at fault counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriteriaCell:
    """A cell that holds criteria: one in the points layout, the items of a level in the tiered one."""

    row: int
    column: int
    item_id: str
    text: str
    items: tuple[str, ...]
    level: float | None = None


@dataclass(frozen=True, kw_only=True)
class Table:
    """The criteria's sheet with its header found; positions count from 0."""

    sheet: Sheet
    layout: Layout
    header_row: int
    fields: Mapping[str, int]
    levels: Mapping[int, float]
    """Column position to level; also numbers that are no proper level, and levels that stand twice."""
    extras: Mapping[str, int]
    has_rubric_sheet: bool = False
    has_answers_files: bool = False
    known_names: frozenset[str] = frozenset()
    """Names of columns that the rubric has a use for, beside the usual fields."""

    @property
    def id_column(self) -> int:
        """Where the ids stand."""
        return self.fields["id"]

    @cached_property
    def text_columns(self) -> tuple[int, ...]:
        """The columns that make a row a question with criteria."""
        if self.layout == "tiered":
            return tuple(self.levels)
        if self.layout == "points":
            return (self.fields["criterion"],)
        return tuple(column for name, column in self.fields.items() if name != "id")

    @cached_property
    def used_columns(self) -> tuple[int, ...]:
        """The columns that a judge or a rule may come to see."""
        return (*self.fields.values(), *self.levels)

    def ref(self, row: int, column: int) -> CellRef:
        """Return a cell's place."""
        return self.sheet.ref(row, column)

    def value(self, row: int, column: int) -> object:
        """Return a cell's own value, whatever is wrong with it."""
        values = self.sheet.rows[row]
        return values[column] if column < len(values) else ""

    def text(self, row: int, column: int) -> str:
        """Return what a cell shows, merged cells included."""
        return cell_text(self.value(shown_row(self.sheet, row, column), column))

    def fault(self, row: int, column: int) -> str | None:
        """Return what is wrong with a cell that shows an error or was never calculated."""
        fault = self.sheet.faults.get((row, column))
        value = None if fault or self.sheet.faults_are_known else self.value(row, column)
        return f"the cell shows the error {value}" if isinstance(value, str) and value in ERROR_VALUES else fault

    @cached_property
    def rows(self) -> tuple[TableRow, ...]:
        """The rows of questions or of criteria."""
        found = [row for row in self._filled_rows if not self._is_total(row) and not is_example(row.item_id)]
        last = max((row.row for row in found if row.item_id and row.has_text), default=None)
        end = len(self.sheet.rows) if last is None else self._next_blank(last)
        return tuple(row for row in found if row.row < end or (row.has_text and self.layout != "questions"))

    @cached_property
    def totals(self) -> tuple[TableRow, ...]:
        """The rows that add the others up."""
        return tuple(row for row in self._filled_rows if self._is_total(row))

    @cached_property
    def groups(self) -> Mapping[str, Sequence[TableRow]]:
        """The rows of each id, in the order in which the ids come first; rows without an id are in none."""
        groups: dict[str, list[TableRow]] = {}
        for row in self.rows:
            if row.item_id:
                groups.setdefault(row.item_id, []).append(row)
        return groups

    @cached_property
    def repeated(self) -> Mapping[str, Sequence[TableRow]]:
        """The same for ids that several rows have: in a long table they are few."""
        counts = Counter(row.item_id for row in self.rows if row.item_id)
        groups: dict[str, list[TableRow]] = {}
        for row in self.rows:
            if counts[row.item_id] > 1:
                groups.setdefault(row.item_id, []).append(row)
        return groups

    @cached_property
    def cells(self) -> tuple[CriteriaCell, ...]:
        """Every cell that holds criteria, in sheet order, without those that show an error."""
        return tuple(cell for row in self.rows for cell in self._cells(row))

    @cached_property
    def cells_by_id(self) -> Mapping[str, tuple[CriteriaCell, ...]]:
        """The cells of each id."""
        groups: dict[str, list[CriteriaCell]] = {}
        for cell in self.cells:
            groups.setdefault(cell.item_id, []).append(cell)
        return {item_id: tuple(cells) for item_id, cells in groups.items()}

    def items(self) -> Iterator[tuple[CriteriaCell, str]]:
        """Yield each criterion and the cell it stands in."""
        for cell in self.cells:
            for text in cell.items:
                yield cell, text

    @cached_property
    def _filled_rows(self) -> tuple[TableRow, ...]:
        rows = range(self.header_row + 1, len(self.sheet.rows))
        found = (self._row(row) for row in rows if not self.sheet.is_blank(row))
        return tuple(row for row in found if row.item_id or row.has_text)

    def _row(self, row: int) -> TableRow:
        top = shown_row(self.sheet, row, self.id_column)
        return TableRow(
            row=row,
            top=top,
            item_id="" if self.fault(top, self.id_column) else normalise_id(self.value(top, self.id_column)),
            has_text=any(self.fault(row, column) or self.text(row, column).strip() for column in self.text_columns),
        )

    def _is_total(self, row: TableRow) -> bool:
        if row.item_id.casefold() not in SUMMARY_IDS:
            return False
        texts = (clean_text(self.text(row.row, column)) for column in self.text_columns)
        return all(not text or text.replace(".", "").isdigit() for text in texts)

    def _next_blank(self, row: int) -> int:
        rows = range(row + 1, len(self.sheet.rows))
        return next((later for later in rows if self.sheet.is_blank(later)), len(self.sheet.rows))

    def _cells(self, row: TableRow) -> Iterator[CriteriaCell]:
        checklist = (self.fields["checklist"],) if "checklist" in self.fields else ()
        for column in checklist if self.layout == "questions" else self.text_columns:
            own = shown_row(self.sheet, row.row, column) == row.row
            text = cell_text(self.value(row.row, column)) if own and not self.fault(row.row, column) else ""
            if text.strip():
                yield CriteriaCell(
                    row=row.row,
                    column=column,
                    item_id=row.item_id,
                    text=text,
                    items=self._split(text),
                    level=self.levels.get(column),
                )

    def _split(self, text: str) -> tuple[str, ...]:
        if self.layout == "points":
            return (text.strip(),)
        items = split_numbered(text)
        if self.layout == "questions" and len(items) == 1:
            return tuple(line.strip() for line in text.splitlines() if line.strip())
        return items
