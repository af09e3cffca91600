"""Writes the mean ESI of each model and prompt by dataset, from the rows above it; the chart shows this."""

from __future__ import annotations

from grader.benchmark_records import Combination
from grader.outputs.benchmark_workbook.survey import Survey
from grader.outputs.graded_workbook.sheet import Book, Sheet
from grader.outputs.graded_workbook.summary_tables import Block

_MODEL, _PROMPT, _FIRST = 0, 1, 2
_COMPLETED, _ESI = "E", "L"
"""Columns of the matrix."""


class EsiTable:
    """Writes the table below the rows `matrix`; one row for each model and prompt, one column for each dataset."""

    def __init__(self, book: Book, sheet: Sheet, survey: Survey, matrix: Block) -> None:
        self._formats, self._sheet, self._survey = book.formats, sheet, survey
        self._rows = {each: row for row, each in enumerate(survey.figures, start=matrix.first_row)}
        self._datasets = list(dict.fromkeys(each.dataset for each in survey.figures))

    def write(self, row: int) -> Block:
        """Write the table from `row` on."""
        pairs = list(dict.fromkeys((each.model, each.prompt_version) for each in self._rows))
        has_all = len(self._datasets) > 1
        labels = ["Worker model", "Prompt", *self._datasets, *(["All items"] if has_all else [])]
        for column, label in enumerate(labels):
            style = "table_header_left" if column < _FIRST else "table_header"
            self._sheet.text(row, column, label, self._formats[style])
        for number, (model, prompt) in enumerate(pairs, start=row + 1):
            self._write_row(number, model, prompt, has_all=has_all)
        return Block(row, row + len(pairs), len(labels) - 1)

    def _write_row(self, row: int, model: str, prompt: str, *, has_all: bool) -> None:
        self._sheet.text(row, _MODEL, model, self._formats["row_label"])
        self._sheet.text(row, _PROMPT, prompt, self._formats["row_label"])
        found = [Combination(dataset=each, model=model, prompt_version=prompt) for each in self._datasets]
        for column, combination in enumerate(found, start=_FIRST):
            if combination not in self._rows:
                self._sheet.blank(row, column, self._formats["mean_tenths"])
                continue
            cell = f"{_ESI}{self._rows[combination] + 1}"
            value = self._survey.figures[combination].mean("esi")
            self._sheet.formula(row, column, f'=IF({cell}="","",{cell})', self._formats["mean_tenths"], value)
        if has_all:
            self._write_all(row, _FIRST + len(found), [each for each in found if each in self._rows])

    def _write_all(self, row: int, column: int, found: list[Combination]) -> None:
        """Write the mean over the items of all datasets, each item counting once."""
        numbers = [self._rows[each] + 1 for each in found]
        count = f"({'+'.join(f'{_COMPLETED}{number}' for number in numbers)})"
        total = "+".join(f"N({_ESI}{number})*{_COMPLETED}{number}" for number in numbers)
        figures = [self._survey.figures[each] for each in found]
        completed = sum(each.completed for each in figures)
        value = sum(each.sums["esi"] for each in figures) / completed if completed else None
        formula = f'=IF({count}=0,"",({total})/{count})'
        self._sheet.formula(row, column, formula, self._formats["strong_tenths"], value)
