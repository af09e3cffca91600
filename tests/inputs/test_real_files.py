"""The real benchmark and a collection of awkward workbooks, read where they lie beside the project."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.errors import InputError
from grader.inputs.answers import read_answers
from grader.inputs.criteria_workbook import read_criteria_workbook
from grader.inputs.items import join_items
from grader.inputs.questions import read_questions
from grader.inputs.tables import open_sheets

SHARED = Path(__file__).parents[2].parent / "shared"
BENCHMARK = SHARED / "data" / "ord-mmbench"
WORKBOOKS = SHARED / "workbooks"
FILES = sorted(path for folder in ("features", "inputs", "hostile") for path in (WORKBOOKS / folder).glob("*"))

needs_benchmark = pytest.mark.skipif(not BENCHMARK.is_dir(), reason="the benchmark's data is not on this machine")
needs_workbooks = pytest.mark.skipif(not WORKBOOKS.is_dir(), reason="the awkward workbooks are not on this machine")


@needs_benchmark
def test_the_benchmark_reads_as_it_is() -> None:
    criteria = read_criteria_workbook(next(BENCHMARK.glob("*.xlsx")))
    tables = [read_answers(path) for path in sorted((BENCHMARK / "answers").glob("*.jsonl"))]
    questions = read_questions(BENCHMARK / "questions.jsonl")
    join = join_items(criteria, tables, questions=questions, group_by="type")
    assert len(criteria.rows) == 120
    assert set(Counter(item.system for item in join.items).values()) == {120}
    assert len(join.systems) == len(tables)
    assert not join.skipped
    assert all(item.question and item.reference and item.criteria and item.group for item in join.items)
    assert Counter(c.level for row in criteria.rows for c in row.criteria).keys() == {25, 50, 100}


@needs_benchmark
def test_the_benchmarks_odd_cells() -> None:
    criteria = {row.item_id: row.criteria for row in read_criteria_workbook(next(BENCHMARK.glob("*.xlsx"))).rows}
    assert [c.text for c in criteria["92"] if c.level == 25] == ["mention the `save_image` command"]
    assert len([c for c in criteria["8"] if "(^ is a number larger than 30)" in c.text]) == 1
    assert len([c for c in criteria["17"] if c.level == 50]) == 2


@needs_workbooks
@pytest.mark.parametrize("read", [read_criteria_workbook, read_answers], ids=["criteria", "answers"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_awkward_file_is_read_or_refused_in_time(path: Path, read: Callable[[Path], object]) -> None:
    before = time.process_time()
    try:
        read(path)
    except InputError as error:
        assert path.name in str(error)
        assert error.hint
    assert time.process_time() - before < 5


@pytest.mark.no_cover
@needs_workbooks
@pytest.mark.parametrize(
    ("name", "rows", "first"),
    [
        ("absolute_targets.xlsx", 4, "T001"),
        ("dimension_wrong_A1.xlsx", 6, "T001"),
        ("google_sheets_like_1000_blank_rows.xlsx", 4, "T001"),
        ("no_cell_or_row_refs.xlsx", 4, "T001"),
        ("phantom_rows_200k.xlsx", 4, "T001"),
        ("strict_ooxml.xlsx", 6, "T001"),
        ("rubric_libreoffice.xls", 16, "T001"),
        ("tab.tsv", 4, "T001"),
        ("csv_named.xlsx", 4, "T001"),
        ("cr_only.csv", 4, "T001"),
    ],
)
def test_awkward_files_with_known_rows(name: str, rows: int, first: str) -> None:
    path = WORKBOOKS / "inputs" / name
    if not path.exists():
        pytest.skip("this file is not in the collection")
    sheet = next(iter(open_sheets(path)))
    assert (len(sheet.rows), sheet.rows[1][0]) == (rows, first)


@needs_workbooks
def test_nothing_of_this_machine_gets_in() -> None:
    for path in (WORKBOOKS / "hostile").glob("xxe_*"):
        with pytest.raises(InputError, match="DOCTYPE"):
            read_criteria_workbook(path)
