"""Writes the sheet Summary: who judged, whether the run is complete, the tables and charts; all figures are live."""

from __future__ import annotations

from grader.outputs.graded_workbook.charts import ROW_PIXELS, chart_pixels, insert_charts
from grader.outputs.graded_workbook.formats import BLUE
from grader.outputs.graded_workbook.names import SheetNames
from grader.outputs.graded_workbook.page import set_up_page
from grader.outputs.graded_workbook.review_columns import ReviewLayout, column_letters
from grader.outputs.graded_workbook.score_rules import three_colours
from grader.outputs.graded_workbook.sheet import Book, checked
from grader.outputs.graded_workbook.summary_formulas import Formulas
from grader.outputs.graded_workbook.summary_tables import (
    BLIND,
    JUDGE,
    MEAN,
    PLANNED,
    REVIEW,
    SCORED,
    SYSTEM,
    Block,
    SummaryTables,
)
from grader.outputs.graded_workbook.survey import Survey
from grader.outputs.summary import COMPLETE_SHARE

BASELINE = "TEXT-MATCHING BASELINE, NO LLM"
_TITLE_POINTS, _BANNER_POINTS, _ROW_POINTS = 30, 24, 18
_SYSTEM_WIDTH, _FIGURE_WIDTH = 28, 11
_MOST_SYSTEMS_ON_A_PAGE = 10
_FIRST_TABLE_ROW = 6


class SummarySheet:
    """Writes Summary from top to bottom."""

    def __init__(self, book: Book, names: SheetNames, survey: Survey, layout: ReviewLayout) -> None:
        self._book = book
        self._names = names
        self._survey = survey
        self._formats = book.formats
        self._sheet = book.add_sheet(names.summary)
        self._formulas = Formulas(layout)
        self._tables = SummaryTables(book, self._sheet, survey, self._formulas)

    def write(self, *, judge_note: str, is_baseline: bool) -> None:
        """Write the whole sheet, from the top down, as streaming wants it."""
        self._set_up_view()
        self._write_head(judge_note=judge_note, is_baseline=is_baseline)
        leaderboard = self._write_leaderboard()
        chart_row = leaderboard.last_row + 3
        row = chart_row + chart_pixels(self._survey) // ROW_PIXELS + 1
        if self._survey.groups:
            row = self._write_groups(row)
        self._heading(row, "Distribution of final scores", "How many items got which score.")
        distribution = self._tables.write_distribution(row + 1)
        self._write_agreement(distribution.last_row + 2)
        insert_charts(self._book, self._sheet, self._survey, chart_row, leaderboard, distribution)

    def _write_head(self, *, judge_note: str, is_baseline: bool) -> None:
        rubric, survey = self._survey.rubric, self._survey
        self._sheet.text(0, 0, "Summary", self._formats["title"])
        counts = f"{_count(survey.count, 'graded item')}, {_count(len(survey.systems), 'system')}"
        description = f"{counts}. Rubric: {rubric.title}, scores from {rubric.scale.described()}."
        self._sheet.text(1, 0, description, self._formats["plain"])
        judge = f"Judge: {judge_note}" if judge_note else ""
        words = " – ".join(part for part in (BASELINE if is_baseline else "", judge) if part)
        if words:
            self._write_band(2, words, "banner" if is_baseline else "judge_line")
        self._write_completeness(3)
        self._write_queue(4)

    def _write_band(self, row: int, words: str, style: str) -> None:
        """Write a line that stands out over the width of the leaderboard, with cells of one colour."""
        checked(self._sheet.raw.set_row(row, _BANNER_POINTS))
        checked(self._sheet.raw.merge_range(row, SYSTEM, row, JUDGE, "", self._formats[style]))
        self._sheet.text(row, SYSTEM, words, self._formats[style])

    def _write_queue(self, row: int) -> None:
        """Say how many rows need review and how to see them, in a line that follows Review."""
        count, planned = (self._column_sum(column) for column in (REVIEW, PLANNED))
        where = f" rows: on {self._names.review}, filter the column Needs review by everything but blanks."
        nothing = "No row needs review."
        quoted_where = where.replace('"', '""')
        formula = f'=IF({count}=0,"{nothing}","Needs review: "&{count}&" of "&{planned}&"{quoted_where}")'
        needed = sum(figures.needs_review for figures in self._survey.systems.values())
        value = f"Needs review: {needed} of {self._survey.count}{where}" if needed else nothing
        self._sheet.formula(row, 0, formula, self._formats["notice"], value)

    def _column_sum(self, column: int) -> str:
        first = _FIRST_TABLE_ROW + 2
        last = first + max(0, len(self._survey.systems) - 1)
        letters = column_letters(column)
        return f"SUM({letters}{first}:{letters}{last})"

    def _write_completeness(self, row: int) -> None:
        scored, planned = (self._column_sum(column) for column in (SCORED, PLANNED))
        if self._survey.masked:
            planned = f"({planned}-{self._column_sum(BLIND)})"
        words = f'"INCOMPLETE: only "&{scored}&" of "&{planned}&" items have a score."'
        formula = f'=IF({scored}<{COMPLETE_SHARE}*{planned},{words},"")'
        survey = self._survey
        open_count = survey.count - survey.blind_count
        is_incomplete = survey.scored < COMPLETE_SHARE * open_count
        value = f"INCOMPLETE: only {survey.scored} of {open_count} items have a score."
        self._sheet.formula(row, 0, formula, self._formats["alarm"], value if is_incomplete else None)

    def _write_leaderboard(self) -> Block:
        hint = f"All figures follow the column Final on {self._names.review}: an expert's score counts at once."
        self._heading(_FIRST_TABLE_ROW - 1, "Leaderboard", hint)
        block = self._tables.write_leaderboard(_FIRST_TABLE_ROW)
        self._colour_means(block, MEAN, MEAN)
        note = "± 95 %: Student's t interval of the mean over the scored items."
        if self._survey.rubric.scale.two_scores:
            note = "± 95 %: half of Wilson's interval, whose middle is not the mean, over the scored items."
        if self._survey.has_samples:
            note = (
                "± 95 %: Student's t interval over the questions, each one's samples averaged first. It is of the "
                "moment of writing and does not follow the cells; grader review writes it anew."
            )
        self._sheet.text(block.last_row + 1, 0, note, self._formats["muted"])
        if self._survey.masked:
            left_out = (
                "Rows that are still blind are left out of all figures and charts here, as their scores would give the "
                f"judge's away: score them on {self._names.blind}, then run grader review, which shows and counts them."
            )
            self._sheet.text(block.last_row + 2, 0, left_out, self._formats["notice"])
        return block

    def _write_groups(self, row: int) -> int:
        self._heading(row, "Final mean by group", "")
        block = self._tables.write_groups(row + 1)
        self._colour_means(block, SYSTEM + 1, block.last_column)
        return block.last_row + 2

    def _write_agreement(self, row: int) -> None:
        words = "Rows scored by both; the difference is expert minus judge. Empty until the expert has entered scores."
        if self._survey.blind_rows:
            words = (
                "Rows scored by both, expert minus judge; those scored on the sheet Blind apart, as nothing led them."
            )
        self._heading(row, "Agreement of expert and judge", words)
        self._tables.write_agreement(row + 1)

    def _heading(self, row: int, words: str, explanation: str) -> None:
        self._sheet.text(row, 0, words, self._formats["heading"])
        if explanation:
            self._sheet.text(row, MEAN, explanation, self._formats["muted"])

    def _colour_means(self, block: Block, first_column: int, last_column: int) -> None:
        if block.last_row >= block.first_row:
            rule = three_colours(self._survey.rubric.scale)
            area = (block.first_row, first_column, block.last_row, last_column)
            checked(self._sheet.raw.conditional_format(*area, rule))

    def _set_up_view(self) -> None:
        raw = self._sheet.raw
        self._sheet.set_width(SYSTEM, SYSTEM, _SYSTEM_WIDTH)
        self._sheet.set_width(SYSTEM + 1, SYSTEM + 40, _FIGURE_WIDTH)
        raw.set_default_row(_ROW_POINTS)
        checked(raw.set_row(0, _TITLE_POINTS))
        raw.hide_gridlines(2)
        raw.set_tab_color(BLUE)
        set_up_page(self._sheet, is_one_page=len(self._survey.systems) <= _MOST_SYSTEMS_ON_A_PAGE)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
