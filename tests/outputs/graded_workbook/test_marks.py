from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter

from grader.outputs.graded_workbook.defined_names import areas
from grader.outputs.graded_workbook.marks import Marks, find_marks, mark_columns, mark_sheet, remove_marks
from grader.outputs.graded_workbook.opening import open_package

CRITERIA = "Crit's (1)"


@pytest.fixture
def marked(tmp_path: Path) -> Path:
    path = tmp_path / "marked.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        for name in (CRITERIA, "Review", "Sum mary", "_lists"):
            book.add_worksheet(name).write(0, 0, name)
        book.define_name("Dose", "=Review!$A$1")
        book.define_name("Zone", "=Review!$A$1")
    package = open_package(path)
    mark_sheet(package, "summary", "Sum mary")
    mark_sheet(package, "review", "Review")
    mark_columns(package, CRITERIA, "G1:L1")
    mark_columns(package, "Review", "$B$2")
    package.save(path)
    return path


EXPECTED = Marks(sheets={"review": "Review", "summary": "Sum mary"}, columns=((CRITERIA, "G1:L1"), ("Review", "B2")))


def test_marks_are_found_again_and_stand_in_the_alphabet_among_the_others(marked: Path) -> None:
    package = open_package(marked)
    names = [name.get("name") for name in package.tree(package.workbook).iterfind("{*}definedNames/{*}definedName")]

    assert find_marks(package) == EXPECTED
    assert names == ["_grader_columns", "_grader_review", "_grader_summary", "Dose", "Zone"]
    assert b'name="_grader_review" hidden="1"' in package.data(package.workbook)


def test_marks_stay_through_openpyxl_and_follow_a_renamed_sheet(marked: Path) -> None:
    package = open_package(marked)
    data = package.data(package.workbook).replace(b'"Sum mary"', b'"Overview"').replace(b"'Sum mary'!", b"Overview!")
    package.touch(package.workbook)
    renamed = {**package.original, package.workbook: data}
    type(package)(renamed).save(marked)
    openpyxl.load_workbook(marked).save(marked)

    assert find_marks(open_package(marked)).sheets == {"review": "Review", "summary": "Overview"}


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_marks_stay_through_libreoffice(marked: Path, tmp_path: Path) -> None:
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    command = ["soffice", profile, "--headless", "--convert-to", "xlsx:Calc MS Excel 2007 XML", "--outdir"]
    subprocess.run([*command, str(tmp_path / "saved"), str(marked)], check=True, capture_output=True, timeout=120)

    marks = find_marks(open_package(tmp_path / "saved" / marked.name))

    assert marks.sheets == EXPECTED.sheets
    assert marks.columns == EXPECTED.columns


def test_marks_of_deleted_sheets_are_passed_over(marked: Path) -> None:
    book = openpyxl.load_workbook(marked)
    del book["Review"]
    book.defined_names["_grader_summary"].attr_text = "#REF!"
    book.save(marked)

    assert find_marks(open_package(marked)) == Marks(columns=((CRITERIA, "G1:L1"),))
    assert not Marks()


def test_a_mark_is_replaced_and_all_can_be_removed(marked: Path) -> None:
    package = open_package(marked)

    mark_sheet(package, "review", "_lists")
    assert find_marks(package).sheets["review"] == "_lists"
    remove_marks(package)

    assert not find_marks(package)
    with pytest.raises(ValueError, match="no kind"):
        mark_sheet(package, "notes", "Review")


def test_names_that_are_not_sorted_are_left_in_their_order(marked: Path) -> None:
    package = open_package(marked)
    remove_marks(package)
    names = package.tree(package.workbook).find("{*}definedNames")
    assert names is not None
    names.append(names[0])

    mark_sheet(package, "about", "Review")

    assert [name.get("name") for name in names] == ["Zone", "Dose", "_grader_about"]


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("'A''s'!$A$1:$B$1", [("A's", "A1:B1")]),
        ("Review!$A$1,'x y'!$C$2", [("Review", "A1"), ("x y", "C2")]),
        ("#REF!", []),
        ("Review!$A$1+1", []),
        ("OFFSET(Review!$A$1,1,1)", []),
        ("", []),
    ],
)
def test_only_plain_references_are_read(formula: str, expected: list[tuple[str, str]]) -> None:
    assert areas(formula) == expected
