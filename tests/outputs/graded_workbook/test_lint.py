from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.outputs.graded_workbook.lint import check_copy, package_problems, read_written, sheet_problems
from grader.outputs.graded_workbook.opening import open_package
from grader.outputs.graded_workbook.package import Package, Unpatchable
from grader.outputs.graded_workbook.sheet_faults import PassedRows
from grader.outputs.graded_workbook.write import WrittenWorkbook
from grader.records import Grade

Write = Callable[..., WrittenWorkbook]
Make = Callable[..., Grade]
CRITERIA = "xl/worksheets/sheet1.xml"


def edited(package: Package, part: str, old: str, new: str) -> Package:
    data = package.original[part].decode()
    assert old in data
    return Package({**package.original, part: data.replace(old, new, 1).encode()})


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('<c r="A2" s="1"', '<c r="A2" s=""', "style without a number of cellXfs does not exist"),
        ('<c r="A2" s="1"', '<c s="9999" r="A2"', "style 9999 of cellXfs does not exist"),
        ('<row r="2"', '<row r="2" s="9999"', "style 9999 of cellXfs does not exist"),
        ('<c r="B1" t="s"><v>1</v>', '<c r="B1" t="s"><v>99</v>', "do not match its cells"),
        ('<c r="B1" t="s"><v>1</v>', '<c r="B1" t="s"><v></v>', "do not match its cells"),
        ('<c r="B1" t="s"><v>1</v>', '<c r="B1" t="s"><f>"criterion"</f><v>1</v>', "do not match its cells"),
        ('<row r="1"', '<row r="9"', "do not match its cells"),
        ('<row r="3"', '<row r="2"', "row 2 stands behind row 2"),
        ('<c r="B2"', '<c r="B3"', "cell B3 is out of its place"),
        ('<c r="B2"', '<c r="ABCD2"', "cell ABCD2 is out of its place"),
        ('<c r="A2" s="1"', '<c r="C2"', "cell B2 is out of its place"),
    ],
)
def test_faults_in_rows_are_found(criteria_path: Path, old: str, new: str, problem: str) -> None:
    package = open_package(criteria_path)
    assert list(sheet_problems(package, CRITERIA)) == []
    broken = edited(package, CRITERIA, old, new)
    parsed = edited(broken, CRITERIA, "<sheetData>", "<!-- --><sheetData>")

    found = list(sheet_problems(broken, CRITERIA))

    assert any(problem in each for each in found)
    assert list(sheet_problems(parsed, CRITERIA)) == found


@pytest.mark.parametrize(("end", "count"), [("</sheets><sheets/>", 2), ("</sheets><sheets></sheets><sheets/>", 3)])
def test_a_second_list_of_sheets_is_found(criteria_path: Path, end: str, count: int) -> None:
    package = open_package(criteria_path)
    assert package_problems(package) == set()

    broken = edited(package, package.workbook, "</sheets>", end)

    assert package_problems(broken) == {f"xl/workbook.xml has {count} lists of sheets"}


def test_rows_and_cells_need_not_say_where_they_are(criteria_path: Path) -> None:
    package = edited(open_package(criteria_path), CRITERIA, '<c r="B2"', "<c")

    assert list(sheet_problems(package, CRITERIA)) == []


def test_a_fault_of_the_experts_own_is_not_counted(write: Write, grade: Make, criteria_path: Path) -> None:
    source = edited(open_package(criteria_path), CRITERIA, '<c r="B2" s="1"', '<c r="B2" s="999"')
    copy = edited(source, CRITERIA, '<c r="A2" s="1"', '<c r="A2" s="2222"')
    path = criteria_path.with_name("copy.xlsx")
    copy.save(path)

    assert check_copy(source, path, touched={CRITERIA}) == [f"{CRITERIA}: style 2222 of cellXfs does not exist"]


def test_a_copy_that_is_not_well_formed_is_refused(write: Write, grade: Make, criteria_path: Path) -> None:
    path = write([grade()], criteria_path).path
    copy = read_written(path)
    review = copy.sheets()["Review"]
    touched = {name for name, data in open_package(criteria_path).original.items() if copy.original.get(name) != data}
    edited(copy, review, "Because.", "Because &none;").save(path)

    with pytest.raises(Unpatchable, match=f"its part {review} is not well-formed XML"):
        check_copy(open_package(criteria_path), path, touched=touched)


def test_rows_that_were_seen_are_not_read_again_unless_they_are_others(
    criteria_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = edited(open_package(criteria_path), CRITERIA, '<c r="B2"', '<c r="B3"')
    passed, read = PassedRows(package), list(package.rows(CRITERIA))
    assert [row.number for row in passed.rows(CRITERIA)] == [row.number for row in read]
    seen = list(sheet_problems(package, CRITERIA))
    worse = edited(package, CRITERIA, '<row r="3"', '<row r="2"')
    broken = edited(package, CRITERIA, "</worksheet>", "")

    assert len(list(sheet_problems(worse, CRITERIA, passed))) > len(seen)
    assert passed.of(broken, CRITERIA) is None
    monkeypatch.setattr(Package, "rows", lambda *_: pytest.fail("the rows were read again"))
    assert list(sheet_problems(Package(package.original), CRITERIA, passed)) == seen != []


def test_rows_of_a_sheet_that_was_not_read_to_its_end_or_is_changed_still_are_not_taken_for_seen(
    criteria_path: Path,
) -> None:
    package = open_package(criteria_path)
    passed = PassedRows(package)
    next(passed.rows(CRITERIA))
    assert passed.of(package, CRITERIA) is None
    package.touch(CRITERIA)
    assert list(passed.rows(CRITERIA))
    assert passed.of(package, CRITERIA) is None


def test_some_parts_of_a_file_are_read_alone(criteria_path: Path) -> None:
    assert read_written(criteria_path, CRITERIA).names() == [CRITERIA]
    assert read_written(criteria_path).names() == open_package(criteria_path).names()
