"""Writes the sheet Agreement: how far judge and experts agree, as figures of one moment; computes none of them."""

from __future__ import annotations

from collections.abc import Sequence

from grader.outputs.graded_workbook.agreement_tables import AgreementTables
from grader.outputs.graded_workbook.corrected_rows import EXPLANATION, write_corrected
from grader.outputs.graded_workbook.formats import BLUE
from grader.outputs.graded_workbook.names import SheetNames
from grader.outputs.graded_workbook.page import set_up_page
from grader.outputs.graded_workbook.sheet import Book, checked
from grader.rubric import Scale
from grader.statistics.agreement_records import Agreement, AgreementReport, Block

_TITLE_POINTS, _ROW_POINTS, _LINE_POINTS = 30, 18, 14
_NAME_WIDTH, _FIGURE_WIDTH, _INTERVAL_WIDTH = 26, 9, 14
_LAST_COLUMN = 13
_LINE_CHARACTERS = 185
"""That fit side by side in the width of a table."""
_HOW_TO_GET_BLIND = (
    "Nothing was entered blind yet. For a measure of the judge, run grader score again with --blind 20 and enter "
    "scores on the sheet Blind, which shows nothing of the judge's."
)
_SEEN_EMPTY = "Nothing was entered in sight of the judge's scores."


def write_agreement(book: Book, names: SheetNames, report: AgreementReport, scale: Scale, *, source: str = "") -> None:
    """Write the sheet; `source` says when it was computed and from which files, in one line."""
    AgreementSheet(book, names, report, scale).write(source)


class AgreementSheet:
    """Writes Agreement from top to bottom, as streaming wants it."""

    def __init__(self, book: Book, names: SheetNames, report: AgreementReport, scale: Scale) -> None:
        self._report = report
        self._formats = book.formats
        self._sheet = book.add_sheet(names.agreement)
        self._tables = AgreementTables(self._sheet, book.formats, report, scale)
        self._row = 0

    def write(self, source: str) -> None:
        """Write the whole sheet."""
        self._set_up_view()
        self._sheet.text(0, 0, "Agreement", self._formats["title"])
        self._row = 1
        if source:
            self._line(source, "plain")
        self._line(
            "These figures do not follow the cells: grader review computes them anew from what was entered.", "muted"
        )
        for block in self._report.blocks:
            self._write_block(block)
        self._write_corrected()
        self._row += 1
        self._heading("How to read this")
        for note in self._tables.explanations():
            self._line(note, "wrapped")

    def _write_corrected(self) -> None:
        if not self._report.corrected:
            return
        self._row += 1
        self._heading("Means corrected by what experts scored blind")
        self._row, lines = write_corrected(self._sheet, self._formats, self._row, self._report.corrected)
        self._lines(lines)
        self._line(EXPLANATION, "wrapped")

    def _write_block(self, block: Block) -> None:
        self._row += 1
        title = "Blind: entered without seeing the judge" if block.is_blind else "Seen: entered in sight of the judge"
        self._heading(title)
        if block.is_empty:
            self._line(_HOW_TO_GET_BLIND if block.is_blind else _SEEN_EMPTY, "wrapped")
            return
        if block.counted:
            self._line(block.counted, "wrapped")
        if block.scores.judge_and_experts:
            self._write_agreement(block.scores, "Scores")
            self._row = self._tables.write_counts(self._row, block.scores) + 1
        if block.criteria.judge_and_experts:
            self._write_agreement(block.criteria, "Criteria")
        if block.disputed:
            self._row = self._tables.write_disputed(self._row, block.disputed) + 1

    def _write_agreement(self, agreement: Agreement, title: str) -> None:
        self._line(agreement.reading, "wrapped")
        self._row = self._tables.write_figures(self._row, agreement, title)
        self._lines(self._tables.reasons(agreement))
        self._row += 1

    def _lines(self, lines: Sequence[str]) -> None:
        for words in lines:
            self._line(words, "muted")

    def _heading(self, words: str) -> None:
        self._sheet.text(self._row, 0, words, self._formats["heading"])
        self._row += 1

    def _line(self, words: str, style: str) -> None:
        """Write a sentence over the width of the tables, as high as it needs."""
        height = max(_ROW_POINTS, _LINE_POINTS * (1 + len(words) // _LINE_CHARACTERS) + 4)
        checked(self._sheet.raw.set_row(self._row, height))
        checked(self._sheet.raw.merge_range(self._row, 0, self._row, _LAST_COLUMN, "", self._formats[style]))
        self._sheet.text(self._row, 0, words, self._formats[style])
        self._row += 1

    def _set_up_view(self) -> None:
        self._sheet.set_width(0, 0, _NAME_WIDTH)
        for column in range(1, _LAST_COLUMN + 1):
            is_interval = column > 1 and column % 2
            self._sheet.set_width(column, column, _INTERVAL_WIDTH if is_interval else _FIGURE_WIDTH)
        raw = self._sheet.raw
        raw.set_default_row(_ROW_POINTS)
        checked(raw.set_row(0, _TITLE_POINTS))
        raw.hide_gridlines(2)
        raw.set_tab_color(BLUE)
        set_up_page(self._sheet)
