"""Writes our sheets into a file of their own or into the donor of a merge: the same sheets, rows and formulas."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from grader.outputs.graded_workbook.about_sheet import write_about, write_lists
from grader.outputs.graded_workbook.expert_entries import ExpertEntry
from grader.outputs.graded_workbook.formats import mean_format
from grader.outputs.graded_workbook.merge.properties import property_values
from grader.outputs.graded_workbook.names import SheetNames
from grader.outputs.graded_workbook.review_sheet import ReviewSheet
from grader.outputs.graded_workbook.sheet import Book, checked
from grader.outputs.graded_workbook.summary_sheet import SummarySheet
from grader.outputs.graded_workbook.survey import Survey
from grader.records import Grade


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """All that our sheets show."""

    grades: Collection[Grade]
    survey: Survey
    entries: Mapping[str, ExpertEntry]
    about: Mapping[str, str]
    judge_note: str
    is_baseline: bool


def write_our_sheets(
    target: Path | BytesIO,
    contents: Contents,
    names: SheetNames,
    *,
    is_streamed: bool = False,
    width_unit: float = 1.0,
) -> int:
    """Write a workbook of our sheets alone; return how many cells' texts had to be cut."""
    scale = contents.survey.rubric.scale
    decimals = mean_format(scale.max - scale.min)
    book = Book(target, mean_format=decimals, is_streamed=is_streamed, width_unit=width_unit)
    review = ReviewSheet(book, names, contents.survey)
    review.write(contents.grades, contents.entries)
    summary = SummarySheet(book, names, contents.survey, review.layout)
    summary.write(judge_note=contents.judge_note, is_baseline=contents.is_baseline)
    write_about(book, names, contents.about, judge_note=contents.judge_note)
    if scale.override_choices():
        write_lists(book, names, scale)
    for name, value in property_values(contents.about).items():
        checked(book.raw.set_custom_property(name, value))
    book.close()
    return book.cut_count
