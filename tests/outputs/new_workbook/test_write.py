from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from grader.errors import InputError
from grader.inputs.criteria_workbook import read_criteria_workbook
from grader.inputs.rubric_file import list_rubrics, read_rubric
from grader.outputs.new_workbook.write import write_new_workbook

COLUMNS = {
    "accuracy": ["id", "question", "reference", "instruction", "strictness", "answer"],
    "checklist": ["id", "question", "history", "checklist", "answer"],
    "integrity": ["id", "question", "instruction", "raw output", "answer"],
    "likert": ["id", "question", "reference", "context", "answer"],
    "points": ["id", "question", "reference", "criterion", "points", "answer"],
    "relevance": ["id", "question", "context", "context role", "answer"],
    "tiered": ["id", "question", "reference", 25, 50, 100, "answer"],
    "tiered-items": ["id", "question", "reference", 25, 50, 100, "answer"],
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new.xlsx"


@pytest.mark.parametrize("name", list_rubrics())
def test_the_sheets_have_what_the_type_needs(name: str, path: Path) -> None:
    write_new_workbook(path, read_rubric(name)[0])
    workbook = openpyxl.load_workbook(path)
    assert workbook.sheetnames == ["Criteria", "Rubric", "How to"]
    criteria = workbook["Criteria"]
    assert [cell.value for cell in criteria[1]] == COLUMNS[name]
    assert all(cell.comment for cell in criteria[1])
    assert criteria.freeze_panes == "B2"
    steps = " ".join(str(cell.value) for row in workbook["How to"].iter_rows() for cell in row if cell.value)
    assert "never graded" in steps and "grader score --criteria new.xlsx" in steps
    assert workbook["How to"].max_row < 30


@pytest.mark.parametrize("name", list_rubrics())
def test_untouched_it_holds_nothing_to_grade_and_filled_in_it_does(name: str, path: Path) -> None:
    rubric, _ = read_rubric(name)
    write_new_workbook(path, rubric)
    with pytest.raises(InputError, match="still holds only the examples") as caught:
        read_criteria_workbook(path, layout=rubric.needed_layout)
    assert "How to" in str(caught.value.hint)
    workbook = openpyxl.load_workbook(path)
    sheet = workbook["Criteria"]
    for row in range(2, sheet.max_row + 1):
        sheet.cell(row, 1, str(sheet.cell(row, 1).value).strip("()"))
    workbook.save(path)
    table = read_criteria_workbook(path, layout=rubric.needed_layout, other_sheets=("Rubric", "How to"))
    assert [row.item_id for row in table.rows] == ["example 1", "example 2"]
    assert all(row.question and row.answer for row in table.rows)
    assert table.notes == ()


@pytest.mark.parametrize(("name", "column", "words"), [("accuracy", "E", "lenient"), ("relevance", "D", "reference")])
def test_fixed_values_have_a_drop_down(name: str, column: str, words: str, path: Path) -> None:
    write_new_workbook(path, read_rubric(name)[0])
    workbook = openpyxl.load_workbook(path)
    checks = workbook["Criteria"].data_validations.dataValidation
    assert any(words in str(check.formula1) and f"{column}2" in check.sqref for check in checks)
    assert any(words in str(check.formula1) for check in workbook["Rubric"].data_validations.dataValidation)


def test_nothing_is_overwritten(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text("mine", encoding="utf-8")
    rubric, _ = read_rubric("likert")
    with pytest.raises(InputError, match="never overwritten"):
        write_new_workbook(path, rubric)
    monkeypatch.setattr(Path, "exists", lambda self, **_: False)
    with pytest.raises(InputError, match="never overwritten"):
        write_new_workbook(path, rubric)
    assert path.read_text("utf-8") == "mine"


def test_where_no_workbook_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rubric, _ = read_rubric("likert")
    with pytest.raises(InputError, match=r"must end in \.xlsx"):
        write_new_workbook(tmp_path / "new.csv", rubric)
    with pytest.raises(InputError, match="there is no folder"):
        write_new_workbook(tmp_path / "nowhere" / "new.xlsx", rubric)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match="cannot be written: Permission denied"):
        write_new_workbook(tmp_path / "new.xlsx", rubric)
