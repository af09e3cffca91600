"""Writes the sheet Matrix: every combination with its means, the ESI by model and dataset, and a chart; all live."""

from __future__ import annotations

from grader.benchmark_records import BenchmarkRun, Combination
from grader.outputs.benchmark_workbook.esi_chart import CHART_ROWS, insert_esi_chart
from grader.outputs.benchmark_workbook.esi_table import EsiTable
from grader.outputs.benchmark_workbook.formulas import FINALS, MatrixFormulas
from grader.outputs.benchmark_workbook.item_columns import ItemColumn, ItemsLayout
from grader.outputs.benchmark_workbook.items_sheet import SCALE
from grader.outputs.benchmark_workbook.survey import Figures, Survey
from grader.outputs.graded_workbook.formats import BLUE
from grader.outputs.graded_workbook.page import set_up_page
from grader.outputs.graded_workbook.review_columns import column_letters
from grader.outputs.graded_workbook.score_rules import three_colours
from grader.outputs.graded_workbook.sheet import Book, checked
from grader.outputs.graded_workbook.summary_sheet import BASELINE
from grader.outputs.graded_workbook.summary_tables import Block
from grader.outputs.summary import COMPLETE_SHARE
from grader.records import CallTotals

MATRIX = "Matrix"
MODEL, PROMPT, DATASET, PLANNED, COMPLETED, ERRORS = range(6)
FIRST_MEAN = ERRORS + 1
ESI = FIRST_MEAN + 5
WORKER_TOKENS, ENTERED, TOKENS, SECONDS, COST = range(ESI + 1, ESI + 6)
"""The columns of the table."""

_HEADER = [
    *("Worker model", "Prompt", "Dataset", "Items", "Completed", "Errors"),
    *("ACC", "True integrity", "Efficiency", "Safety", "Alignment", "ESI"),
    *("Worker tokens", "Expert entries", "All tokens", "Seconds", "Cost USD"),
]
_MEANS = {**FINALS, "esi": ItemColumn.ESI, "tokens": ItemColumn.TOKENS}
_TITLE_POINTS, _BANNER_POINTS, _ROW_POINTS, _HEADER_POINTS = 30, 24, 18, 32
_TABLE_ROW = 5


class MatrixSheet:
    """Writes Matrix from top to bottom."""

    def __init__(self, book: Book, survey: Survey, layout: ItemsLayout) -> None:
        self._book, self._survey, self._formats = book, survey, book.formats
        self._sheet = book.add_sheet(MATRIX)
        self._formulas = MatrixFormulas(layout)

    def write(self) -> None:
        """Write the whole sheet, from the top down, as streaming wants it."""
        self._set_up_view()
        self._write_head(self._survey.run)
        table = self._write_table()
        row = table.last_row + 6
        self._sheet.text(row - 2, MODEL, "ESI by model, prompt and dataset", self._formats["heading"])
        esi_table = EsiTable(self._book, self._sheet, self._survey, table)
        block = esi_table.write(row - 1)
        self._colour(block.first_row, DATASET, block.last_row, block.last_column)
        insert_esi_chart(self._book, self._sheet, self._survey, block, row=block.last_row + 2)
        set_up_page(self._sheet, is_wide=True, is_one_page=block.last_row + CHART_ROWS < 80)

    def _write_head(self, run: BenchmarkRun) -> None:
        sheet, formats = self._sheet, self._formats
        sheet.text(0, 0, "Matrix", formats["title"])
        models = len({each.model for each in run.combinations})
        prompts = len({each.prompt_version for each in run.combinations})
        datasets = len({each.dataset for each in run.combinations})
        parts = [_count(datasets, "dataset"), _count(models, "worker model"), _count(prompts, "prompt version")]
        planned = sum(run.planned.get(each, 0) for each in run.combinations)
        sheet.text(1, 0, f"{' × '.join(parts)}, {_count(planned, 'item')} in all.", formats["plain"])
        judges = ", ".join(f"{rubric}: {model}" for rubric, model in run.judges.items())
        words = " – ".join(part for part in (BASELINE if run.is_baseline else "", f"Judges: {judges}") if part)
        style = "banner" if run.is_baseline else "judge_line"
        checked(sheet.raw.set_row(2, _BANNER_POINTS))
        checked(sheet.raw.merge_range(2, 0, 2, COST, "", formats[style]))
        sheet.text(2, 0, words, formats[style])
        self._write_completeness(planned)

    def _write_completeness(self, planned: int) -> None:
        """Say how many items have an ESI, in a line that follows the table."""
        first, last = _TABLE_ROW + 2, _TABLE_ROW + 1 + len(self._survey.figures)
        letters = column_letters(COMPLETED)
        count = f"SUM({letters}{first}:{letters}{last})"
        prefix, rest = "INCOMPLETE: only ", f" of {planned} items have an ESI; all means are over these."
        is_few = f"{count}<{COMPLETE_SHARE}*{planned}"
        words = f'IF({is_few},"{prefix}","")&{count}&"{rest}"'
        completed = sum(figures.completed for figures in self._survey.figures.values())
        value = f"{prefix if completed < COMPLETE_SHARE * planned else ''}{completed}{rest}"
        shown = value if completed < planned else None
        self._sheet.formula(3, 0, f'=IF({count}<{planned},{words},"")', self._formats["alarm"], shown)

    def _write_table(self) -> Block:
        checked(self._sheet.raw.set_row(_TABLE_ROW, _HEADER_POINTS))
        for column, label in enumerate(_HEADER):
            style = "table_header_left" if column <= DATASET else "table_header"
            self._sheet.text(_TABLE_ROW, column, label, self._formats[style])
        block = Block(_TABLE_ROW, _TABLE_ROW + len(self._survey.figures), COST)
        for row, combination in enumerate(self._survey.figures, start=block.first_row):
            self._write_row(row, combination)
        self._write_totals(block)
        self._colour(block.first_row, ESI, block.last_row, ESI)
        note = (
            "All means are over the completed items, 0 to 100 (ACC: per cent correct), and follow the sheets Items and "
            "Weights: an expert's entry counts at once. Worker tokens: mean per answer; all tokens: of every call, "
            "judges' too; seconds: of all calls added up, though many run at once."
        )
        if any(each.unpriced or each.cost_usd is None for each in self._survey.run.totals.values()):
            note += " Cost: of the calls whose price is known."
        self._sheet.text(block.last_row + 2, 0, note, self._formats["muted"])
        return block

    def _write_row(self, row: int, combination: Combination) -> None:
        run, figures = self._survey.run, self._survey.figures[combination]
        names = (combination.model, combination.prompt_version, combination.dataset)
        style = "band_label" if self._is_banded(combination) else "row_label"
        for column, name in enumerate(names):
            self._sheet.text(row, column, name, self._formats[style])
        number = self._survey.numbers[combination]
        self._write_counts(row, number, figures, run.planned.get(combination, figures.finished))
        count = f"${column_letters(COMPLETED)}{row + 1}"
        for column, (name, items_column) in enumerate(_MEANS.items(), start=FIRST_MEAN):
            style = "strong_tenths" if column == ESI else "amount" if column == WORKER_TOKENS else "mean_tenths"
            formula = self._formulas.mean(items_column, number, count)
            self._sheet.formula(row, column, formula, self._formats[style], figures.mean(name))
        entered = self._formulas.entered(number)
        self._sheet.formula(row, ENTERED, entered, self._formats["count"], figures.entered)
        totals = run.totals.get(combination, CallTotals())
        self._sheet.number(row, TOKENS, totals.prompt_tokens + totals.completion_tokens, self._formats["amount"])
        seconds = self._formulas.total(ItemColumn.SECONDS, number)
        self._sheet.formula(row, SECONDS, seconds, self._formats["mean_tenths"], figures.seconds)
        self._write_cost(row, totals)

    def _is_banded(self, combination: Combination) -> bool:
        """Whether the names have a shade: every other dataset does, so that its rows are seen to belong together."""
        datasets = list(dict.fromkeys(each.dataset for each in self._survey.figures))
        return datasets.index(combination.dataset) % 2 == 1

    def _write_counts(self, row: int, number: int, figures: Figures, planned: int) -> None:
        style, completed = self._formats["count"], f"${column_letters(COMPLETED)}{row + 1}"
        self._sheet.number(row, PLANNED, planned, style)
        self._sheet.formula(row, COMPLETED, self._formulas.completed(number), style, figures.completed)
        errors = f"{self._formulas.finished(number)}-{completed}"
        self._sheet.formula(row, ERRORS, errors, style, figures.finished - figures.completed)

    def _write_cost(self, row: int, totals: CallTotals) -> None:
        if totals.cost_usd is None:
            self._sheet.text(row, COST, "not known", self._formats["count"])
            return
        self._sheet.number(row, COST, totals.cost_usd, self._formats["total_cost"])

    def _write_totals(self, block: Block) -> None:
        row, run = block.last_row + 1, self._survey.run
        figures = self._survey.figures.values()
        totals = [run.totals.get(each, CallTotals()) for each in run.combinations]
        values: dict[int, tuple[float, str]] = {
            PLANNED: (
                sum(run.planned.get(each, found.finished) for each, found in self._survey.figures.items()),
                "amount",
            ),
            COMPLETED: (sum(each.completed for each in figures), "amount"),
            ERRORS: (sum(each.finished - each.completed for each in figures), "amount"),
            ENTERED: (sum(each.entered for each in figures), "amount"),
            TOKENS: (sum(each.prompt_tokens + each.completion_tokens for each in totals), "amount"),
            SECONDS: (sum(each.seconds for each in figures), "mean_tenths"),
            COST: (sum(each.cost_usd or 0.0 for each in totals), "total_cost"),
        }
        self._sheet.text(row, MODEL, "All", self._formats["band_label"])
        if all(each.cost_usd is None for each in totals):
            del values[COST]
        for column in range(MODEL + 1, COST + 1):
            if column not in values:
                self._sheet.blank(row, column, self._formats["band_label"])
                continue
            value, style = values[column]
            letters = column_letters(column)
            formula = f"=SUM({letters}{block.first_row + 1}:{letters}{block.last_row + 1})"
            self._sheet.formula(row, column, formula, self._formats[style], value)

    def _colour(self, first_row: int, first_column: int, last_row: int, last_column: int) -> None:
        rule = three_colours(SCALE)
        checked(self._sheet.raw.conditional_format(first_row, first_column, last_row, last_column, rule))

    def _set_up_view(self) -> None:
        raw = self._sheet.raw
        models = [len(each.model) for each in self._survey.run.combinations]
        self._sheet.set_width(MODEL, MODEL, min(44, max([20, *(length + 3 for length in models)])))
        self._sheet.set_width(PROMPT, PROMPT, 13)
        self._sheet.set_width(DATASET, DATASET, 13)
        self._sheet.set_width(PLANNED, COST, 10.5)
        self._sheet.set_width(COST + 1, COST + 40, 10.5)
        raw.set_default_row(_ROW_POINTS)
        checked(raw.set_row(0, _TITLE_POINTS))
        raw.hide_gridlines(2)
        raw.set_tab_color(BLUE)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
