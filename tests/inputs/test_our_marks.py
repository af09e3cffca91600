"""What grader has put into a graded workbook is not read as the expert's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import openpyxl
import pytest
from openpyxl.workbook.defined_name import DefinedName

from grader.errors import InputError
from grader.inputs.answers import read_answers
from grader.inputs.criteria_workbook import read_criteria_workbook
from grader.inputs.our_marks import find_our_marks
from grader.inputs.package_parts import read_index
from grader.inputs.tables import open_sheets

Make = Callable[..., Path]
MakeMarked = Callable[..., Path]

EXPERT: list[list[object]] = [["id", "question", 25, 100], ["Q1", "Why?", "a", "b"], ["Q2", "How?", None, "c"]]
REVIEW = [["id", "system", "question", "answer", 50], ["Q1", "model", "Why?", "because", "x"]]


@pytest.fixture
def make_marked(make_workbook: Make) -> MakeMarked:
    """Return a function that writes sheets of rows with defined names."""

    def make(sheets: dict[str, Sequence[Sequence[object]]], names: dict[str, str]) -> Path:
        path = make_workbook(sheets)
        workbook = openpyxl.load_workbook(path)
        for name, area in names.items():
            workbook.defined_names.add(DefinedName(name, attr_text=area, hidden=True))
        workbook.save(path)
        return path

    return make


def with_columns(*headers: object) -> list[list[object]]:
    """Return the expert's rows with our columns behind them, and one row that only we have filled."""
    values: list[list[object]] = [["our own"] * len(headers)] * (len(EXPERT) - 1)
    rows = [[*row, *more] for row, more in zip(EXPERT, [list(headers), *values], strict=True)]
    return [*rows, [None] * 4 + ["our own"] * len(headers)]


@pytest.mark.parametrize("title", ["Review", "It's ours, all", "Sheet A"])
def test_sheets_of_ours_are_skipped_and_not_offered(make_marked: MakeMarked, title: str) -> None:
    quoted = "'" + title.replace("'", "''") + "'"
    path = make_marked({title: REVIEW, "Rubric": EXPERT}, {"_grader_review": f"{quoted}!$A$1"})
    table = read_criteria_workbook(path)
    assert (table.sheet, len(table.rows), table.notes) == ("Rubric", 2, ())
    assert read_criteria_workbook(path, sheet=title).sheet == title


def test_an_unquoted_and_an_upper_case_name(make_marked: MakeMarked) -> None:
    path = make_marked({"Review": REVIEW, "Rubric": EXPERT}, {"_GRADER_Review": "Review!$A$1"})
    assert find_our_marks(read_index(path)).sheets == {"Review"}


def test_without_the_mark_the_sheet_is_the_experts(make_marked: MakeMarked) -> None:
    path = make_marked({"Review": REVIEW, "Rubric": EXPERT}, {"_other": "'Review'!$A$1"})
    assert read_criteria_workbook(path).sheet == "Review"


def test_a_workbook_of_our_sheets_alone(make_marked: MakeMarked) -> None:
    path = make_marked({"Review": REVIEW}, {"_grader_review": "'Review'!$A$1"})
    with pytest.raises(InputError, match="no worksheet of the expert's"):
        read_criteria_workbook(path)


@pytest.mark.parametrize("headers", [("50", "id"), ("answer", "prediction"), ("question", "level 75"), ("points", "x")])
def test_columns_of_ours_are_no_fields_and_no_rows(make_marked: MakeMarked, headers: tuple[str, str]) -> None:
    path = make_marked({"Rubric": with_columns(*headers)}, {"_grader_columns": "'Rubric'!$E$1:$F$1"})
    table = read_criteria_workbook(path)
    plain = read_criteria_workbook(make_marked({"Rubric": EXPERT}, {}))
    assert [(r.item_id, r.criteria, r.fields, r.answer) for r in table.rows] == [
        (r.item_id, r.criteria, r.fields, r.answer) for r in plain.rows
    ]
    assert (table.columns, table.notes) == (plain.columns, ())


def test_without_the_mark_such_columns_count(make_marked: MakeMarked) -> None:
    path = make_marked({"Rubric": with_columns("50", "remark")}, {})
    with pytest.raises(InputError, match="criteria without an id"):
        read_criteria_workbook(path)


def test_what_stands_above_our_header_is_the_experts(make_marked: MakeMarked) -> None:
    rows = [["title", None, None, None, "mine", "mine"], *with_columns("a", "b")]
    path = make_marked({"Rubric": rows}, {"_grader_columns": "Rubric!$F$2:$E$2"})
    sheet = next(iter(open_sheets(path)))
    assert [row[4:6] for row in sheet.rows] == [["mine", "mine"], *[["", ""]] * 4]


def test_columns_in_two_places_and_in_another_sheet(make_marked: MakeMarked) -> None:
    rows = [["id", 25, "s score", 50, "s verdict"], ["Q1", "a", 1, "b", 2]]
    names = {"_grader_columns": "Rubric!$C$1,Rubric!$E$1,Other!$A$1:$XFD$1"}
    path = make_marked({"Rubric": rows, "Other": [["id", 25], ["Q1", "z"]]}, names)
    table = read_criteria_workbook(path)
    assert table.columns == {"id": "A", "25": "B", "50": "D"}
    assert next(iter(open_sheets(path, sheet="Other"))).is_blank(0)


def test_an_error_in_our_columns_is_no_fault(make_package: Make, row: Callable[..., str]) -> None:
    data = row(1, "id", 25, "s score") + row(2, "Q1", "a").replace("</row>", '<c r="C2" t="e"><v>#N/A</v></c></row>')
    names = '<definedNames><definedName name="_grader_columns" hidden="1">Criteria!$C$1</definedName></definedNames>'
    main, office = (f"http://schemas.openxmlformats.org/{it}" for it in ("spreadsheetml/2006/main", "officeDocument"))
    workbook = (
        f'<workbook xmlns="{main}" xmlns:r="{office}/2006/relationships"><sheets><sheet name="Criteria" sheetId="1" '
        f'r:id="rId1"/></sheets>{names}</workbook>'
    )
    sheet = next(iter(open_sheets(make_package(data, parts={"xl/workbook.xml": workbook}))))
    assert (sheet.faults, sheet.rows[1][2]) == ({}, "")


@pytest.mark.parametrize("area", ["#REF!", "", "'Review'!#REF!", "nonsense"])
def test_a_name_that_points_nowhere(make_marked: MakeMarked, area: str) -> None:
    names = {"_grader_review": area, "_grader_columns": area}
    path = make_marked({"Rubric": EXPERT}, names)
    assert len(read_criteria_workbook(path).rows) == 2


def test_answers_are_not_read_from_our_sheets(make_marked: MakeMarked) -> None:
    sheets = {"Review": REVIEW, "Mine": [["id", "answer"], ["Q1", "yes"]]}
    path = make_marked(sheets, {"_grader_review": "'Review'!$A$1"})
    assert [answer.text for answer in read_answers(path).answers] == ["yes"]
