from __future__ import annotations

import zipfile
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter

from grader.outputs import annotated_copy
from grader.outputs.annotated_copy import write_annotated_copy

ROWS = [
    ["severity", "file", "sheet", "cell", "message", "hint", "rule"],
    ["error", "a.xlsx", "Criteria", "B2", "=1+1 is no text", "Type it", "x"],
]
NOTES = {"Criteria": {"B2": "Error: what is wrong\nWhat to do"}}


def make(path: Path, *, note: bool = False, names: tuple[str, ...] = ("Criteria",)) -> Path:
    with xlsxwriter.Workbook(str(path)) as workbook:
        for name in names:
            sheet = workbook.add_worksheet(name)
            sheet.write_row(0, 0, ["id", 25])
            sheet.write_row(1, 0, [1, "a"])
            if note:
                sheet.write_comment("A1", "the expert's own")
    return path


def test_nothing_of_the_original_is_lost(tmp_path: Path) -> None:
    source = make(tmp_path / "a.xlsx", names=("Criteria", "check"))
    path, said = write_annotated_copy(tmp_path / "out.xlsx", source, NOTES, ROWS)
    assert not said
    with zipfile.ZipFile(source) as before, zipfile.ZipFile(path) as after:
        same = set(before.namelist()) - {"[Content_Types].xml", "xl/workbook.xml", "xl/_rels/workbook.xml.rels"}
        for name in same - {"xl/worksheets/sheet1.xml", "xl/styles.xml"}:
            assert before.read(name) == after.read(name), name
    copy = openpyxl.load_workbook(path)
    assert copy.sheetnames == ["Criteria", "check", "Check (2)"]
    note = copy["Criteria"]["B2"].comment
    assert note is not None and "what is wrong" in note.text
    assert copy["Criteria"]["B2"].value == "a"
    assert copy["Check (2)"]["E2"].value == "=1+1 is no text" and copy["Check (2)"]["E2"].data_type == "s"


def test_a_sheet_with_notes_of_its_own_keeps_them(tmp_path: Path) -> None:
    source = make(tmp_path / "a.xlsx", note=True)
    path, said = write_annotated_copy(tmp_path / "out.xlsx", source, NOTES, ROWS)
    assert "notes or controls of its own" in said[0]
    sheet = openpyxl.load_workbook(path)["Criteria"]
    assert sheet["A1"].comment is not None and "expert" in sheet["A1"].comment.text
    assert sheet["B2"].comment is None


def test_what_is_no_workbook_gets_the_list_alone(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text("id,25\n1,a\n", encoding="utf-8")
    path, said = write_annotated_copy(tmp_path / "out.csv", source, NOTES, ROWS)
    assert path.name == "out.xlsx" and "could not be copied" in said[0]
    assert openpyxl.load_workbook(path).sheetnames == ["Check"]


def test_a_copy_that_fails_our_check_is_not_handed_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annotated_copy, "check_copy", lambda *args, **options: ["something is wrong"])
    path, said = write_annotated_copy(tmp_path / "out.xlsx", make(tmp_path / "a.xlsx"), NOTES, ROWS)
    assert "something is wrong" in said[0]
    assert openpyxl.load_workbook(path).sheetnames == ["Check"]


def test_real_features_survive(shared: Path, tmp_path: Path) -> None:
    for source in sorted((shared / "workbooks" / "features").glob("*.xlsx")):
        path, _ = write_annotated_copy(tmp_path / source.name, source, {"Rubric": {"D2": "a"}}, ROWS)
        with zipfile.ZipFile(source) as before, zipfile.ZipFile(path) as after:
            assert set(before.namelist()) <= set(after.namelist()), source.name


@pytest.mark.parametrize("length", [10, 5_000])
def test_long_notes_are_cut(tmp_path: Path, length: int) -> None:
    path, _ = write_annotated_copy(
        tmp_path / "out.xlsx", make(tmp_path / "a.xlsx"), {"Criteria": {"B2": "a" * length}}, ROWS
    )
    note = openpyxl.load_workbook(path)["Criteria"]["B2"].comment
    assert note is not None and len(note.text) <= 2_000
