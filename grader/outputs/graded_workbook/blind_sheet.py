"""Writes the sheet Blind: some rows for an expert to score by their texts alone, without the judge or the system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from grader.outputs.graded_workbook.blind_choice import draw_number
from grader.outputs.graded_workbook.blind_columns import BlindLayout
from grader.outputs.graded_workbook.entry_rows import SHOWN
from grader.outputs.graded_workbook.expert_entries import ExpertEntry, entry_for
from grader.outputs.graded_workbook.formats import PALE_RED, RED, SLATE
from grader.outputs.graded_workbook.keys import grade_key
from grader.outputs.graded_workbook.names import SheetNames
from grader.outputs.graded_workbook.review_columns import HIDDEN, Column, FieldColumn, ReviewColumn, look_of
from grader.outputs.graded_workbook.review_formulas import typed_score
from grader.outputs.graded_workbook.review_row import entered_before, row_values
from grader.outputs.graded_workbook.review_sheet import column_width
from grader.outputs.graded_workbook.row_height import row_points
from grader.outputs.graded_workbook.score_rules import score_rule
from grader.outputs.graded_workbook.sheet import Book
from grader.outputs.graded_workbook.survey import Survey
from grader.outputs.graded_workbook.table_sheet import TableSheet
from grader.records import Grade

MESSAGE = (
    "Score by the texts alone: the judge's score of these rows stays hidden until the workbook has been through "
    "`grader review`, so that agreement can be measured fairly."
)


class BlindSheet:
    """Writes Blind into a book, in the order of the draw: the criteria's order would show which systems are which."""

    def __init__(self, book: Book, names: SheetNames, survey: Survey, layout: BlindLayout) -> None:
        self._book = book
        self._names = names
        self._survey = survey
        self.layout = layout
        self._table: TableSheet[ReviewColumn] = TableSheet(
            book, layout, table_name=names.blind_table, look_of=look_of, hidden=HIDDEN
        )
        self._fields = tuple(column for column in layout.columns if isinstance(column, FieldColumn))
        self._widths = {column: column_width(column, survey) for column in layout.columns}
        self._styles = [book.formats[look_of(column).style] for column in layout.columns]

    def write(
        self, grades: Iterable[Grade], entries: Mapping[str, ExpertEntry], stored: Mapping[str, ExpertEntry]
    ) -> None:
        """Write the whole sheet; the chosen grades are kept in memory until they are in order."""
        chosen = [(grade_key(grade), grade) for grade in grades if grade_key(grade) in self._survey.blind_rows]
        chosen.sort(key=lambda each: (draw_number(each[0]), each[0]))
        self._table.begin(self._widths.__getitem__)
        for row, (_, grade) in enumerate(chosen, start=1):
            self._write_row(row, grade, entry_for(grade, entries), entry_for(grade, stored))
        rule = score_rule(self._survey.rubric.scale, self._names, MESSAGE)
        self._table.over(Column.EXPERT_SCORE, self._table.sheet.raw.data_validation, rule)
        expert = self.layout.cell(Column.EXPERT_SCORE, 1)
        unread = f'=AND(TRIM({expert})<>"",NOT(ISNUMBER({typed_score(expert)})))'
        self._table.colour(Column.EXPERT_SCORE, unread, bg_color=PALE_RED, font_color=RED)
        self._table.explain(Column.EXPERT_SCORE, "Blind rows", MESSAGE)
        self._table.finish(frozen_count=self.layout.index(Column.ID) + 1, tab_colour=SLATE)

    def _write_row(self, row: int, grade: Grade, entry: ExpertEntry, stored: ExpertEntry) -> None:
        values = row_values(grade, entry, self._fields) | {
            Column.ENTERED_BEFORE: entered_before(stored.blind_score, stored.blind_comment),
            Column.JUDGE_SHOWN: "" if grade_key(grade) in self._survey.masked else SHOWN,
            Column.EXPERT_SCORE: entry.blind_score,
            Column.EXPERT_COMMENT: entry.blind_comment,
        }
        growing = (column for column in self.layout.columns if look_of(column).grows_rows)
        points = row_points((str(values[column]), self._widths[column]) for column in growing)
        self._table.row(row, points, values, self._styles)
