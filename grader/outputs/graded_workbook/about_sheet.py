"""Writes the sheet About (how to review, and what is known of the run) and the hidden list of scores to choose from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.outputs.graded_workbook.names import SheetNames
from grader.outputs.graded_workbook.page import set_up_page
from grader.outputs.graded_workbook.row_height import row_points
from grader.outputs.graded_workbook.sheet import Book, Sheet, checked
from grader.rubric import Scale

_LABEL_WIDTH = 26.0
_TEXT_WIDTH = 110.0
_TITLE_POINTS = 30


def write_about(book: Book, names: SheetNames, about: Mapping[str, str], *, judge_note: str) -> None:
    """Write About: first what to do, then the run's facts in the order given."""
    facts = {"Judge": judge_note, **about} if judge_note else dict(about)
    write_sections(book, names.about, {"How to review": _steps(names), "This run": facts})


def write_sections(book: Book, name: str, sections: Mapping[str, Mapping[str, str]]) -> None:
    """Write a sheet `name` about the workbook: headings, and below each its labels with their texts."""
    sheet = book.add_sheet(name)
    sheet.set_width(0, 0, _LABEL_WIDTH)
    sheet.set_width(1, 1, _TEXT_WIDTH)
    checked(sheet.raw.set_row(0, _TITLE_POINTS))
    sheet.text(0, 0, "About this workbook", book.formats["title"])
    row = 2
    for heading, pairs in sections.items():
        row = _write_pairs(book, sheet, row, heading, pairs) + 1
    sheet.raw.hide_gridlines(2)
    set_up_page(sheet)


def write_lists(book: Book, names: SheetNames, scale: Scale, *, verdicts: Sequence[str] = ()) -> None:
    """Write what the drop-downs offer, scores as real numbers: a list in the rule itself depends on the locale."""
    sheet, style = book.add_sheet(names.lists), book.formats["plain"]
    scores = scale.override_choices()
    for row in range(max(len(scores), len(verdicts))):  # row by row, as streaming wants it
        if row < len(scores):
            sheet.number(row, 0, scores[row], style)
        if row < len(verdicts):
            sheet.text(row, 1, verdicts[row], style)
    sheet.raw.very_hidden()


def _write_pairs(book: Book, sheet: Sheet, row: int, heading: str, pairs: Mapping[str, str]) -> int:
    """Write a heading and its rows from `row` on; return the row behind them."""
    sheet.text(row, 0, heading, book.formats["heading"])
    for number, (name, value) in enumerate(pairs.items(), start=row + 1):
        checked(sheet.raw.set_row(number, row_points([(value, _TEXT_WIDTH), (name, _LABEL_WIDTH)])))
        sheet.text(number, 0, name, book.formats["label"])
        sheet.text(number, 1, value, book.formats["wrapped"])
    return row + 1 + len(pairs)


def _steps(names: SheetNames) -> dict[str, str]:
    return {
        "1. Look": f"Open the sheet {names.review}. Filter the column Needs review by everything but blanks to see "
        "first what the judge was unsure of, or what looked odd, and why.",
        "2. Score": "Where you disagree, enter your own score in the yellow column Expert score. Where it is empty, "
        "the judge's score counts. Your score counts in Final at once.",
        "3. Comment": "Say why in Expert comment, if you like. It helps to improve the criteria and the judge.",
        "4. See": f"The figures and charts on {names.summary} follow the column Final.",
        "5. Return": "Save the workbook and send it back. Sort and filter as you like, but keep the headers and the "
        "hidden columns of the table: they tie your scores to their items.",
    }
