"""Writes the sheet Analysis: how criteria, questions and scale did their work, with figures; computes none of them."""

from __future__ import annotations

from collections.abc import Sequence

from grader.outputs.graded_workbook.finished_rows import CellValue
from grader.outputs.graded_workbook.formats import SLATE
from grader.outputs.graded_workbook.names import SheetNames
from grader.outputs.graded_workbook.page import set_up_page
from grader.outputs.graded_workbook.row_height import row_points
from grader.outputs.graded_workbook.sheet import Book, checked
from grader.outputs.graded_workbook.wording import criterion_label
from grader.records import format_number
from grader.statistics.estimate import Estimate
from grader.statistics.item_analysis_records import ItemAnalysis, NearDuplicate

_WIDTHS = (22.0, 9.0, 60.0, 8.0, 10.0, 15.0, 10.0, 15.0, 12.0, 12.0, 46.0)
_FINDING = len(_WIDTHS) - 1
_TITLE_POINTS, _ROW_POINTS, _HEADER_POINTS, _LINE_POINTS = 30, 18, 34, 14
_LINE_CHARACTERS = 190
_MOST_TEXT = 240
"""Characters of a criterion: it stands whole on its own sheet."""

_SCORES = ("System", "", "", "Answers", "Most frequent score", "Share, 95 %", "Length (Spearman)", "95 %")
_CRITERIA = ("Item", "No.", "Criterion", "Answers", "Met", "95 %", "Item–rest", "95 %")
_QUESTIONS = ("Item", "", "", "Answers", "Mean", "95 %", "Item–rest", "95 %")


def write_analysis(book: Book, names: SheetNames, analysis: ItemAnalysis) -> None:
    """Write the sheet, a row for each criterion and for each question, those with a finding first."""
    AnalysisSheet(book, names, analysis).write()


class AnalysisSheet:
    """Writes Analysis from top to bottom, as streaming wants it."""

    def __init__(self, book: Book, names: SheetNames, analysis: ItemAnalysis) -> None:
        self._analysis = analysis
        self._formats = book.formats
        self._sheet = book.add_sheet(names.analysis)
        self._row = 0

    def write(self) -> None:
        """Write the whole sheet."""
        self._set_up_view()
        self._sheet.text(0, 0, "Analysis", self._formats["title"])
        self._row = 1
        self._line(
            "Which criteria and questions tell answers apart, and how the scale is used. "
            "These figures do not follow the cells: grader review and grader rescore compute them anew."
        )
        self._write_scores()
        if self._analysis.criteria:
            self._write_criteria()
        self._write_near_duplicates()
        self._write_questions()
        self._row += 1
        self._heading("How to read this")
        for note in self._analysis.notes:
            self._line(note)

    def _write_scores(self) -> None:
        self._heading("Use of the scale")
        self._header((*_SCORES, "Changed by experts", "95 %", "Finding"))
        for each in self._analysis.scores:
            common = "" if each.most_frequent is None else format_number(each.most_frequent)
            figures = [
                *((common, "count"), (_share_words(each.bunching), "count")),
                *_estimate(each.length_correlation, "mean"),
                *_estimate(each.override_rate, "share"),
            ]
            self._write_row(each.system or "All systems", "", "", each.bunching.n, figures, each.findings)

    def _write_criteria(self) -> None:
        odd = sum(bool(each.findings) for each in self._analysis.criteria)
        self._heading(f"Criteria: {len(self._analysis.criteria):,}, {odd:,} of them with a finding")
        self._header((*_CRITERIA, "", "", "Finding"))
        for each in sorted(self._analysis.criteria, key=lambda each: not each.findings):
            label = criterion_label(each.level, each.number)
            figures = [*_estimate(each.met, "share"), *_estimate(each.item_rest, "mean"), *_NOTHING]
            self._write_row(each.item_id, label, _cut(each.text), each.met.n, figures, each.findings)

    def _write_questions(self) -> None:
        odd = sum(bool(each.findings) for each in self._analysis.questions)
        self._heading(f"Questions: {len(self._analysis.questions):,}, {odd:,} of them with a finding")
        self._header((*_QUESTIONS, "At the top", "At the floor", "Finding"))
        for each in sorted(self._analysis.questions, key=lambda each: not each.findings):
            figures = [
                *_estimate(each.mean, "mean"),
                *_estimate(each.item_rest, "mean"),
                *(_figure(each.at_top.value, "share"), _figure(each.at_floor.value, "share")),
            ]
            self._write_row(each.item_id, "", "", each.mean.n, figures, each.findings)

    def _write_near_duplicates(self) -> None:
        pairs = self._analysis.near_duplicates
        if not pairs:
            return
        self._heading(f"Criteria that say nearly the same: {len(pairs):,} pairs")
        self._header(("Item", "No.", "Criterion", "Alike", "Item", "No.", "The other", "", "", "", "Finding"))
        for pair in pairs:
            self._write_pair(pair)

    def _write_pair(self, pair: NearDuplicate) -> None:
        """Write a row cell by cell, as some of them are one."""
        finding = "counted twice in one question" if pair.is_within_question else "also in another question"
        first, second = pair.first, pair.second
        cells = (
            (0, first.item_id, "row_label"),
            (1, criterion_label(*first.place), "count"),
            (2, _cut(first.text), "row_text"),
            (4, second.item_id, "count"),
            (5, criterion_label(*second.place), "count"),
            (6, _cut(second.text), "row_text"),
            (_FINDING, finding, "row_text"),
        )
        checked(self._sheet.raw.set_row(self._row, _points(_cut(first.text), finding)))
        checked(self._sheet.raw.merge_range(self._row, 6, self._row, 9, "", self._formats["row_text"]))
        self._sheet.number(self._row, 3, pair.similarity / 100, self._formats["share"])
        for column, text, style in cells:
            self._sheet.text(self._row, column, text, self._formats[style])
        self._row += 1

    def _write_row(
        self, item: str, label: str, text: str, n: int, figures: Sequence[_Figure], findings: Sequence[str]
    ) -> None:
        finding = "; ".join(findings)
        cells: list[_Figure] = [
            *((item, "row_label"), (label, "count"), (text, "row_text"), (n, "count")),
            *figures,
            (finding, "row_text"),
        ]
        values, styles = [value for value, _ in cells], [self._formats[style] for _, style in cells]
        self._rows.add(self._row, _points(text, finding), values, styles)
        self._row += 1

    def _header(self, names: Sequence[str]) -> None:
        checked(self._sheet.raw.set_row(self._row, _HEADER_POINTS))
        styles = ["table_header_left" if column in (0, 2, _FINDING) else "table_header" for column in range(len(names))]
        formats = [self._formats[style] for style in styles]
        for column, name in enumerate(names):
            self._sheet.text(self._row, column, name, formats[column])
        self._rows = self._sheet.begin_rows(formats)
        self._row += 1

    def _heading(self, words: str) -> None:
        self._row += 1
        self._sheet.text(self._row, 0, words, self._formats["heading"])
        self._row += 1

    def _line(self, words: str) -> None:
        """Write a sentence over the width of the tables, as high as it needs."""
        height = max(_ROW_POINTS, _LINE_POINTS * (1 + len(words) // _LINE_CHARACTERS) + 4)
        checked(self._sheet.raw.set_row(self._row, height))
        checked(self._sheet.raw.merge_range(self._row, 0, self._row, _FINDING, "", self._formats["wrapped"]))
        self._sheet.text(self._row, 0, words, self._formats["wrapped"])
        self._row += 1

    def _set_up_view(self) -> None:
        for column, width in enumerate(_WIDTHS):
            self._sheet.set_width(column, column, width)
        raw = self._sheet.raw
        raw.set_default_row(_ROW_POINTS)
        checked(raw.set_row(0, _TITLE_POINTS))
        raw.hide_gridlines(2)
        raw.set_tab_color(SLATE)
        set_up_page(self._sheet, is_wide=True)


_Figure = tuple[CellValue, str]
"""What stands in a cell, and how it looks."""

_NOTHING: tuple[_Figure, _Figure] = ((None, "count"), (None, "count"))


def _points(text: str, finding: str) -> float:
    return max(_ROW_POINTS, row_points([(text, _WIDTHS[2]), (finding, _WIDTHS[_FINDING])]))


def _estimate(estimate: Estimate, style: str) -> tuple[_Figure, _Figure]:
    """Return a figure and its interval; the dash where there is none is explained by the notes."""
    return _figure(estimate.value, style), (_interval_words(estimate, is_share=style == "share"), "count")


def _figure(value: float | None, style: str) -> _Figure:
    return ("–", "count") if value is None else (value, style)


def _share_words(estimate: Estimate) -> str:
    if estimate.value is None:
        return "–"
    return f"{estimate.value:.0%} ({_interval_words(estimate, is_share=True)})"


def _interval_words(estimate: Estimate, *, is_share: bool) -> str:
    if estimate.low is None or estimate.high is None:
        return "–"
    if is_share:
        return f"{estimate.low:.0%} to {estimate.high:.0%}"
    return f"{estimate.low:.2f} to {estimate.high:.2f}"


def _cut(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _MOST_TEXT else words[: _MOST_TEXT - 1] + "…"
