"""Writes compare.xlsx, one sheet with systems or judges side by side, as figures of one moment; computes none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from grader.comparison_records import Comparison, FarApart, Side, Standing
from grader.errors import RunError
from grader.outputs.graded_workbook.corrected_rows import write_corrected
from grader.outputs.graded_workbook.formats import BLUE, mean_format
from grader.outputs.graded_workbook.lint import check_alone
from grader.outputs.graded_workbook.page import set_up_page
from grader.outputs.graded_workbook.saving import save_beside
from grader.outputs.graded_workbook.sheet import Book, checked
from grader.statistics.comparison import PairedDifference
from grader.statistics.estimate import Estimate
from grader.statistics.figure_words import interval_words, left_out_words, p_words

SHEET = "Compare"
WHOLE_TEXTS = "the runs' results.jsonl"
_TITLE_POINTS, _HEADER_POINTS, _ROW_POINTS, _LINE_POINTS, _TEXT_POINTS = 30, 30, 18, 14, 130
_WIDTHS = (30, 30, 9, 12, 20, 9, 9, 9, 10, 12, 12, 14)
_LAST_COLUMN = len(_WIDTHS) - 1
_LINE_CHARACTERS = 175
_PAIRS = (
    "First",
    "Second",
    "n",
    "Difference",
    "95 %",
    "Wins",
    "Ties",
    "Losses",
    "p",
    "p (Holm)",
    "Detectable",
    "Told apart",
)


def write_compare_workbook(path: Path, comparison: Comparison) -> Path:
    """Write the workbook to `path`, or beside it where a file there is open; return where it is.

    Raises:
        RunError: the folder cannot be written to, or the disk is full; what stood at `path` stays.
    """
    written, _ = save_beside(path, lambda beside: _write(beside, comparison))
    return written


def _write(path: Path, comparison: Comparison) -> None:
    low, high = comparison.scale
    book = Book(path, mean_format=mean_format(high - low), is_streamed=False, width_unit=1.0, whole_texts=WHOLE_TEXTS)
    CompareSheet(book, comparison).write()
    book.close()
    problems = check_alone(path)
    if problems:
        raise RunError(f"{path} was written, but is damaged: {'; '.join(problems)}")


class CompareSheet:
    """Writes Compare from top to bottom."""

    def __init__(self, book: Book, comparison: Comparison) -> None:
        self._comparison = comparison
        self._formats = book.formats
        self._sheet = book.add_sheet(SHEET)
        self._row = 0

    def write(self) -> None:
        """Write the whole sheet."""
        made = self._comparison
        self._set_up_view()
        self._sheet.text(0, 0, "Compare", self._formats["title"])
        self._row = 1
        counted = (
            "final scores, an expert's before the judge's" if made.scores == "final" else "the judge's scores alone"
        )
        self._line(
            f"{len(made.standings)} {made.kind}; what counts: {counted}. Rubric: {', '.join(made.rubrics)}.", "plain"
        )
        for words in made.warnings:
            self._line(words, "alarm" if words.startswith("INCOMPLETE") else "notice")
        self._write_standings(made.standings, is_ranked=made.kind == "systems")
        self._write_pairs("Each two, paired by question: first minus second", made.pairs)
        for group, pairs in made.groups.items():
            self._write_pairs(f"The same within {group}", pairs)
        self._write_corrected()
        self._write_far_apart(made.far_apart)
        self._heading("How to read this")
        for note in (*made.notes, *self._methods()):
            self._line(note, "wrapped")

    def _write_standings(self, standings: Sequence[Standing], *, is_ranked: bool) -> None:
        self._heading("How each stands")
        groups = list(dict.fromkeys(group for each in standings for group in each.groups))[: _LAST_COLUMN - 7]
        first = "System" if is_ranked else "System and judge"
        self._header((first, "Not told apart from", "Rank", "Mean", "95 %", "n", "Items", "Not scored", *groups))
        for each in standings:
            self._text(0, each.name, "row_label")
            self._text(1, ", ".join(each.not_told_apart), "row_text")
            self._number(2, each.rank, "count")
            self._estimate(3, each.mean, "strong_mean")
            for column, count in enumerate((each.mean.n, each.planned, each.unscored), start=5):
                self._number(column, count, "count")
            for column, group in enumerate(groups, start=8):
                mean = each.groups.get(group)
                self._number(column, None if mean is None else mean.value, "mean")
            self._end_row(each.name, ", ".join(each.not_told_apart))

    def _write_pairs(self, title: str, pairs: Sequence[PairedDifference]) -> None:
        self._heading(title)
        self._header(_PAIRS)
        for pair in pairs:
            self._text(0, pair.first, "row_label")
            self._text(1, pair.second, "row_label")
            self._number(2, pair.difference.n, "count")
            self._estimate(3, pair.difference, "signed_mean", is_signed=True)
            for column, count in enumerate((pair.wins, pair.ties, pair.losses), start=5):
                self._number(column, count, "count")
            self._text(8, p_words(pair.p_value), "count")
            self._text(9, p_words(pair.p_holm), "count")
            self._number(10, pair.detectable, "mean")
            self._text(11, "yes" if pair.is_told_apart else "no", "met" if pair.is_told_apart else "count")
            self._end_row(pair.first, pair.second)
        self._lines(_pair_reasons(pairs))

    def _write_corrected(self) -> None:
        means = [each.corrected for each in self._comparison.standings if each.corrected]
        if means:
            self._heading("Means corrected by what experts scored blind")
            self._row, lines = write_corrected(self._sheet, self._formats, self._row, means)
            self._lines(lines)

    def _write_far_apart(self, far_apart: Sequence[FarApart]) -> None:
        if not far_apart:
            return
        self._heading("Where they differ most")
        self._header(("ID and question", "Who", "Score", "Answer", *[""] * 4, "Analysis", *[""] * 3))
        for each in far_apart:
            for side in (each.first, each.second):
                self._write_side(each, side)

    def _write_side(self, each: FarApart, side: Side) -> None:
        checked(self._sheet.raw.set_row(self._row, _TEXT_POINTS))
        self._text(0, f"{each.item_id}: {each.question}" + (f" ({each.group})" if each.group else ""), "text")
        self._text(1, side.name, "id")
        self._number(2, side.score, "score")
        self._merged(3, 7, side.answer, "text")
        self._merged(8, _LAST_COLUMN, side.analysis, "judge_text")
        self._row += 1

    def _methods(self) -> Iterable[str]:
        """Yield how the figures were made, each method once."""
        methods = [each.mean.method for each in self._comparison.standings]
        methods += [words for pair in self._comparison.pairs for words in (pair.difference.method, pair.test)]
        yield f"Methods: {'; '.join(dict.fromkeys(methods))}."
        yield "These figures do not follow any cell: grader compare computes them from the runs' stores."

    def _estimate(self, column: int, estimate: Estimate, style: str, *, is_signed: bool = False) -> None:
        self._number(column, estimate.value, style)
        self._text(column + 1, interval_words(estimate, is_signed=is_signed), "count")

    def _text(self, column: int, words: str, style: str) -> None:
        self._sheet.text(self._row, column, words, self._formats[style])

    def _number(self, column: int, number: float | None, style: str) -> None:
        if number is None:
            self._text(column, "–", "count")
        else:
            self._sheet.number(self._row, column, number, self._formats[style])

    def _merged(self, first: int, last: int, words: str, style: str) -> None:
        checked(self._sheet.raw.merge_range(self._row, first, self._row, last, "", self._formats[style]))
        self._text(first, words, style)

    def _end_row(self, first: str, second: str) -> None:
        """Make a row as high as its names need."""
        lines = max(1 + len(words) // 30 for words in (first, second))
        if lines > 1:
            checked(self._sheet.raw.set_row(self._row, _LINE_POINTS * lines + 4))
        self._row += 1

    def _header(self, labels: Sequence[str]) -> None:
        checked(self._sheet.raw.set_row(self._row, _HEADER_POINTS))
        for column, label in enumerate(labels):
            self._text(column, label, "table_header" if column > 1 else "table_header_left")
        self._row += 1

    def _heading(self, words: str) -> None:
        self._row += 1
        self._text(0, words, "heading")
        self._row += 1

    def _lines(self, lines: Iterable[str]) -> None:
        for words in lines:
            self._line(words, "muted")

    def _line(self, words: str, style: str) -> None:
        """Write a sentence over the width of the tables, as high as it needs."""
        height = max(_ROW_POINTS, _LINE_POINTS * (1 + len(words) // _LINE_CHARACTERS) + 4)
        checked(self._sheet.raw.set_row(self._row, height))
        self._merged(0, _LAST_COLUMN, words, style)
        self._row += 1

    def _set_up_view(self) -> None:
        for column, width in enumerate(_WIDTHS):
            self._sheet.set_width(column, column, width)
        raw = self._sheet.raw
        raw.set_default_row(_ROW_POINTS)
        checked(raw.set_row(0, _TITLE_POINTS))
        raw.hide_gridlines(2)
        raw.set_tab_color(BLUE)
        set_up_page(self._sheet, is_wide=True)


def _pair_reasons(pairs: Iterable[PairedDifference]) -> Iterable[str]:
    """Say what was left out, and why figures are missing."""
    for pair in pairs:
        who = f"{pair.first} and {pair.second}"
        if pair.left_out:
            yield f"{who}: {left_out_words(pair.left_out)}."
        if pair.difference.reason:
            yield f"{who}: {pair.difference.reason}."
