"""Writes the sheet Review: a table, one row per graded item, where the expert's score counts before the judge's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from grader.outputs.graded_workbook.expert_entries import ExpertEntry, entry_for
from grader.outputs.graded_workbook.expert_result import (
    BLIND,
    expert_number,
    expert_result,
    shown_final,
    veiled,
)
from grader.outputs.graded_workbook.finished_rows import CellValue, RowFormula
from grader.outputs.graded_workbook.formats import AMBER, MUTED, PALE_RED, RED, score_format
from grader.outputs.graded_workbook.keys import grade_key
from grader.outputs.graded_workbook.names import SheetNames
from grader.outputs.graded_workbook.review_columns import (
    HIDDEN,
    Column,
    FieldColumn,
    ReviewColumn,
    ReviewLayout,
    columns_for,
    look_of,
)
from grader.outputs.graded_workbook.review_formulas import ReviewFormulas
from grader.outputs.graded_workbook.review_row import reasons_shown, row_values
from grader.outputs.graded_workbook.row_height import row_points
from grader.outputs.graded_workbook.score_rules import score_rule, three_colours
from grader.outputs.graded_workbook.sheet import Book
from grader.outputs.graded_workbook.survey import Survey
from grader.outputs.graded_workbook.table_sheet import TableSheet, Value
from grader.outputs.review_queue import Reason, Urgency
from grader.records import Grade

_COMFORTABLE_LINES = 13
"""About as many lines as a column is made wide for."""
_MOST_FIELD_POINTS = 260
"""A document given as context may be pages long: rows show its beginning, the cell has all of it."""

_OF_JUDGE = frozenset({Column.SCORE, Column.VERDICT, Column.ANALYSIS})
"""The cells of a row that say `blind` where an expert is to score it without them."""

_TOO_LARGE = (
    "In a workbook of this size Final does not follow the sheet Verdicts by itself: `grader review` counts what you "
    "enter there."
)


def layout_for(survey: Survey, sheet: str) -> ReviewLayout:
    """Return where the columns stand that these grades need."""
    return ReviewLayout(
        sheet, tuple(column for column in columns_for(survey.rubric) if column in survey.columns), survey.count
    )


class ReviewSheet:
    """Writes Review into a book: columns first, then rows in the order given, then what lies over all rows."""

    def __init__(self, book: Book, names: SheetNames, survey: Survey, formulas: ReviewFormulas) -> None:
        self._book = book
        self._names = names
        self._survey = survey
        self._scale = survey.rubric.scale
        self._formulas = formulas
        self.layout = layout_for(survey, names.review)
        has_blind = Column.BLIND_SCORE in self.layout.columns
        self._final, self._difference = RowFormula(formulas.final()), RowFormula(formulas.difference())
        self._blind_score = RowFormula(formulas.blind_score()) if has_blind else None
        self._expert_result = cache(lambda by_criteria: RowFormula(formulas.expert_result(by_criteria)))
        self._table: TableSheet[ReviewColumn] = TableSheet(
            book, self.layout, table_name=names.table, look_of=look_of, hidden=HIDDEN
        )
        self._fields = tuple(column for column in self.layout.columns if isinstance(column, FieldColumn))
        self._widths = {column: column_width(column, survey) for column in self.layout.columns}
        growing = [column for column in self.layout.columns if look_of(column).grows_rows]
        self._growing_fields = [column for column in growing if isinstance(column, FieldColumn)]
        self._growing = [column for column in growing if not isinstance(column, FieldColumn)]
        self._styles = [book.formats[look_of(column).style] for column in self.layout.columns]
        self._masked_styles = [self._masked_style(column) for column in self.layout.columns]

    def write(
        self, grades: Iterable[Grade], entries: Mapping[str, ExpertEntry], stored: Mapping[str, ExpertEntry]
    ) -> None:
        """Write the whole sheet."""
        self._table.begin(self._widths.__getitem__)
        for row, grade in enumerate(grades, start=1):
            self._write_row(row, grade, entries, stored)
        self._offer_scores()
        self._colour_scores()
        self._explain_header()
        self._table.finish(frozen_count=self.layout.frozen_count, tab_colour=AMBER)

    def _masked_style(self, column: ReviewColumn) -> Any:
        style = look_of(column).style
        if column in _OF_JUDGE:
            return self._book.formats.masked(style)
        return self._book.formats["final_blind" if column is Column.FINAL else style]

    def _write_row(
        self, row: int, grade: Grade, entries: Mapping[str, ExpertEntry], stored: Mapping[str, ExpertEntry]
    ) -> None:
        entry, key = entry_for(grade, entries), grade_key(grade)
        is_masked = key in self._survey.masked
        reasons = reasons_shown(grade, entry, self._survey.queue, is_masked=is_masked)
        texts = row_values(
            grade,
            entry,
            self._fields,
            stored=entry_for(grade, stored),
            reasons=[each.words for each in reasons],
            is_masked=is_masked,
        )
        results = self._results(grade, entry, is_masked=is_masked, is_blind=key in self._survey.blind_rows)
        values = {**texts, Column.STALE: entry.stale, **results}
        self._table.row(row, self._row_points(values), values, self._row_styles(grade, reasons, is_masked=is_masked))

    def _row_points(self, values: Mapping[ReviewColumn, CellValue]) -> float:
        """Return the height for the row's texts; a long field alone does not make it a page high."""
        fields = row_points((str(values[column]), self._widths[column]) for column in self._growing_fields)
        others = row_points((str(values[column]), self._widths[column]) for column in self._growing)
        return max(others, min(_MOST_FIELD_POINTS, fields))

    def _row_styles(self, grade: Grade, reasons: list[Reason], *, is_masked: bool) -> list[Any]:
        """Return the formats of a row's cells: reasons that matter most are red, others amber."""
        styles = list(self._masked_styles if is_masked else self._styles)
        if not is_masked and not grade.verdict.status.is_scored:
            styles[self.layout.index(Column.VERDICT)] = self._book.formats["unscored_text"]
        if reasons:
            mark = "alarm_mark" if reasons[0].urgency <= Urgency.DISAGREEMENT else "notice_mark"
            styles[self.layout.index(Column.NEEDS_REVIEW)] = self._book.formats[mark]
        return styles

    def _results(
        self, grade: Grade, entry: ExpertEntry, *, is_masked: bool, is_blind: bool
    ) -> dict[ReviewColumn, CellValue]:
        """Return the live cells of a row, with their values of this moment."""
        rubric = self._survey.rubric
        grade = veiled(grade) if is_masked else grade
        expert, judge = expert_number(grade, entry, rubric), grade.verdict.score
        final: Value = shown_final(grade, entry, rubric)
        if is_masked and expert_result(grade, entry, rubric) is None:
            final = BLIND
        between = None if expert is None or judge is None else expert - judge
        cells: dict[ReviewColumn, CellValue] = {
            Column.FINAL: self._final.with_value(final),
            Column.DIFFERENCE: self._difference.with_value(between),
        }
        if self._blind_score is not None:
            cells[Column.BLIND_SCORE] = self._blind_score.with_value(entry.blind_score) if is_blind else None
        if Column.EXPERT_RESULT in self.layout.columns:
            result, by_criteria = self._formulas.expert_values(grade, entry)
            cells[Column.EXPERT_RESULT] = self._expert_result(by_criteria).with_value(result)
        return cells

    def _offer_scores(self) -> None:
        rule = score_rule(self._scale, self._names)
        self._table.over(Column.EXPERT_SCORE, self._table.sheet.raw.data_validation, rule)
        expert = self.layout.cell(Column.EXPERT_SCORE, 1)
        # What is no score leaves Final empty: nobody should have to search for the reason.
        final = self.layout.cell(Column.FINAL, 1)
        unread = f'=AND(TRIM({expert})<>"",NOT(ISNUMBER({final})))'
        self._table.colour(Column.EXPERT_SCORE, unread, bg_color=PALE_RED, font_color=RED)

    def _colour_scores(self) -> None:
        judge, difference = self.layout.cell(Column.SCORE, 1), self.layout.cell(Column.DIFFERENCE, 1)
        overridden = f"AND(ISNUMBER({difference}),{difference}<>0)"
        self._table.over(Column.FINAL, self._table.sheet.raw.conditional_format, three_colours(self._scale))
        self._table.colour(Column.SCORE, f'=AND({judge}<>"",{overridden})', font_strikeout=True, font_color=MUTED)
        self._shorten_scores()

    def _shorten_scores(self) -> None:
        """Show few decimals of scores that have many, such as a third of a scale; 50 stays 50."""
        shown = score_format(self._scale.max - self._scale.min)
        places = len(shown) - 2
        for column in (Column.SCORE, Column.EXPERT_SCORE, Column.FINAL, Column.DIFFERENCE):
            cell = self.layout.cell(column, 1)
            is_long = f"=IF(ISNUMBER({cell}),ABS({cell}-ROUND({cell},{places}))>1E-9,FALSE)"
            signed = f"+{shown};-{shown};0" if column is Column.DIFFERENCE else shown
            self._table.colour(column, is_long, num_format=signed)

    def _explain_header(self) -> None:
        self._table.explain(
            Column.NEEDS_REVIEW,
            "Which rows to look at first",
            "Filter this column by everything but (Blanks): the rows that the judge was unsure of, and why.",
        )
        if self._survey.criterion_count and not self._formulas.follows_verdicts:
            self._table.explain(Column.FINAL, "Final", _TOO_LARGE)


def column_width(column: ReviewColumn, survey: Survey) -> float:
    """Return a width at which the column's average text takes a comfortable number of lines."""
    look = look_of(column)
    if not look.max_width:
        return look.width
    average = survey.lengths.get(column, 0) / max(1, survey.count)
    is_name = column in (Column.ID, Column.SYSTEM, Column.GROUP)
    wanted = average * 1.3 + 2 if is_name else average / _COMFORTABLE_LINES
    return round(min(look.max_width, max(look.width, wanted)), 1)
