from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter

from grader.outputs.graded_workbook.write import WrittenWorkbook
from grader.records import Criterion, Grade


@pytest.mark.no_cover
def test_writing_takes_no_longer_than_three_times_openpyxls_load_and_save(
    write: Callable[..., WrittenWorkbook], grade: Callable[..., Grade], tmp_path: Path
) -> None:
    rows = 1_500
    path = tmp_path / "criteria.xlsx"
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet()
    for row in range(rows):
        sheet.write_row(row, 0, [f"{row}", *(f"Some text number {row} in column {column}." for column in range(15))])
    book.close()
    criteria = [Criterion(item_id="1", text="Names the dose")]
    grades = [grade(str(row), question="Why?", answer=f"Answer {row}", criteria=criteria) for row in range(rows)]

    started = time.process_time()
    openpyxl.load_workbook(path).save(tmp_path / "saved.xlsx")
    theirs = time.process_time() - started
    started = time.process_time()
    write(grades, path)
    ours = time.process_time() - started

    assert ours < 3 * theirs
