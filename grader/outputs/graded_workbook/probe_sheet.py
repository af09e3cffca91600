"""Writes probe.xlsx, a workbook with the sheet Probe alone: what each canary showed, and every answer that failed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grader.outputs.graded_workbook.formats import BLUE
from grader.outputs.graded_workbook.page import set_up_page
from grader.outputs.graded_workbook.saving import save_beside
from grader.outputs.graded_workbook.sheet import Book, checked
from grader.outputs.probe_words import detail_words, failure_words, item_words, margin_words, verdict_words
from grader.probe_records import CanaryResult, CheckedItem, Outcome, ProbeReport

SHEET_NAME = "Probe"
_TITLE_POINTS, _BANNER_POINTS, _ROW_POINTS, _LINE_POINTS = 30, 26, 18, 14
_WIDTHS = (34, 14, 22, 10, 62, 44)
_HEADER = ("Canary", "Outcome", "Failed answers", "Margin", "What passes", "Remarks")
_ITEM_HEADER = ("Canary", "Id", "Answer", "Score", "The answer's text", "Should be, or why nothing can be said")
_STYLES = {Outcome.PASS: "passed", Outcome.FAIL: "failed", Outcome.INCONCLUSIVE: "in_doubt"}
_MOST_ANSWERS = 200
_MOST_CHARACTERS = 300
_NOTES = (
    "Failed answers: how many of those that could be used, with Wilson's 95 % interval; where none failed, 3 / n, the "
    "rate above which one would have been seen in 95 of 100 probes.",
    "Margin: the room left before the canary fails, as a share of the scale; of the answer closest to failing, or of "
    "the mean where the mean decides. Below 0 it has failed.",
    "Inconclusive: a third of the answers or more could not be used. It counts as not passed.",
    "Not tested: there was nothing to test it with. It is no pass.",
)


def write_probe_workbook(path: Path, report: ProbeReport) -> Path:
    """Write the workbook to `path`, or beside it where it is open; return where it is.

    Raises:
        RunError: the folder cannot be written or the disk is full; what stood at `path` stays.
    """
    written, _ = save_beside(path, lambda beside: _write(beside, report))
    return written


def _write(path: Path, report: ProbeReport) -> None:
    book = Book(path, mean_format="0.00", is_streamed=False, width_unit=1.0, whole_texts="probe.json")
    ProbeSheet(book, report).write()
    book.close()


class ProbeSheet:
    """Writes the sheet from top to bottom."""

    def __init__(self, book: Book, report: ProbeReport) -> None:
        self._report = report
        self._formats = book.formats
        self._sheet = book.add_sheet(SHEET_NAME)
        self._row = 0

    def write(self) -> None:
        """Write the whole sheet."""
        self._set_up_view()
        self._line("Probe", "title", _TITLE_POINTS)
        facts = self._report.facts
        judge = f"{facts['model']}{' (text-matching baseline, no LLM)' if facts.get('is_baseline') else ''}"
        self._line(f"Judge: {judge}", "judge_line", _BANNER_POINTS)
        self._line(verdict_words(self._report), "banner", _BANNER_POINTS)
        self._line(
            f"Rubric {facts['rubric']} · criteria {Path(facts['criteria']).name} · questions "
            f"{', '.join(facts['questions'])} · {facts['calls']} calls · {facts['created']}",
            "wrapped",
        )
        self._row += 1
        self._table(_HEADER, [self._canary_row(canary) for canary in self._report.canaries])
        self._items("Answers not scored as they should be", [(c, i) for c in self._report.canaries for i in c.failed])
        self._items("Answers of which nothing can be said", [(c, i) for c in self._report.canaries for i in c.unusable])
        self._line("How to read this", "heading")
        for words in (*_NOTES, *self._report.notes):
            self._line(words, "wrapped")

    def _canary_row(self, canary: CanaryResult) -> list[tuple[str, str]]:
        return [
            (canary.title, "row_label"),
            (canary.outcome.words, _STYLES.get(canary.outcome, "count")),
            (failure_words(canary), "count"),
            (margin_words(canary), "count"),
            (canary.wants, "row_text"),
            (detail_words(canary), "row_text"),
        ]

    def _items(self, title: str, pairs: Sequence[tuple[CanaryResult, CheckedItem]]) -> None:
        if not pairs:
            return
        self._row += 1
        more = f", the first {_MOST_ANSWERS} of {len(pairs)}; probe.json has all" if len(pairs) > _MOST_ANSWERS else ""
        self._line(title + more, "heading")
        rows = []
        for canary, item in pairs[:_MOST_ANSWERS]:
            item_id, variant, score, expected = item_words(item)
            texts = (canary.title, item_id, variant, score, _shown(item.answer), item.reason or expected)
            styles = ("row_label", "count", "row_text", "count", "row_text", "row_text")
            rows.append(list(zip(texts, styles, strict=True)))
        self._table(_ITEM_HEADER, rows)

    def _table(self, header: Sequence[str], rows: Sequence[Sequence[tuple[str, str]]]) -> None:
        for column, label in enumerate(header):
            self._sheet.text(self._row, column, label, self._formats["table_header" if column else "table_header_left"])
        for cells in rows:
            self._row += 1
            lines = max(_lines(text, width) for (text, _), width in zip(cells, _WIDTHS, strict=True))
            checked(self._sheet.raw.set_row(self._row, max(_ROW_POINTS, _LINE_POINTS * lines + 4)))
            for column, (text, style) in enumerate(cells):
                self._sheet.text(self._row, column, text, self._formats[style])
        self._row += 2

    def _line(self, words: str, style: str, points: int = 0) -> None:
        """Write a sentence over the width of the tables, as high as it needs."""
        height = points or max(_ROW_POINTS, _LINE_POINTS * _lines(words, sum(_WIDTHS)) + 4)
        checked(self._sheet.raw.set_row(self._row, height))
        last = len(_WIDTHS) - 1
        checked(self._sheet.raw.merge_range(self._row, 0, self._row, last, "", self._formats[style]))
        self._sheet.text(self._row, 0, words, self._formats[style])
        self._row += 1

    def _set_up_view(self) -> None:
        for column, width in enumerate(_WIDTHS):
            self._sheet.set_width(column, column, width)
        self._sheet.raw.hide_gridlines(2)
        self._sheet.raw.set_tab_color(BLUE)
        set_up_page(self._sheet)


def _lines(text: str, width: int) -> int:
    return sum(1 + len(line) // width for line in text.split("\n"))


def _shown(text: str) -> str:
    """Return an answer's beginning; what shows nothing is named."""
    if not text.strip():
        return "(empty)"
    return text if len(text) <= _MOST_CHARACTERS else text[:_MOST_CHARACTERS] + " …"
