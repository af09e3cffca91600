from __future__ import annotations

from pathlib import Path
from typing import Any

import openpyxl
import pytest

from grader.errors import InputError
from grader.inputs.rubric_file import read_rubric
from grader.inputs.rubric_sheet import find_rubric_sheet, read_rubric_sheet
from grader.outputs.new_workbook.write import write_new_workbook


def refused_at(path: Path, name: str, settings: dict[str, Any]) -> tuple[str, str | None]:
    """Return the first cell of the row, and the address, at which a new Rubric sheet with these values is refused."""
    write_new_workbook(path, read_rubric(name)[0])
    workbook = openpyxl.load_workbook(path)
    sheet = workbook["Rubric"]
    for label, value in settings.items():
        row = next(row for row in range(1, 60) if str(sheet.cell(row, 1).value) == label)
        sheet.cell(row, 2).value = value
    workbook.save(path)
    found = find_rubric_sheet(path)
    assert found is not None
    with pytest.raises(InputError) as caught:
        read_rubric_sheet(found)
    cell = caught.value.cell or ""
    return str(sheet[f"A{cell[1:]}"].value), cell


@pytest.mark.parametrize(
    ("settings", "label"),
    [
        ({"Lowest score": 7}, "Lowest score"),
        ({"Highest score": 0}, "Highest score"),
        ({"Lowest score": 7, "Highest score": None}, "Lowest score"),
        ({"Lowest score": 9, "Highest score": 8, "Scores to choose from": "8; 9"}, "Highest score"),
        ({"Scores to choose from": "1; 9"}, "Scores to choose from"),
        ({"Step": -1}, "Step"),
    ],
)
def test_the_scale_is_refused_at_the_cell_that_is_at_fault(
    settings: dict[str, Any], label: str, tmp_path: Path
) -> None:
    found, cell = refused_at(tmp_path / "new.xlsx", "likert", settings)
    assert found == label and cell is not None and cell.startswith("B")


def test_the_scale_of_a_dimension_is_refused_at_its_own_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.inputs.rubric_tables.has_fixed_scale", lambda rubric: False)
    assert refused_at(tmp_path / "new.xlsx", "relevance", {"accuracy": 10})[0] == "accuracy"
