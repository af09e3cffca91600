"""Writes the table of means corrected by experts' blind scores, wherever a sheet wants it; computes nothing."""

from __future__ import annotations

from collections.abc import Sequence

from grader.outputs.graded_workbook.formats import Formats
from grader.outputs.graded_workbook.sheet import Sheet, checked
from grader.statistics.correction_records import CorrectedMean
from grader.statistics.figure_words import correction_lines, interval_words, value_words

_HEADER_POINTS = 30
_LABELS = ("System", "Blind", "of", "Judge only", "95 %", "Experts only", "95 %", "Corrected (PPI++)", "95 %")
_BINARY_LABELS = ("Rogan–Gladen", "95 %")

EXPLANATION = (
    "Corrected mean: what the judge gave to all answers, set right by how far it was from the experts on those that "
    "they scored blind (prediction-powered inference, PPI++); Rogan–Gladen does the same for verdicts of yes or no. "
    "Answers that are empty, which nobody has to judge, do not count."
)


def write_corrected(sheet: Sheet, formats: Formats, row: int, means: Sequence[CorrectedMean]) -> tuple[int, list[str]]:
    """Write the table from `row` on; return the row behind it, and what is to be said below."""
    is_binary = any(each.rogan_gladen is not None for each in means)
    checked(sheet.raw.set_row(row, _HEADER_POINTS))
    for column, label in enumerate((*_LABELS, *(_BINARY_LABELS if is_binary else ()))):
        sheet.text(row, column, label, formats["table_header" if column else "table_header_left"])
    for line, each in enumerate(means, start=row + 1):
        sheet.text(line, 0, each.system or "All systems", formats["row_label"])
        sheet.number(line, 1, each.labelled_count, formats["count"])
        sheet.number(line, 2, each.row_count, formats["count"])
        figures = (each.judge, each.experts, each.ppi, *((each.rogan_gladen,) if is_binary else ()))
        for column, estimate in zip(range(3, 11, 2), (each for each in figures if each), strict=False):
            if estimate.value is None:
                sheet.text(line, column, value_words(estimate), formats["count"])
            else:
                sheet.number(line, column, estimate.value, formats["mean"])
            sheet.text(line, column + 1, interval_words(estimate), formats["count"])
    return row + 1 + len(means), [f"{words}." for words in correction_lines(means)]
