"""Writes our sheets into a file of their own or into the donor of a merge: the same sheets, rows and formulas."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

from grader.criterion_score import has_criterion_verdicts
from grader.outputs.graded_workbook.about_sheet import write_about, write_lists
from grader.outputs.graded_workbook.agreement_sheet import write_agreement
from grader.outputs.graded_workbook.analysis_sheet import write_analysis
from grader.outputs.graded_workbook.blind_columns import blind_layout
from grader.outputs.graded_workbook.blind_sheet import BlindSheet
from grader.outputs.graded_workbook.expert_entries import ExpertEntry
from grader.outputs.graded_workbook.formats import mean_format
from grader.outputs.graded_workbook.merge.properties import property_values
from grader.outputs.graded_workbook.names import SheetNames
from grader.outputs.graded_workbook.review_formulas import ReviewFormulas
from grader.outputs.graded_workbook.review_sheet import ReviewSheet, layout_for
from grader.outputs.graded_workbook.sheet import Book, checked
from grader.outputs.graded_workbook.summary_sheet import SummarySheet
from grader.outputs.graded_workbook.survey import Survey
from grader.outputs.graded_workbook.verdicts_columns import MET, NOT_MET, verdicts_layout
from grader.outputs.graded_workbook.verdicts_sheet import VerdictsSheet
from grader.records import Grade
from grader.statistics.agreement_records import AgreementReport
from grader.statistics.item_analysis_records import ItemAnalysis


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """All that our sheets show."""

    grades: Collection[Grade]
    survey: Survey
    entries: Mapping[str, ExpertEntry]
    about: Mapping[str, str]
    judge_note: str
    is_baseline: bool
    stored: Mapping[str, ExpertEntry] = field(default_factory=dict)
    """What earlier reviews have put into the run's store, by row key."""
    agreement: AgreementReport | None = None
    """The report for the sheet Agreement, once there is one."""
    analysis: ItemAnalysis | None = None
    """For the sheet Analysis; without it, and while rows are blind, there is none."""

    @property
    def blind_keys(self) -> frozenset[str]:
        """Keys of the rows whose judge's cells must show `blind` instead of their values."""
        return self.survey.masked


def write_our_sheets(
    target: Path | BytesIO,
    contents: Contents,
    names: SheetNames,
    *,
    is_streamed: bool = False,
    width_unit: float = 1.0,
) -> int:
    """Write a workbook of our sheets alone; return how many cells' texts had to be cut."""
    survey = contents.survey
    scale = survey.rubric.scale
    decimals = mean_format(scale.max - scale.min)
    book = Book(target, mean_format=decimals, is_streamed=is_streamed, width_unit=width_unit)
    has_verdicts = has_criterion_verdicts(survey.rubric)
    verdicts = verdicts_layout(survey, names.verdicts) if has_verdicts else None
    blind = blind_layout(survey, names.blind) if survey.blind_rows else None
    layout = layout_for(survey, names.review)
    formulas = ReviewFormulas(layout, survey.rubric, levels=survey.levels, verdicts=verdicts, blind=blind)
    shown = (contents.grades, contents.entries, contents.stored)
    ReviewSheet(book, names, survey, formulas).write(*shown)
    if verdicts:
        VerdictsSheet(book, names, survey, verdicts).write(*shown)
    if blind:
        BlindSheet(book, names, survey, blind).write(*shown)
    summary = SummarySheet(book, names, survey, layout)
    summary.write(judge_note=contents.judge_note, is_baseline=contents.is_baseline)
    if contents.agreement is not None:
        write_agreement(book, names, contents.agreement, scale)
    if contents.analysis is not None and not contents.blind_keys:  # it would tell what those rows must not show
        write_analysis(book, names, contents.analysis)
    write_about(book, names, contents.about, judge_note=contents.judge_note)
    if scale.override_choices() or has_verdicts:
        write_lists(book, names, scale, verdicts=(MET, NOT_MET) if has_verdicts else ())
    for name, value in property_values(contents.about).items():
        checked(book.raw.set_custom_property(name, value))
    book.close()
    return book.cut_count
