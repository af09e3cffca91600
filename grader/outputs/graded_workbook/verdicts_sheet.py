"""Writes the sheet Verdicts: one row per graded item and criterion, where an expert may override each verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from grader.outputs.graded_workbook.expert_entries import CriterionEntry, ExpertEntry, entry_for
from grader.outputs.graded_workbook.expert_result import BLIND
from grader.outputs.graded_workbook.finished_rows import CellValue, RowFormula
from grader.outputs.graded_workbook.formats import AMBER, GREEN, MUTED, PALE_GREEN, PALE_RED, RED
from grader.outputs.graded_workbook.keys import grade_key, judge_hash, text_hash
from grader.outputs.graded_workbook.names import SheetNames, quoted
from grader.outputs.graded_workbook.review_row import entered_before
from grader.outputs.graded_workbook.row_height import row_points
from grader.outputs.graded_workbook.sheet import Book
from grader.outputs.graded_workbook.survey import Survey
from grader.outputs.graded_workbook.table_sheet import TableSheet
from grader.outputs.graded_workbook.verdicts_columns import (
    HIDDEN_VERDICT_COLUMNS,
    MET,
    NOT_MET,
    VERDICT_LOOKS,
    VerdictColumn,
    VerdictsLayout,
)
from grader.records import Criterion, CriterionVerdict, Grade
from grader.rubric import Rubric

_OF_ITEM = {
    **dict.fromkeys((VerdictColumn.SAMPLE, VerdictColumn.LEVEL, VerdictColumn.NUMBER), "band_number"),
    **dict.fromkeys((VerdictColumn.SYSTEM, VerdictColumn.CRITERION), "band_text"),
    VerdictColumn.POINTS: "band_number",
    VerdictColumn.ID: "band_id",
}
"""Cells that every other item has in a shade of its own, and how: the rows of one item are seen to belong together."""

_OF_JUDGE = frozenset({VerdictColumn.JUDGE, VerdictColumn.EVIDENCE})
_GROWING = (VerdictColumn.CRITERION, VerdictColumn.EVIDENCE, VerdictColumn.ID, VerdictColumn.SYSTEM)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """What a row is made from."""

    grade: Grade
    criterion: Criterion
    judged: CriterionVerdict | None
    """`None` for an item without a score."""
    entry: CriterionEntry
    stored: CriterionEntry
    key: str
    text_hash: str


class VerdictsSheet:
    """Writes Verdicts into a book; the rows of an item stand together, in the order of its criteria."""

    def __init__(self, book: Book, names: SheetNames, survey: Survey, layout: VerdictsLayout) -> None:
        self._book = book
        self._names = names
        self._survey = survey
        self.layout = layout
        self._table = TableSheet(
            book,
            layout,
            table_name=names.verdicts_table,
            look_of=VERDICT_LOOKS.__getitem__,
            hidden=HIDDEN_VERDICT_COLUMNS,
        )
        self._growing = [column for column in _GROWING if column in layout.columns]
        self._final = self._final_formula()
        self._styles = {
            (is_banded, is_masked): [
                self._style(column, is_banded=is_banded, is_masked=is_masked) for column in layout.columns
            ]
            for is_banded, is_masked in product((False, True), repeat=2)
        }
        """Of a row's cells, by whether it is banded and whether it is masked."""

    def write(
        self, grades: Iterable[Grade], entries: Mapping[str, ExpertEntry], stored: Mapping[str, ExpertEntry]
    ) -> None:
        """Write the whole sheet."""
        self._table.begin(lambda column: VERDICT_LOOKS[column].width)
        number = 1
        for place, grade in enumerate(grades):
            for row in _rows(grade, entry_for(grade, entries), entry_for(grade, stored)):
                self._write_row(number, row, is_banded=place % 2 == 1)
                number += 1
        self._offer_verdicts()
        self._colour_verdicts()
        self._table.finish(frozen_count=self.layout.frozen_count, tab_colour=AMBER)

    def _write_row(self, number: int, row: _Row, *, is_banded: bool) -> None:
        is_masked = row.key in self._survey.masked
        values = _values(row, self._survey.rubric, is_masked=is_masked)
        points = row_points((str(values[column]), VERDICT_LOOKS[column].width) for column in self._growing)
        styles = list(self._styles[is_banded, is_masked])
        judged = values[VerdictColumn.JUDGE]
        if judged and not is_masked:
            styles[self.layout.index(VerdictColumn.JUDGE)] = self._book.formats["met" if judged == MET else "not_met"]
        met = row.entry.met if isinstance(row.entry.met, bool) else row.judged.met if row.judged else None
        words = BLIND if is_masked and not isinstance(row.entry.met, bool) else verdict_text(met)
        values[VerdictColumn.FINAL] = self._final.with_value(words)
        self._table.row(number, points, values, styles)

    def _style(self, column: VerdictColumn, *, is_banded: bool, is_masked: bool) -> Any:
        style, formats = VERDICT_LOOKS[column].style, self._book.formats
        if is_masked and column in _OF_JUDGE:
            return formats.masked(style)
        if is_masked and column is VerdictColumn.FINAL:
            return formats["final_blind"]
        return formats[_OF_ITEM.get(column, style) if is_banded else style]

    def _final_formula(self) -> RowFormula:
        judge, expert = map(self.layout.cell_in_row, (VerdictColumn.JUDGE, VerdictColumn.EXPERT))
        judges = f'IF({judge}="","",{judge})'
        return RowFormula(f'=IF(OR({expert}="{MET}",{expert}="{NOT_MET}"),{expert},{judges})')

    def _offer_verdicts(self) -> None:
        rule: dict[str, object] = {
            "validate": "list",
            "source": f"={quoted(self._names.lists)}!$B$1:$B$2",
            "ignore_blank": True,
            "input_title": "Your verdict",
            "input_message": "Leave it empty to accept the judge's. The score follows from the verdicts.",
            "error_title": "Expert verdict",
            "error_message": f"{MET} or {NOT_MET}, or nothing to accept the judge's verdict.",
        }
        self._table.over(VerdictColumn.EXPERT, self._table.sheet.raw.data_validation, rule)
        expert = self.layout.cell(VerdictColumn.EXPERT, 1)
        unread = f'=AND({expert}<>"",{expert}<>"{MET}",{expert}<>"{NOT_MET}")'
        self._table.colour(VerdictColumn.EXPERT, unread, bg_color=PALE_RED, font_color=RED)

    def _colour_verdicts(self) -> None:
        final, judge = self.layout.cell(VerdictColumn.FINAL, 1), self.layout.cell(VerdictColumn.JUDGE, 1)
        self._table.colour(VerdictColumn.FINAL, f'={final}="{MET}"', bg_color=PALE_GREEN, font_color=GREEN)
        self._table.colour(VerdictColumn.FINAL, f'={final}="{NOT_MET}"', bg_color=PALE_RED, font_color=RED)
        overridden = f'=AND({judge}<>"",{judge}<>"{BLIND}",{judge}<>{final})'
        self._table.colour(VerdictColumn.JUDGE, overridden, font_strikeout=True, font_color=MUTED)


def verdict_text(met: bool | None) -> str | None:
    """Return a verdict in the workbook's words."""
    return None if met is None else MET if met else NOT_MET


def _rows(grade: Grade, entry: ExpertEntry, stored: ExpertEntry) -> Iterable[_Row]:
    judged = {(verdict.level, verdict.number): verdict for verdict in grade.verdict.items}
    key, texts, nothing = grade_key(grade), text_hash(grade.item), CriterionEntry()
    for criterion in grade.item.criteria:
        place = (criterion.level, criterion.number)
        yield _Row(
            grade=grade,
            criterion=criterion,
            judged=judged.get(place),
            entry=entry.criteria.get(place, nothing),
            stored=stored.criteria.get(place, nothing),
            key=key,
            text_hash=texts,
        )


def _values(row: _Row, rubric: Rubric, *, is_masked: bool) -> dict[VerdictColumn, CellValue]:
    """Return what stands in a row, apart from what is live."""
    criterion, judged, entry = row.criterion, row.judged, row.entry
    words = verdict_text(judged.met) if judged else None
    evidence = judged.evidence.strip() if judged else ""
    if is_masked:
        words = evidence = BLIND
    level = criterion.level
    return {
        VerdictColumn.KEY: row.key,
        VerdictColumn.TEXT_HASH: row.text_hash,
        VerdictColumn.JUDGE_HASH: judge_hash(None, words, evidence),
        VerdictColumn.ENTERED_BEFORE: entered_before(row.stored.met, row.stored.comment),
        VerdictColumn.ID: row.grade.item.id,
        VerdictColumn.SYSTEM: row.grade.item.system,
        VerdictColumn.SAMPLE: row.grade.sample,
        VerdictColumn.LEVEL: level,
        VerdictColumn.NUMBER: criterion.number,
        VerdictColumn.CRITERION: criterion.text.strip(),
        VerdictColumn.POINTS: criterion.points if level is None else rubric.level_points(level),
        VerdictColumn.JUDGE: words,
        VerdictColumn.EVIDENCE: evidence,
        VerdictColumn.EXPERT: verdict_text(entry.met) if isinstance(entry.met, bool) else entry.met,
        VerdictColumn.COMMENT: entry.comment,
    }
