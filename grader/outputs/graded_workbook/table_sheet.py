"""What our tables have in common: widths, a coloured header, frozen panes; knows no table's columns or rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Generic

from grader.outputs.graded_workbook.finished_rows import CellValue, FinishedRows
from grader.outputs.graded_workbook.page import set_up_page
from grader.outputs.graded_workbook.review_columns import AnyColumn, ColumnLook, TableLayout, column_letters
from grader.outputs.graded_workbook.sheet import Book, Sheet, checked

Value = str | float | None

_HEADER_POINTS = 34
"""Two lines: a name above, the filter's button below."""


class TableSheet(Generic[AnyColumn]):
    """A sheet with one table from A1 on, its columns named by what their `str` gives."""

    def __init__(
        self,
        book: Book,
        layout: TableLayout[AnyColumn],
        *,
        table_name: str,
        look_of: Callable[[AnyColumn], ColumnLook],
        hidden: Collection[AnyColumn],
    ) -> None:
        self._book = book
        self._table_name = table_name
        self._look_of = look_of
        self._hidden = hidden
        self.layout = layout
        self._places = {column: index for index, column in enumerate(layout.columns)}
        self.sheet: Sheet = book.add_sheet(layout.sheet)
        self._rows: FinishedRows | None = None

    def begin(self, widths: Callable[[AnyColumn], float]) -> None:
        """Set the widths and write the header; XlsxWriter makes no table while streaming, where a filter has to do."""
        layout = self.layout
        for index, column in enumerate(layout.columns):
            self.sheet.set_width(index, index, widths(column), is_hidden=column in self._hidden)
        checked(self.sheet.raw.set_row(0, _HEADER_POINTS))
        last_column = len(layout.columns) - 1
        if self._book.is_streamed:
            for index, column in enumerate(layout.columns):
                self.sheet.text(0, index, str(column), self._header_format(column))
            checked(self.sheet.raw.autofilter(0, 0, layout.last_row, last_column))
            return
        columns = [{"header": str(each), "header_format": self._header_format(each)} for each in layout.columns]
        table = {"name": self._table_name, "style": None, "columns": columns}
        checked(self.sheet.raw.add_table(0, 0, layout.last_row, last_column, table))

    def row(self, row: int, points: float, values: Mapping[AnyColumn, CellValue], styles: Sequence[Any]) -> None:
        """Write a row whole: its height, the value of each column, and the formats in the columns' order."""
        if self._rows is None:
            self._rows = self.sheet.begin_rows([self._header_format(column) for column in self.layout.columns])
        self._rows.add(row, points, [values[column] for column in self.layout.columns], styles)

    def value(self, row: int, column: AnyColumn, value: Value, style: Any) -> None:
        """Write a text, a number or an empty cell."""
        index = self._places[column]
        if value is None:
            self.sheet.blank(row, index, style)
        elif isinstance(value, str):
            self.sheet.text(row, index, value, style)
        else:
            self.sheet.number(row, index, value, style)

    def formula(self, row: int, column: AnyColumn, formula: str, style: Any, value: float | str | None) -> None:
        """Write a live formula with its value of this moment."""
        self.sheet.formula(row, self._places[column], formula, style, value)

    def over(self, column: AnyColumn, method: Any, rule: dict[str, object]) -> None:
        """Lay a rule, for validation or for colour, over all cells of a column."""
        index = self.layout.index(column)
        checked(method(1, index, self.layout.last_row, index, dict(rule)))

    def colour(self, column: AnyColumn, criteria: str, **look: object) -> None:
        """Colour the cells of a column where a formula, written for the first row, is true."""
        rule = {"type": "formula", "criteria": criteria, "format": self._book.formats.conditional(**look)}
        self.over(column, self.sheet.raw.conditional_format, rule)

    def explain(self, column: AnyColumn, title: str, message: str) -> None:
        """Show a message while a column's header is selected."""
        rule = {"validate": "any", "input_title": title, "input_message": message}
        checked(self.sheet.raw.data_validation(0, self.layout.index(column), 0, self.layout.index(column), rule))

    def finish(self, *, frozen_count: int, tab_colour: str) -> None:
        """Set up the view and the page."""
        raw = self.sheet.raw
        # Ids and short answers are text on purpose: no green corners beside them.
        last = f"{column_letters(len(self.layout.columns) - 1)}{self.layout.last_row + 1}"
        checked(raw.ignore_errors({"number_stored_as_text": f"A1:{last}"}))
        raw.freeze_panes(1, frozen_count)
        raw.set_zoom(90)
        raw.set_tab_color(tab_colour)
        raw.repeat_rows(0)
        set_up_page(self.sheet, is_wide=True)

    def _header_format(self, column: AnyColumn) -> Any:
        return self._book.formats[f"{self._look_of(column).owner}_header"]
