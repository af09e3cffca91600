"""A worksheet in the making whose text is always text and whose refusals are errors; knows no sheet's content."""

from __future__ import annotations

import math
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import xlsxwriter
from xlsxwriter.exceptions import FileCreateError
from xlsxwriter.worksheet import Worksheet

from grader.outputs.graded_workbook.finished_rows import FinishedRows, StyleNumbers, insert_rows
from grader.outputs.graded_workbook.formats import Formats
from grader.outputs.graded_workbook.text import RESULTS, cut_text, fits, safe_text

_OPTIONS = {
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
    "nan_inf_to_errors": False,
}


class _Unkept(dict[Any, Any]):
    """Takes what it is given, and keeps none of it."""

    def __setitem__(self, key: Any, value: Any) -> None:
        pass


class _Worksheet(Worksheet):  # type: ignore[misc]  # XlsxWriter has no types
    """XlsxWriter's worksheet, without the search of each formula for some thirty functions that ours do not have.

    It takes as long as all else that is done with a formula. Those that need a prefix have it: `_xlfn.`. Nor does it
    note each cell of a table, 100 bytes for every one, to refuse another over it: a sheet of ours has one table.
    """

    def __init__(self) -> None:
        super().__init__()
        self.table_cells = _Unkept()

    def _prepare_formula(self, formula: str, expand_future_functions: bool = False) -> str:
        return str(super()._prepare_formula(formula, True)) if expand_future_functions else formula.removeprefix("=")


class SheetWriteError(RuntimeError):
    """XlsxWriter refused something: a mistake in our sheets, not in the user's files."""


class Sheet:
    """One of XlsxWriter's worksheets, written cell by cell with every return code looked at, or many rows at once."""

    def __init__(self, raw: Any, width_unit: float, styles: StyleNumbers, whole_texts: str = RESULTS) -> None:
        self.raw = raw
        """For set-up such as frozen panes; wrap what returns a code in `checked`."""
        self._width_unit = width_unit
        self._styles = styles
        self._whole_texts = whole_texts
        self.cut_count = 0
        """Cells whose text was too long."""
        self.rows: list[FinishedRows] = []
        """Rows that do not go through XlsxWriter, in runs from top to bottom; see `begin_rows`."""

    def begin_rows(self, header: Sequence[Any], first_column: int = 0) -> FinishedRows:
        """Return what takes the rows below a header whole, as thousands of them would take XlsxWriter too long.

        `header` are the formats of the header's cells, the first of which is in `first_column`.
        """
        self._styles.give(*header)
        columns, has_spans = range(first_column, first_column + len(header)), not self.raw.constant_memory
        rows = FinishedRows(columns, styles=self._styles, fitted=self._fitted, has_spans=has_spans)
        self.rows.append(rows)
        return rows

    def set_width(self, first: int, last: int, width: float, *, is_hidden: bool = False) -> None:
        """Make columns as wide as `width` digits of Calibri 11, whatever the workbook's standard font is."""
        options = {"hidden": True} if is_hidden else {}
        checked(self.raw.set_column(first, last, round(width / self._width_unit, 2), None, options))

    def text(self, row: int, column: int, text: str, style: Any) -> None:
        """Write `text` as text, whatever it begins with; cut visibly where a cell cannot hold it."""
        self._styles.give(style)
        shown = self._fitted(text)
        if shown.startswith("<r>") and shown.endswith("</r>"):
            # XlsxWriter takes such text for its own rich text and writes it unescaped; in two runs it does not.
            checked(self.raw.write_rich_string(row, column, style, shown[:1], style, shown[1:], style))
        elif shown:
            checked(self.raw.write_string(row, column, shown, style))
        else:
            self.blank(row, column, style)

    def _fitted(self, text: str) -> str:
        shown = safe_text(text)
        if fits(shown):
            return shown
        self.cut_count += 1
        return cut_text(shown, self._whole_texts)

    def number(self, row: int, column: int, number: float, style: Any) -> None:
        """Write a finite number."""
        if not math.isfinite(number):
            raise SheetWriteError(f"{number} is no number that a cell can hold")
        self._styles.give(style)
        checked(self.raw.write_number(row, column, number, style))

    def blank(self, row: int, column: int, style: Any) -> None:
        """Write an empty cell with its format."""
        self._styles.give(style)
        checked(self.raw.write_blank(row, column, None, style))

    def formula(self, row: int, column: int, formula: str, style: Any, value: float | str | None) -> None:
        """Write a live formula with its true value of this moment; `None` is shown as empty text."""
        self._styles.give(style)
        checked(self.raw.write_formula(row, column, formula, style, "" if value is None else value))


class Book:
    """A workbook of ours in the making; `whole_texts` is the file that has what a cell cannot hold."""

    def __init__(
        self,
        target: Path | BytesIO,
        *,
        mean_format: str,
        is_streamed: bool,
        width_unit: float,
        whole_texts: str = RESULTS,
    ) -> None:
        self._target = target
        memory = {"constant_memory": True} if is_streamed else {"in_memory": isinstance(target, BytesIO)}
        self.raw = xlsxwriter.Workbook(target if isinstance(target, BytesIO) else str(target), {**_OPTIONS, **memory})
        self.raw.use_zip64()
        self.is_streamed = is_streamed
        self.formats = Formats(self.raw, mean_format)
        self._width_unit = width_unit
        self._whole_texts = whole_texts
        self._styles = StyleNumbers()
        self._sheets: list[Sheet] = []

    def add_sheet(self, name: str) -> Sheet:
        """Add a sheet behind the others."""
        sheet = Sheet(self.raw.add_worksheet(name, _Worksheet), self._width_unit, self._styles, self._whole_texts)
        self._sheets.append(sheet)
        return sheet

    @property
    def cut_count(self) -> int:
        """Cells whose text was too long, on all sheets."""
        return sum(sheet.cut_count for sheet in self._sheets)

    def close(self) -> None:
        """Write the file.

        Raises:
            OSError: as the disk says; XlsxWriter wraps it in an error of its own.
        """
        try:
            self.raw.close()
        except FileCreateError as error:
            raise OSError(*error.args[0].args) from error
        rows = {number: sheet.rows for number, sheet in enumerate(self._sheets, start=1)}
        if any(rows.values()):
            insert_rows(self._target, rows)


def checked(code: object) -> None:
    """Raise where XlsxWriter returned anything but success; it says so by numbers, and goes on."""
    if code:
        raise SheetWriteError(f"XlsxWriter refused a call with code {code}")
