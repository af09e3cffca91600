"""Writes the sheet Review: a table, one row per graded item, where the expert's score counts before the judge's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from grader.outputs.graded_workbook.distribution import is_closed
from grader.outputs.graded_workbook.expert_entries import ExpertEntry, entry_for, final_score
from grader.outputs.graded_workbook.formats import AMBER, HIGH, LOW, MIDDLE, MUTED
from grader.outputs.graded_workbook.names import SheetNames, quoted
from grader.outputs.graded_workbook.page import set_up_page
from grader.outputs.graded_workbook.review_columns import (
    HIDDEN,
    Column,
    FieldColumn,
    ReviewColumn,
    ReviewLayout,
    column_letters,
    columns_for,
    look_of,
)
from grader.outputs.graded_workbook.review_row import Value, row_values
from grader.outputs.graded_workbook.row_height import row_points
from grader.outputs.graded_workbook.sheet import Book, Sheet, checked
from grader.outputs.graded_workbook.survey import Survey
from grader.records import Grade, format_number
from grader.rubric import Scale

_HEADER_POINTS = 34
"""Two lines: a name above, the filter's button below."""
_COMFORTABLE_LINES = 13
"""About as many lines as a column is made wide for."""
_MOST_FIELD_POINTS = 260
"""A document given as context may be pages long: rows show its beginning, the cell has all of it."""


def layout_for(survey: Survey, sheet: str) -> ReviewLayout:
    """Return where the columns stand that these grades need."""
    return ReviewLayout(
        sheet, tuple(column for column in columns_for(survey.rubric) if column in survey.columns), survey.count
    )


class ReviewSheet:
    """Writes Review into a book: columns first, then rows in the order given, then what lies over all rows."""

    def __init__(self, book: Book, names: SheetNames, survey: Survey) -> None:
        self._book = book
        self._names = names
        self._survey = survey
        self._scale = survey.rubric.scale
        self.layout = layout_for(survey, names.review)
        self._sheet: Sheet = book.add_sheet(names.review)
        self._fields = tuple(column for column in self.layout.columns if isinstance(column, FieldColumn))
        self._widths = {column: column_width(column, survey) for column in self.layout.columns}

    def write(self, grades: Iterable[Grade], entries: Mapping[str, ExpertEntry]) -> None:
        """Write the whole sheet."""
        self._set_up_columns()
        self._write_header()
        for row, grade in enumerate(grades, start=1):
            self._write_row(row, grade, entry_for(grade, entries))
        self._offer_scores()
        self._colour_scores()
        self._set_up_view()

    def _set_up_columns(self) -> None:
        for index, column in enumerate(self.layout.columns):
            self._sheet.set_width(index, index, self._widths[column], is_hidden=column in HIDDEN)

    def _write_header(self) -> None:
        """Make the table; XlsxWriter cannot while streaming, where a filter over plain cells has to do."""
        raw, last_row, last_column = self._sheet.raw, self.layout.last_row, len(self.layout.columns) - 1
        checked(raw.set_row(0, _HEADER_POINTS))
        if self._book.is_streamed:
            for index, column in enumerate(self.layout.columns):
                self._sheet.text(0, index, str(column), self._header_format(column))
            checked(raw.autofilter(0, 0, last_row, last_column))
            return
        columns = [{"header": str(each), "header_format": self._header_format(each)} for each in self.layout.columns]
        table = {"name": self._names.table, "style": None, "columns": columns}
        checked(raw.add_table(0, 0, last_row, last_column, table))

    def _header_format(self, column: ReviewColumn) -> Any:
        return self._book.formats[f"{look_of(column).owner}_header"]

    def _write_row(self, row: int, grade: Grade, entry: ExpertEntry) -> None:
        values = row_values(grade, entry, self._fields)
        checked(self._sheet.raw.set_row(row, self._row_points(values)))
        for column in self.layout.columns:
            if column in values:
                self._write_value(row, column, values[column], self._style(column, grade))
        self._write_final(row, final_score(grade, entry, self._survey.rubric))
        both = entry.number is not None and grade.verdict.score is not None
        self._write_difference(row, (entry.number or 0) - (grade.verdict.score or 0) if both else None)

    def _row_points(self, values: Mapping[ReviewColumn, Value]) -> float:
        """Return the height for the row's texts; a long field alone does not make it a page high."""
        growing = [column for column in self.layout.columns if look_of(column).grows_rows]
        cells = [(column, (str(values[column]), self._widths[column])) for column in growing]
        fields = row_points(cell for column, cell in cells if isinstance(column, FieldColumn))
        others = row_points(cell for column, cell in cells if not isinstance(column, FieldColumn))
        return max(others, min(_MOST_FIELD_POINTS, fields))

    def _style(self, column: ReviewColumn, grade: Grade) -> Any:
        name = look_of(column).style
        if column is Column.VERDICT and not grade.verdict.status.is_scored:
            name = "unscored_text"
        if column is Column.NEEDS_REVIEW and grade.needs_review:
            name = "alarm_mark"
        return self._book.formats[name]

    def _write_value(self, row: int, column: ReviewColumn, value: Value, style: Any) -> None:
        index = self.layout.index(column)
        if value is None:
            self._sheet.blank(row, index, style)
        elif isinstance(value, str):
            self._sheet.text(row, index, value, style)
        else:
            self._sheet.number(row, index, value, style)

    def _write_final(self, row: int, value: float | None) -> None:
        judge, expert = self.layout.cell(Column.SCORE, row), self.layout.cell(Column.EXPERT_SCORE, row)
        formula = f'=IF({expert}="",IF({judge}="","",{judge}),{expert})'
        self._sheet.formula(row, self.layout.index(Column.FINAL), formula, self._book.formats["final"], value)

    def _write_difference(self, row: int, value: float | None) -> None:
        judge, expert = self.layout.cell(Column.SCORE, row), self.layout.cell(Column.EXPERT_SCORE, row)
        formula = f'=IF(COUNT({judge},{expert})=2,{expert}-{judge},"")'
        self._sheet.formula(row, self.layout.index(Column.DIFFERENCE), formula, self._book.formats["difference"], value)

    def _offer_scores(self) -> None:
        self._over(Column.EXPERT_SCORE, self._sheet.raw.data_validation, score_rule(self._scale, self._names))

    def _colour_scores(self) -> None:
        self._over(Column.FINAL, self._sheet.raw.conditional_format, three_colours(self._scale))
        judge, expert = self.layout.cell(Column.SCORE, 1), self.layout.cell(Column.EXPERT_SCORE, 1)
        overridden = self._book.formats.conditional(font_strikeout=True, font_color=MUTED)
        rule = {"type": "formula", "criteria": f'=AND({expert}<>"",{expert}<>{judge})', "format": overridden}
        self._over(Column.SCORE, self._sheet.raw.conditional_format, rule)

    def _over(self, column: Column, method: Any, rule: Mapping[str, object]) -> None:
        index = self.layout.index(column)
        checked(method(1, index, self.layout.last_row, index, dict(rule)))

    def _set_up_view(self) -> None:
        raw = self._sheet.raw
        # Ids and short answers are text on purpose: no green corners beside them.
        last = f"{column_letters(len(self.layout.columns) - 1)}{self.layout.last_row + 1}"
        checked(raw.ignore_errors({"number_stored_as_text": f"A1:{last}"}))
        raw.freeze_panes(1, self.layout.frozen_count)
        raw.set_zoom(90)
        raw.set_tab_color(AMBER)
        raw.repeat_rows(0)
        set_up_page(self._sheet, is_wide=True)


def column_width(column: ReviewColumn, survey: Survey) -> float:
    """Return a width at which the column's average text takes a comfortable number of lines."""
    look = look_of(column)
    if not look.max_width:
        return look.width
    average = survey.lengths.get(column, 0) / max(1, survey.count)
    is_name = column in (Column.ID, Column.SYSTEM, Column.GROUP)
    wanted = average * 1.3 + 2 if is_name else average / _COMFORTABLE_LINES
    return round(min(look.max_width, max(look.width, wanted)), 1)


def score_rule(scale: Scale, names: SheetNames) -> dict[str, object]:
    """Return the rule for the expert's score: the scale's values to choose from, or any number on the scale."""
    choices = scale.override_choices()
    rule: dict[str, object] = {
        "ignore_blank": True,
        "input_title": "Your score",
        "input_message": "Leave it empty to accept the judge's score.",
        "error_title": "Expert score",
        "error_message": f"A number from {scale.described()}, or nothing to accept the judge's score.",
    }
    if not choices:
        return rule | {"validate": "decimal", "criteria": "between", "minimum": scale.min, "maximum": scale.max}
    offered = ", ".join(map(format_number, choices)) if len(choices) <= 12 else f"the values from {scale.described()}"
    # Choices are an offer where the scale allows more: then Excel asks instead of refusing.
    return rule | {
        "validate": "list",
        "source": f"={quoted(names.lists)}!$A$1:$A${len(choices)}",
        "error_type": "stop" if is_closed(scale) else "warning",
        "error_message": f"Usual scores: {offered}. Leave it empty to accept the judge's score.",
    }


def three_colours(scale: Scale) -> dict[str, object]:
    """Return the rule that colours scores from the scale's lowest to its highest."""
    points = {"min": scale.min, "mid": (scale.min + scale.max) / 2, "max": scale.max}
    colours = {"min": LOW, "mid": MIDDLE, "max": HIGH}
    rule: dict[str, object] = {"type": "3_color_scale"}
    for point, value in points.items():
        rule |= {f"{point}_type": "num", f"{point}_value": value, f"{point}_color": colours[point]}
    return rule
