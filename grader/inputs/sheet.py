"""A sheet as it was read: its values, where they stand, and what is wrong with some; opens no file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from grader.errors import InputError, location
from grader.inputs.columns import cell_text
from grader.records import CellRef

ERROR_VALUES = frozenset(
    {"#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#SPILL!", "#CALC!", "Err:502", "Err:504"}
)
"""How a spreadsheet shows a failed formula; in files that do not mark errors, this text is all there is."""

EXCEL_TEXT_LIMIT = 32_767
"""Characters that a cell can hold in Excel; files made by other programs can have more."""

_HINT_FAULT = "Correct the cell; where it is a formula, open the file in Excel or LibreOffice and save it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One sheet, or a text table as one; rows and columns count from 0, and the first row is the file's first."""

    path: str
    name: str | None = None
    """`None` for a text table, which has no sheets."""
    rows: Sequence[Sequence[object]]
    faults: Mapping[tuple[int, int], str] = field(default_factory=dict)
    """Cells that hold an error or an uncalculated formula, and what is wrong in words."""
    hidden_rows: frozenset[int] = frozenset()
    merged_tops: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """For a cell that a merge has swallowed: the row of the merged cell that shows its value."""
    merges: tuple[tuple[tuple[int, int], tuple[int, int]], ...] = ()
    """First and last cell of each merged range."""
    others: tuple[str, ...] = ()
    """Names of the workbook's other visible sheets."""
    notes: tuple[str, ...] = ()
    faults_are_known: bool = False
    """Whether the file marks its errors, so that a text such as "#N/A" is only a text."""

    def value(self, row: int, column: int) -> object:
        """Return a cell's value, "" beyond the last; a located `InputError` for a cell that failed."""
        values = self.rows[row]
        value = values[column] if column < len(values) else ""
        fault = self.faults.get((row, column))
        if fault is None and isinstance(value, str) and value in ERROR_VALUES and not self.faults_are_known:
            fault = f"the cell shows the error {value}"
        if fault:
            raise self.error(fault, row, column, hint=_HINT_FAULT)
        return value

    def text(self, row: int, column: int | None) -> str:
        """Return a cell's text, "" where there is no such column."""
        return "" if column is None else cell_text(self.value(row, column))

    def header(self, row: int) -> list[object]:
        """Return a row's values as headers: a cell swallowed by a merge from above counts as that cell."""
        return [
            self.rows[top][column] if (top := self.merged_tops.get((row, column))) is not None else value
            for column, value in enumerate(self.rows[row])
        ]

    def is_blank(self, row: int) -> bool:
        """Whether a row shows nothing at all."""
        return not any(cell_text(value).strip() for value in self.rows[row])

    def place(self) -> str:
        """Return `file.xlsx [Sheet]`, for notes."""
        return location(self.path, self.name, None)

    def ref(self, row: int, column: int) -> CellRef:
        """Return a cell's place, for records and messages."""
        return CellRef(path=self.path, sheet=self.name, cell=cell_name(row, column))

    def error(self, message: str, row: int, column: int, *, hint: str | None = None) -> InputError:
        """Return an `InputError` that names a cell of this sheet."""
        return InputError(message, path=self.path, sheet=self.name, cell=cell_name(row, column), hint=hint)


def too_long(text: str, place: CellRef) -> InputError:
    """Return the error for a cell with more text than is read."""
    return InputError(
        f"the cell has {len(text):,} characters, too many to read safely",
        path=place.path,
        sheet=place.sheet,
        cell=place.cell,
        hint="Shorten it; a file that you trust is read with --read-limit 10",
    )


def cell_name(row: int, column: int) -> str:
    """Return a cell's name, `A1` for (0, 0)."""
    return f"{column_letters(column)}{row + 1}"


@lru_cache(maxsize=1024)
def column_letters(column: int) -> str:
    """Return a column's letters, `A` for 0."""
    letters, number = "", column + 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters
