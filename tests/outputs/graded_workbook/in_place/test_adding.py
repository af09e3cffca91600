from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from click.testing import CliRunner

from grader.cli.main import cli
from grader.outputs.graded_workbook.in_place.place import Place
from grader.outputs.graded_workbook.in_place.unchanged import changed_beside_ours
from grader.outputs.graded_workbook.lint import read_written, sheet_problems
from grader.outputs.graded_workbook.marks import find_marks
from grader.outputs.graded_workbook.row_height import display_width
from grader.outputs.graded_workbook.write import WrittenWorkbook

Annotate = Callable[..., WrittenWorkbook]
MakeBook = Callable[..., Path]


def sheet_of(written: WrittenWorkbook) -> Any:
    return openpyxl.load_workbook(written.path)["Rubric"]


def test_verdicts_stand_on_the_criteria_s_own_rows_and_the_score_on_the_first(
    annotate: Annotate, book: MakeBook
) -> None:
    sheet = sheet_of(annotate(book(), ["alpha"]))

    assert [[cell.value for cell in row] for row in sheet["E1:G4"]] == [
        ["alpha score", "alpha verdict", "alpha analysis"],
        [100, "met", "“15 mg/kg” =1+1 Because."],
        [None, "not met", None],
        [100, "not met", "=1+1 Because."],
    ]
    assert sheet["G2"].data_type == "s"


def test_our_columns_are_marked(annotate: Annotate, book: MakeBook) -> None:
    written = annotate(book())

    assert find_marks(read_written(written.path)).columns == (("Rubric", "E1:J1"),)


def test_blind_rows_show_blind_and_nothing_else(annotate: Annotate, book: MakeBook) -> None:
    sheet = sheet_of(annotate(book(), ["alpha"], blind_count=2))

    shown = [cell for row in sheet["E2:G4"] for cell in row if (cell.value is not None)]
    assert {cell.number_format for cell in shown} == {'"blind";"blind";"blind";"blind"'}
    assert len({cell.fill.fgColor.rgb for cell in shown}) == 1
    assert not any(cell.comment for cell in shown)


def test_several_samples_show_their_mean(annotate: Annotate, book: MakeBook) -> None:
    sheet = sheet_of(annotate(book(), ["alpha"], samples=2))

    assert sheet["E2"].value == 75
    assert sheet["F2"].value == "met in 1 of 2"


def test_headers_are_unlike_each_other_and_those_that_are_there(annotate: Annotate, book: MakeBook) -> None:
    def change(workbook: Any, sheet: Any) -> None:
        columns = ["id", "question", "criterion", "points", "Alpha Score"]
        sheet.add_table("A1:E4", {"columns": [{"header": each} for each in columns]})

    sheet = sheet_of(annotate(book(change), ["alpha", "ALPHA", "two\nlines"]))

    assert [cell.value for cell in sheet[1]][5::3] == ["alpha (2) score", "ALPHA (3) score", "two lines score"]


def test_the_hidden_name_of_the_filter_grows_with_it(annotate: Annotate, book: MakeBook) -> None:
    written = annotate(book(lambda _, sheet: sheet.autofilter("A1:D4")))
    sheet = sheet_of(written)

    assert sheet.auto_filter.ref == "A1:J4"
    assert b"'Rubric'!$A$1:$J$4" in read_written(written.path).data("xl/workbook.xml")


def test_what_changes_beside_our_columns_is_found(annotate: Annotate, book: MakeBook) -> None:
    path = book(lambda _, sheet: sheet.set_column("A:A", 30))
    before = read_written(path).data("xl/worksheets/sheet1.xml")
    place = Place(
        sheet="Rubric",
        part="xl/worksheets/sheet1.xml",
        header_row=1,
        last_row=4,
        first_column=5,
        last_column=10,
        headers=(),
    )
    copy = read_written(annotate(path).path)

    assert changed_beside_ours(before, copy, place) == []
    for old, new, problem in (
        (b"<v>5</v>", b"<v>6</v>", "row 2 of the sheet Rubric changed"),
        (b'width="30', b'width="31', "columns of the sheet Rubric changed"),
        (b"<pageMargins", b'<printOptions headings="1"/><pageMargins', "printOptions of the sheet Rubric changed"),
    ):
        assert problem in changed_beside_ours(before.replace(old, new), copy, place)


def test_faults_of_a_sheet_are_found(annotate: Annotate, book: MakeBook) -> None:
    columns = [{"header": each} for each in ("id", "question", "criterion", "points")]
    path = annotate(book(lambda _, sheet: sheet.add_table("A1:D4", {"columns": columns}))).path
    part = "xl/worksheets/sheet1.xml"
    for name, old, new, problem in (
        (part, b'<row r="3"', b'<row r="2"', "row 2 stands behind row 2"),
        (part, b'r="B2"', b'r="A2"', "cell A2 is out of its place"),
        (part, b'min="6"', b'min="5"', "overlap at column 5"),
        ("xl/tables/table1.xml", b'id="6"', b'id="5"', "2 columns of the number 5"),
        ("xl/tables/table1.xml", b'count="10"', b'count="9"', "does not count its columns"),
        ("xl/comments1.xml", b'ref="E4"', b'ref="E2"', "E2 has 2 notes"),
        ("xl/drawings/vmlDrawing1.vml", b"<x:Row>3</x:Row>", b"<x:Row>8</x:Row>", "the note of E4 has no box"),
        ("xl/drawings/vmlDrawing1.vml", b"_x0000_s1026", b"_x0000_s1025", "2 boxes are called"),
    ):
        package = read_written(path)
        assert not list(sheet_problems(package, part))
        data = package.data(name)
        assert old in data, name
        package.replace(name, data.replace(old, new))
        assert problem in " ".join(sheet_problems(package, part))


def test_a_run_writes_columns_and_one_of_an_older_grader_is_still_read(
    tmp_path: Path, criteria_and_answers: list[str]
) -> None:
    done = CliRunner().invoke(cli, ["score", *criteria_and_answers, "--out", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
    first = [cell.value for cell in openpyxl.load_workbook(tmp_path / "run" / "graded.xlsx")["Criteria"][1]]
    assert first == ["id", "question", 50, 100, "apollo score", "apollo verdict", "apollo analysis"]
    assert json.loads((tmp_path / "run" / "summary.json").read_text("utf-8"))["criteria_table"] == {
        "sheet": "Criteria",
        "header_row": 1,
    }

    store = sqlite3.connect(tmp_path / "run" / "run.db")
    ((head,),) = store.execute("SELECT value FROM meta WHERE name = 'head'").fetchall()
    older = json.loads(head)
    del older["record"]["criteria_table"]
    store.execute("UPDATE meta SET value = ? WHERE name = 'head'", (json.dumps(older),))
    store.commit()
    store.close()

    again = CliRunner().invoke(cli, ["rescore", str(tmp_path / "run")])
    assert again.exit_code == 0, again.output


def test_an_analysis_is_in_lines_only_where_the_row_is_high_enough(annotate: Annotate, book: MakeBook) -> None:
    sheet = sheet_of(annotate(book(lambda _, sheet: sheet.set_row(1, 60))))

    high, low = sheet["G2"], sheet["G4"]
    assert "\n" in high.value and high.alignment.wrap_text
    assert "\n" not in low.value


@pytest.mark.parametrize("sentence", ["The unit is missing. ", "単位がありません。 "])
def test_of_an_analysis_that_is_wider_than_its_column_the_beginning_is_shown_and_all_is_in_a_note(
    annotate: Annotate, book: MakeBook, grades_of: Callable[..., Any], sentence: str
) -> None:
    path = book()
    grades, _ = grades_of(path, ["alpha"])
    text = (sentence * 20).strip()
    grades = [replace(each, verdict=replace(each.verdict, analysis=text)) for each in grades]

    cell = sheet_of(annotate(path, ["alpha"], grades=grades))["G4"]

    # LibreOffice prints what is wider on pages of its own.
    assert cell.value.endswith(" …") and display_width(cell.value) <= 62
    assert cell.value.startswith(sentence.strip())
    assert text in cell.comment.text
