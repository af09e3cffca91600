"""Writes the sheet Items: a table, one row per item, where the expert's entries count before the judges'."""

from __future__ import annotations

from collections.abc import Mapping

from grader.benchmark_records import BenchmarkItem
from grader.outputs.benchmark_workbook.formulas import ItemFormulas
from grader.outputs.benchmark_workbook.item_columns import (
    FROZEN_COUNT,
    HIDDEN,
    LOOKS,
    NAMES,
    ItemColumn,
    ItemsLayout,
)
from grader.outputs.benchmark_workbook.item_entries import CORRECT, NOT_CORRECT, ItemEntry, entry_key, entry_text_hash
from grader.outputs.benchmark_workbook.item_row import item_scores, item_texts
from grader.outputs.benchmark_workbook.survey import Survey, worker_tokens
from grader.outputs.graded_workbook.formats import AMBER, GREEN, MUTED, PALE_GREEN, PALE_RED, RED
from grader.outputs.graded_workbook.row_height import row_points
from grader.outputs.graded_workbook.score_rules import three_colours
from grader.outputs.graded_workbook.sheet import Book, checked
from grader.outputs.graded_workbook.table_sheet import TableSheet, Value
from grader.rubric import Scale

TABLE = "tblItems"
SCALE = Scale(min=0, max=100)
_COMFORTABLE_LINES = 10
_MOST_POINTS = 260
"""Rows show the beginning of the longest texts; their cells have all of them."""

_COMPLETED = "COMPLETED"
_FINALS = (ItemColumn.FINAL_ACCURACY, ItemColumn.FINAL_INTEGRITY, ItemColumn.FINAL_ALIGNMENT, ItemColumn.ESI)


class ItemsSheet:
    """Writes Items into a book: columns first, then rows in the order given, then what lies over all rows."""

    def __init__(self, book: Book, survey: Survey, layout: ItemsLayout) -> None:
        self._book, self._survey, self._layout = book, survey, layout
        self._formulas = ItemFormulas(layout, survey.rule)
        self._table = TableSheet(book, layout, table_name=TABLE, look_of=LOOKS.__getitem__, hidden=HIDDEN)
        self._widths = {column: _width(column, survey) for column in layout.columns}
        self._growing = [column for column in layout.columns if LOOKS[column].grows_rows and column not in NAMES]

    def write(self) -> None:
        """Write the whole sheet."""
        self._table.begin(self._widths.__getitem__)
        for row, item in enumerate(self._survey.run.items, start=1):
            self._write_row(row, item)
        self._offer_choices()
        self._colour()
        self._explain()
        self._table.finish(frozen_count=FROZEN_COUNT, tab_colour=AMBER)

    def _write_row(self, row: int, item: BenchmarkItem) -> None:
        texts, entry = item_texts(item), self._survey.entry_for(item)
        points = row_points((texts[column], self._widths[column]) for column in self._growing)
        names = row_points((texts[column], self._widths[column]) for column in NAMES if column in self._widths)
        checked(self._table.sheet.raw.set_row(row, max(names, min(points, _MOST_POINTS))))
        values: dict[ItemColumn, Value] = {**texts, **item_scores(item), **self._other_values(item, entry)}
        for column, value in values.items():
            if column in self._widths:
                self._table.value(row, column, value, self._book.formats[_style(column, value)])
        self._write_finals(row, item)

    def _other_values(self, item: BenchmarkItem, entry: ItemEntry) -> Mapping[ItemColumn, Value]:
        accurate = entry.is_accurate
        words = accurate if accurate is None or isinstance(accurate, str) else CORRECT if accurate else NOT_CORRECT
        has_worker = item.worker is not None and item.worker.usage is not None
        return {
            ItemColumn.KEY: entry_key(item),
            ItemColumn.TEXT_HASH: entry_text_hash(item),
            ItemColumn.COMBINATION: self._survey.numbers[item.combination],
            ItemColumn.BASE: self._survey.rule.if_correct(item),
            ItemColumn.EXPERT_ACCURACY: words,
            ItemColumn.EXPERT_INTEGRITY: entry.integrity,
            ItemColumn.EXPERT_COMMENT: entry.comment,
            ItemColumn.TOKENS: worker_tokens(item) if has_worker else None,
            ItemColumn.SECONDS: item.seconds,
            ItemColumn.COST: item.cost_usd,
        }

    def _write_finals(self, row: int, item: BenchmarkItem) -> None:
        final, made = self._survey.final_scores(item), self._formulas
        cells = {
            ItemColumn.FINAL_ACCURACY: (made.final_accuracy, final.accuracy),
            ItemColumn.FINAL_INTEGRITY: (made.final_integrity, final.true_integrity),
            ItemColumn.FINAL_ALIGNMENT: (made.final_alignment, final.alignment),
            ItemColumn.ESI: (made.esi, final.esi),
        }
        for column, (formula, value) in cells.items():
            self._table.formula(row, column, formula(row), self._book.formats[LOOKS[column].style], value)

    def _offer_choices(self) -> None:
        method = self._table.sheet.raw.data_validation
        accept = "Leave it empty to accept the judge's."
        accuracy: dict[str, object] = {
            "validate": "list",
            "source": [CORRECT, NOT_CORRECT],
            "input_title": "Your verdict",
            "input_message": accept,
            "error_title": "Expert accuracy",
            "error_message": f"{CORRECT} or {NOT_CORRECT}, or nothing to accept the judge's verdict.",
        }
        integrity: dict[str, object] = {
            "validate": "decimal",
            "criteria": "between",
            "minimum": SCALE.min,
            "maximum": SCALE.max,
            "input_title": "Your score, 0 to 100",
            "input_message": accept,
            "error_title": "Expert integrity",
            "error_message": "A number from 0 to 100, or nothing to accept the judge's score.",
        }
        self._table.over(ItemColumn.EXPERT_ACCURACY, method, accuracy)
        self._table.over(ItemColumn.EXPERT_INTEGRITY, method, integrity)

    def _colour(self) -> None:
        cell = {column: self._layout.cell(column, 1) for column in self._layout.columns}
        accuracy, integrity = cell[ItemColumn.EXPERT_ACCURACY], cell[ItemColumn.EXPERT_INTEGRITY]
        verdict, judged = cell[ItemColumn.VERDICT], cell[ItemColumn.INTEGRITY]
        alarm: dict[str, object] = {"bg_color": PALE_RED, "font_color": RED}
        struck: dict[str, object] = {"font_strikeout": True, "font_color": MUTED, "bold": False}
        table = self._table
        # An entry that is no value as a rule leaves the finals empty, and nobody should have to search for the reason.
        unread = f'=AND({accuracy}<>"",{accuracy}<>"{CORRECT}",{accuracy}<>"{NOT_CORRECT}")'
        table.colour(ItemColumn.EXPERT_ACCURACY, unread, **alarm)
        off_scale = f'=AND({integrity}<>"",OR(ISTEXT({integrity}),{integrity}<0,{integrity}>100))'
        table.colour(ItemColumn.EXPERT_INTEGRITY, off_scale, **alarm)
        table.colour(ItemColumn.VERDICT, f'=AND({accuracy}<>"",{accuracy}<>{verdict})', **struck)
        table.colour(ItemColumn.INTEGRITY, f'=AND({integrity}<>"",{integrity}<>{judged})', **struck)
        table.colour(
            ItemColumn.SAFETY, f"=AND(ISNUMBER({cell[ItemColumn.SAFETY]}),{cell[ItemColumn.SAFETY]}=0)", **alarm
        )
        for column in _FINALS[:2]:
            table.colour(
                column, f"=AND(ISNUMBER({cell[column]}),{cell[column]}=100)", bg_color=PALE_GREEN, font_color=GREEN
            )
            table.colour(column, f"=AND(ISNUMBER({cell[column]}),{cell[column]}=0)", **alarm)
        table.over(ItemColumn.ESI, table.sheet.raw.conditional_format, three_colours(SCALE))

    def _explain(self) -> None:
        live = "Live: your entries and the sheet Weights count at once. Empty where a part is missing."
        self._table.explain(ItemColumn.ESI, "ESI", live)
        wrong = "Follows Final accuracy: a wrong answer costs its penalty here, too."
        self._table.explain(ItemColumn.FINAL_ALIGNMENT, "Final alignment", wrong)


def _style(column: ItemColumn, value: Value) -> str:
    if column is ItemColumn.STATUS and value != _COMPLETED:
        return "unscored_text"
    if column is ItemColumn.VERDICT and value:
        return "met" if value == CORRECT else "not_met"
    return LOOKS[column].style


def _width(column: ItemColumn, survey: Survey) -> float:
    """Return a width at which the column's average text takes a comfortable number of lines."""
    look = LOOKS[column]
    if not look.grows_rows:
        return look.width
    average = survey.lengths[column] / max(1, survey.count)
    wanted = average * 1.3 + 2 if column in NAMES else average / _COMFORTABLE_LINES
    return round(min(look.max_width, max(look.width, wanted)), 1)
