"""Writes the sheet Analysis: how criteria, questions and scale did their work, with figures; computes none of them."""

from __future__ import annotations

from collections.abc import Sequence

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
            self._begin_row(each.system or "All systems", "", "", each.bunching.n, each.findings)
            common = "" if each.most_frequent is None else format_number(each.most_frequent)
            self._sheet.text(self._row, 4, common, self._formats["count"])
            self._sheet.text(self._row, 5, _share_words(each.bunching), self._formats["count"])
            self._estimate(6, each.length_correlation, "mean")
            self._estimate(8, each.override_rate, "share")
            self._row += 1

    def _write_criteria(self) -> None:
        odd = sum(bool(each.findings) for each in self._analysis.criteria)
        self._heading(f"Criteria: {len(self._analysis.criteria):,}, {odd:,} of them with a finding")
        self._header((*_CRITERIA, "", "", "Finding"))
        for each in sorted(self._analysis.criteria, key=lambda each: not each.findings):
            label = criterion_label(each.level, each.number)
            self._begin_row(each.item_id, label, _cut(each.text), each.met.n, each.findings)
            self._estimate(4, each.met, "share")
            self._estimate(6, each.item_rest, "mean")
            for column in (8, 9):
                self._sheet.blank(self._row, column, self._formats["count"])
            self._row += 1

    def _write_questions(self) -> None:
        odd = sum(bool(each.findings) for each in self._analysis.questions)
        self._heading(f"Questions: {len(self._analysis.questions):,}, {odd:,} of them with a finding")
        self._header((*_QUESTIONS, "At the top", "At the floor", "Finding"))
        for each in sorted(self._analysis.questions, key=lambda each: not each.findings):
            self._begin_row(each.item_id, "", "", each.mean.n, each.findings)
            self._estimate(4, each.mean, "mean")
            self._estimate(6, each.item_rest, "mean")
            self._number(8, each.at_top.value, "share")
            self._number(9, each.at_floor.value, "share")
            self._row += 1

    def _write_near_duplicates(self) -> None:
        pairs = self._analysis.near_duplicates
        if not pairs:
            return
        self._heading(f"Criteria that say nearly the same: {len(pairs):,} pairs")
        self._header(("Item", "No.", "Criterion", "Alike", "Item", "No.", "The other", "", "", "", "Finding"))
        for pair in pairs:
            self._write_pair(pair)

    def _write_pair(self, pair: NearDuplicate) -> None:
        finding = "counted twice in one question" if pair.is_within_question else "also in another question"
        first, second = pair.first, pair.second
        self._begin_row(first.item_id, criterion_label(*first.place), _cut(first.text), None, (finding,))
        self._sheet.number(self._row, 3, pair.similarity / 100, self._formats["share"])
        self._sheet.text(self._row, 4, second.item_id, self._formats["count"])
        self._sheet.text(self._row, 5, criterion_label(*second.place), self._formats["count"])
        checked(self._sheet.raw.merge_range(self._row, 6, self._row, 9, "", self._formats["row_text"]))
        self._sheet.text(self._row, 6, _cut(second.text), self._formats["row_text"])
        self._row += 1

    def _begin_row(self, item: str, label: str, text: str, n: int | None, findings: Sequence[str]) -> None:
        finding = "; ".join(findings)
        if text or finding:
            height = row_points([(text, _WIDTHS[2]), (finding, _WIDTHS[_FINDING])])
            checked(self._sheet.raw.set_row(self._row, max(_ROW_POINTS, height)))
        self._sheet.text(self._row, 0, item, self._formats["row_label"])
        self._sheet.text(self._row, 1, label, self._formats["count"])
        self._sheet.text(self._row, 2, text, self._formats["row_text"])
        if n is not None:
            self._sheet.number(self._row, 3, n, self._formats["count"])
        self._sheet.text(self._row, _FINDING, finding, self._formats["row_text"])

    def _estimate(self, column: int, estimate: Estimate, style: str) -> None:
        """Write a figure and its interval; the dash where there is none is explained by the notes."""
        self._number(column, estimate.value, style)
        words = _interval_words(estimate, is_share=style == "share")
        self._sheet.text(self._row, column + 1, words, self._formats["count"])

    def _number(self, column: int, value: float | None, style: str) -> None:
        if value is None:
            self._sheet.text(self._row, column, "–", self._formats["count"])
        else:
            self._sheet.number(self._row, column, value, self._formats[style])

    def _header(self, names: Sequence[str]) -> None:
        checked(self._sheet.raw.set_row(self._row, _HEADER_POINTS))
        for column, name in enumerate(names):
            style = "table_header_left" if column in (0, 2, _FINDING) else "table_header"
            self._sheet.text(self._row, column, name, self._formats[style])
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
