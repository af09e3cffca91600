"""Files as real programs and people make them: each gives its rows, or an error that says what is wrong and where."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import odd_files
import pytest
from odd_files import HEADER, READ, ROWS, TEXTS, Write

from grader.errors import InputError
from grader.inputs.criteria_table import CriteriaTable
from grader.inputs.criteria_workbook import read_criteria_workbook
from grader.inputs.tables import open_sheets


def made(write: Write, folder: Path) -> Path:
    """Write the file and return its path, which may have another ending or a prefix."""
    write(folder / "odd.xlsx")
    return next(folder.iterdir())


def rows_of(table: CriteriaTable) -> list[tuple[object, ...]]:
    return [
        (
            row.item_id,
            row.question,
            row.answer,
            row.criteria[0].text,
            row.criteria[0].points,
            row.criteria[0].source and row.criteria[0].source.cell,
        )
        for row in table.rows
    ]


NOTES: Mapping[str, str] = {
    "rows_out_of_order_dup_cells": "out of order; where one stands in it twice, the last counts",
    "table_totals_calc": "left out, having no id or no criterion: rows 5, 6, 7",
    "phantom_row_of_empty_text": "left out, far from the table: what stands around XFD1048576",
    "formulas_whole_rows": "there are also 'Sums'",
}
"""What is said of a file that gives its rows all the same."""


@pytest.mark.no_cover
@pytest.mark.parametrize("name", READ)
def test_odd_files_give_the_same_rows(tmp_path: Path, name: str) -> None:
    table = read_criteria_workbook(made(READ[name], tmp_path))
    assert rows_of(table) == [(*row[:4], float(str(row[4])), f"D{n}") for n, row in enumerate(ROWS[1:], start=2)]
    assert [row.fields["expert_notes"] for row in table.rows] == [row[5] for row in ROWS[1:]]
    assert len(table.notes) == (name in NOTES)
    assert NOTES.get(name, "") in "".join(table.notes)


@pytest.mark.parametrize("name", TEXTS)
def test_text_tables_give_the_same_rows(tmp_path: Path, name: str) -> None:
    table = read_criteria_workbook(made(TEXTS[name], tmp_path))
    assert [(row.item_id, row.criteria[0].points) for row in table.rows] == [("00123", 2), ("T002", 3)]
    assert [("read as gb18030, which is a guess" in note) for note in table.notes] == [True] * (name == "gb18030")


REFUSED: Mapping[str, tuple[str, str]] = {
    "shared_string_index_out_of_range": (r"\[Rubric\]: the workbook is damaged: .*not found in shared strings", "save"),
    "zip_not_xlsx": ("this is a zip archive, but no workbook", "Unpack"),
    "lock_file": ("the lock file that Excel leaves while a workbook is open", "Use odd.xlsx instead"),
    "missing_sheet_part": ("damaged: its sheet 'Rubric' is not in the file", "Open and Repair"),
    "missing_styles": (r"\[Rubric\]: .*its styles are missing, so that dates cannot be told", "save it"),
    "sheet_twice": ("it has two sheets called 'Rubric'", "Open and Repair"),
    "unknown_encoding": ("part 'xl/workbook.xml' is in an encoding that no workbook has", "save it again"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_damaged_files_are_refused_with_cause_and_remedy(tmp_path: Path, name: str) -> None:
    path = made(getattr(odd_files, name), tmp_path)
    reason, remedy = REFUSED[name]
    with pytest.raises(InputError, match=reason) as caught:
        read_criteria_workbook(path)
    assert path.name in str(caught.value)
    assert remedy in str(caught.value.hint)


def test_long_texts_are_read_whole_and_said(tmp_path: Path) -> None:
    table = read_criteria_workbook(made(odd_files.string_over_32767, tmp_path))
    assert [len(row.criteria[0].text) for row in table.rows] == [32_768, 100_003]
    assert ["32,768" in table.notes[0], "[Rubric!D3]: the cell has 100,003" in table.notes[1]] == [True, True]


def test_levels_that_are_fractions(tmp_path: Path) -> None:
    table = read_criteria_workbook(made(odd_files.headers_numeric_float, tmp_path))
    assert [(c.level, c.text) for c in table.rows[0].criteria] == [(25, "a"), (50.5, "b"), (100, "c")]
    assert table.columns == {"id": "A", "25": "B", "50.5": "C", "100": "D"}


def test_a_percentage_as_a_level_is_an_error_with_its_cell(tmp_path: Path) -> None:
    path = made(odd_files.headers_percent_date_bool_error, tmp_path)
    with pytest.raises(InputError, match=r"Tiers!B1\]: .*no level.*for 50%, type 50"):
        read_criteria_workbook(path, sheet="Tiers")
    sheet = next(iter(open_sheets(path, sheet="Tiers")))
    assert sheet.faults == {(0, 4): "the cell shows the error #N/A"}


def test_a_header_merged_over_two_rows(tmp_path: Path) -> None:
    table = read_criteria_workbook(made(odd_files.header_two_rows_merged, tmp_path))
    assert table.header_row == 2
    assert [(row.item_id, [(c.level, c.source and c.source.cell) for c in row.criteria]) for row in table.rows] == [
        ("Q1", [(50, "B3"), (100, "C3")]),
        ("Q2", [(100, "C4")]),
    ]


def test_a_header_of_two_levels_made_by_pandas(tmp_path: Path) -> None:
    table = read_criteria_workbook(made(odd_files.pandas_multiindex_header, tmp_path), column_map={"id": "ID"})
    assert [(row.item_id, row.criteria[0].points, row.source.cell) for row in table.rows] == [
        ("T001", 2, "B4"),
        ("T002", 3, "B5"),
    ]


def test_manual_calculation_is_said_as_results_may_be_old(tmp_path: Path) -> None:
    table = read_criteria_workbook(made(odd_files.calc_manual_iterative, tmp_path))
    assert table.rows[0].criteria[0].points == 999
    assert "[Rubric]: the workbook calculates only when it is told to" in table.notes[0]


def test_ids_that_a_format_fills_with_zeros_are_read_as_shown(tmp_path: Path) -> None:
    table = read_criteria_workbook(made(odd_files.ids_shown_with_zeros, tmp_path))
    assert [row.item_id for row in table.rows] == ["00123", "T002", "00007"]
    assert [row.criteria[0].points for row in table.rows] == [2, 3, 4]


def test_the_opendocument_file_of_another_program(tmp_path: Path) -> None:
    table = read_criteria_workbook(made(odd_files.rubric_libreoffice, tmp_path))
    assert rows_of(table)[2] == ("T003", "Prompt 3", "Answer 3", "Criterion 3", 4, "D4")
    assert table.columns["criterion"] == "D"
    assert list(HEADER) == next(iter(open_sheets(tmp_path / "odd.ods"))).header(0)
