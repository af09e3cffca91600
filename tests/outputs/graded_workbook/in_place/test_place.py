from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from grader.outputs.graded_workbook.in_place.place import CriteriaSheet
from grader.outputs.graded_workbook.write import WrittenWorkbook

Annotate = Callable[..., WrittenWorkbook]
MakeBook = Callable[..., Path]
Repacked = Callable[[Path, Mapping[str, bytes | None]], Path]

PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360f8cfc0f01f0005050102a2f7e9a50000000049454e44ae426082"
)
TABLE = {"name": "tblCriteria", "columns": [{"header": each} for each in ("id", "question", "criterion", "points")]}


def header(annotated: WrittenWorkbook) -> list[Any]:
    return [cell.value for cell in openpyxl.load_workbook(annotated.path)["Rubric"][1]]


def totals(workbook: Any, sheet: Any) -> None:
    columns = [{"header": "id"}, {"header": "question"}, {"header": "criterion"}, {"header": "points"}]
    sheet.add_table("A1:D5", {"name": "tblCriteria", "columns": columns, "total_row": True})


def calculated(workbook: Any, sheet: Any) -> None:
    columns = [*TABLE["columns"], {"header": "twice", "formula": "=2*[@points]"}]
    sheet.add_table("A1:E4", {"name": "tblCriteria", "columns": columns})


def table_with(formula: str) -> Callable[[Any, Any], None]:
    def change(workbook: Any, sheet: Any) -> None:
        sheet.add_table("A1:D4", TABLE)
        workbook.add_worksheet("Stats").write_formula("A1", formula, None, 10)

    return change


def on_other(formula: str) -> Callable[[Any, Any], None]:
    return lambda workbook, sheet: workbook.add_worksheet("Stats").write_formula("A1", formula, None, 10)


def chart_over(workbook: Any, sheet: Any) -> None:
    chart = workbook.add_chart({"type": "line"})
    chart.add_series({"values": "=Rubric!$E$2:$E$4"})
    workbook.add_worksheet("Charts").insert_chart("A1", chart)


def sparkline(workbook: Any, sheet: Any) -> None:
    workbook.add_worksheet("Stats").add_sparkline("A1", {"range": "Rubric!D2:H2"})


def x14_bars(workbook: Any, sheet: Any) -> None:
    sheet.conditional_format("E2:E4", {"type": "data_bar", "data_bar_2010": True})


def condition_on_all(workbook: Any, sheet: Any) -> None:
    sheet.conditional_format("A1:XFD1048576", {"type": "no_blanks", "format": workbook.add_format({"bold": True})})


REFUSED: dict[str, tuple[Callable[[Any, Any], object], str]] = {
    "a value": (lambda _, sheet: sheet.write("F9", "mine"), "F9 is not empty"),
    "a value that would touch": (lambda _, sheet: sheet.write("K1", "mine"), "K1 is not empty"),
    "merged cells": (lambda _, sheet: sheet.merge_range("E2:F3", ""), "merged cells at E2:F3"),
    "a note": (lambda _, sheet: sheet.write_comment("G2", "mine"), "a note at G2"),
    "a picture": (lambda _, sheet: sheet.insert_image("F2", "p.png", {"image_data": picture()}), "a picture, chart"),
    "a button": (lambda _, sheet: sheet.insert_button("F2", {"caption": "Go"}), "a form control"),
    "a box that is always shown": (
        lambda _, sheet: sheet.write_comment("D2", "mine", {"visible": True, "width": 400}),
        "a note that is always shown",
    ),
    "a validation": (
        lambda _, sheet: sheet.data_validation("E2:E4", {"validate": "any", "input_message": "x"}),
        "valid",
    ),
    "a validation by our cells": (
        lambda _, sheet: sheet.data_validation("D2:D4", {"validate": "list", "source": "=$F$2:$F$9"}),
        "a data validation on the sheet Rubric looks at F2:F9",
    ),
    "a condition": (condition_on_all, "a conditional format"),
    "a condition by our cells": (
        lambda _, sheet: sheet.conditional_format("A2:A4", {"type": "formula", "criteria": "=$E2>1"}),
        "a conditional format on the sheet Rubric looks at E2:E4",
    ),
    "newer bars": (x14_bars, "a conditional format at E2:E4"),
    "a validation of another sheet": (
        lambda workbook, _: workbook.add_worksheet("S").data_validation(
            "A1", {"validate": "list", "source": "=Rubric!E2:E4"}
        ),
        "a data validation on the sheet S looks at E2:E4",
    ),
    "a sparkline": (sparkline, "a sparkline on the sheet Stats looks at D2:H2"),
    "a sum of a wide range": (on_other("=SUM(Rubric!A2:Z2)"), "a formula on the sheet Stats in A1 looks at A2:Z2"),
    "whole rows": (on_other("=SUM(Rubric!2:2)"), "looks at A2:XFD2"),
    "all columns": (on_other("=COUNTA(Rubric!A1:XFD1)"), "looks at A1:XFD1"),
    "a stretch of sheets": (on_other("=SUM(Rubric:Stats!E2)"), "looks at E2"),
    "a name": (lambda workbook, _: workbook.define_name("Scores", "=Rubric!$E$2:$E$4"), "the name Scores looks at"),
    "a chart": (chart_over, "a chart looks at E2:E4"),
    "an array": (on_other("{=SUM(Rubric!A2:F4*1)}"), "looks at A2:F4"),
    "totals": (totals, "the table tblCriteria cannot grow: it has a totals row"),
    "calculated columns": (calculated, "it has calculated columns"),
    "a table as a whole": (table_with("=ROWS(tblCriteria[#All])"), "refers to the table tblCriteria as a whole"),
    "a table by name": (table_with("=COUNTA(tblCriteria)"), "refers to the table tblCriteria as a whole"),
    "a stretch of columns": (table_with("=SUM(tblCriteria[[#Data],[id]:[points]])"), "as a whole"),
    "a narrower table": (
        lambda _, sheet: sheet.add_table("A1:C4", {"columns": TABLE["columns"][:3]}),
        "reach to the last",
    ),
    "a narrower filter": (lambda _, sheet: sheet.autofilter("A1:C4"), "the sheet's filter (A1:C4) does not reach"),
    "protection": (lambda _, sheet: sheet.protect("secret"), "the sheet Rubric is protected"),
    "groups": (lambda _, sheet: sheet.set_column("E:F", 9, None, {"level": 1}), "part of a group"),
    "the last columns": (lambda _, sheet: sheet.write_row("E1", ["x"] * 16_379), "there are no free columns"),
}


def picture() -> Any:
    from io import BytesIO

    return BytesIO(PICTURE)


@pytest.mark.parametrize("case", REFUSED)
def test_where_columns_would_do_harm_there_are_none_and_it_is_said(
    annotate: Annotate, book: MakeBook, parts_of: Callable[[Path], dict[str, bytes]], case: str
) -> None:
    change, reason = REFUSED[case]
    path = book(change)

    written = annotate(path)

    (note,) = [note for note in written.notes if "New sheets only" in note]
    assert reason in note
    sheet = "xl/worksheets/sheet1.xml"
    assert parts_of(written.path)[sheet] == parts_of(path)[sheet]


HARMLESS: dict[str, Callable[[Any, Any], object]] = {
    "print titles": lambda _, sheet: sheet.repeat_rows(0),
    "a print area": lambda _, sheet: sheet.print_area("A1:D4"),
    "columns of theirs": on_other("=SUM(Rubric!D:D)"),
    "another sheet's cells": on_other("=SUM(E2:H4)"),
    "text like a reference": on_other('="Rubric!E2:E4"'),
    "one column of the table": table_with("=SUM(tblCriteria[points])"),
    "a hidden note": lambda _, sheet: sheet.write_comment("D3", "mine"),
    "things farther right": lambda _, sheet: sheet.write("M1", "mine"),
    "a picture on the left": lambda _, sheet: sheet.insert_image("A6", "p.png", {"image_data": picture()}),
    "a header picture": lambda _, sheet: sheet.set_header(
        "&L&G", {"image_left": "p.png", "image_data_left": picture()}
    ),
    "formats of whole columns": lambda workbook, sheet: sheet.set_column(
        "A:XFD", 12, workbook.add_format({"bg_color": "#FFFF00"})
    ),
    "an empty format": lambda workbook, sheet: sheet.write_blank("E3", None, workbook.add_format({"border": 1})),
    "manual calculation": lambda workbook, _: workbook.set_calc_mode("manual"),
    "an array of theirs": lambda _, sheet: sheet.write_array_formula("D6:D7", "{=D2:D3*2}"),
    "an unscored link": lambda _, sheet: sheet.write_url("A8", "https://example.org/E2"),
}


@pytest.mark.parametrize("case", HARMLESS)
def test_what_does_not_touch_our_cells_does_not_matter(annotate: Annotate, book: MakeBook, case: str) -> None:
    written = annotate(book(HARMLESS[case]))

    assert not [note for note in written.notes if "New sheets only" in note]
    assert header(written)[4:10] == [
        f"{system} {kind}" for system in ("alpha", "beta") for kind in ("score", "verdict", "analysis")
    ]


def test_columns_that_are_hidden_stay_so_and_get_nothing(annotate: Annotate, book: MakeBook) -> None:
    written = annotate(book(lambda _, sheet: sheet.set_column("E:XFD", None, None, {"hidden": True})))

    assert any("because the columns beside the criteria are hidden" in note for note in written.notes)
    assert openpyxl.load_workbook(written.path)["Rubric"].column_dimensions["E"].hidden


COMPUTED = {
    "=COUNTA(OFFSET(Rubric!A1,0,0,10,10))": "OFFSET",
    "=COUNTA(OFFSET(Rubric!$A$1,0,0,3,B9))": "OFFSET",
    '=COUNTA(INDIRECT("Rubric!A1:Z50"))': "INDIRECT",
    '=COUNTA(INDIRECT("Rubric!A"&B1))': "INDIRECT",
    "=SUM(INDIRECT(A1))": "INDIRECT",
    "=SUM(Rubric!A1:INDEX(Rubric!Z:Z,5))": "a range with a computed end",
}


@pytest.mark.parametrize("formula", COMPUTED)
def test_formulas_that_compute_where_they_look_get_no_columns_beside_them(
    annotate: Annotate, book: MakeBook, formula: str
) -> None:
    (note,) = (note for note in annotate(book(on_other(formula))).notes if "New sheets only" in note)

    assert f"uses {COMPUTED[formula]}, whose reach cannot be told" in note


@pytest.mark.parametrize(
    "formula",
    [
        "=COUNTA(OFFSET(Rubric!$A$1,0,0,COUNTA(Rubric!$A:$A),4))",
        "=SUM(OFFSET(A1,0,0,10,10))",
        "=SUM(OFFSET(Rubric!D2,1,,2,-2))",
        '=COUNTA(INDIRECT("Rubric!A1:D4"))',
        "=COUNTA(INDIRECT(\"'Other one'!A\"&B1))",
        "=SUM(Rubric!A1:INDEX(Rubric!D:D,5))",
    ],
)
def test_computed_places_that_stay_away_do_not_matter(annotate: Annotate, book: MakeBook, formula: str) -> None:
    assert not [note for note in annotate(book(on_other(formula))).notes if "New sheets only" in note]


def test_a_format_of_whole_columns_stays_below_our_rows(annotate: Annotate, book: MakeBook) -> None:
    before = openpyxl.load_workbook(path := book(HARMLESS["formats of whole columns"]))["Rubric"]
    after = openpyxl.load_workbook(annotate(path).path)["Rubric"]

    wanted = before.column_dimensions["A"].fill.fgColor.rgb
    assert after.column_dimensions["G"].fill.fgColor.rgb == wanted
    assert after["G2"].fill.fgColor.rgb != wanted


@pytest.mark.parametrize("cell", ["A2", "C3"])
def test_what_was_edited_since_it_was_graded_gets_no_columns(
    annotate: Annotate, book: MakeBook, grades_of: Callable[..., Any], cell: str
) -> None:
    path = book()
    grades, _ = grades_of(path)
    edited = openpyxl.load_workbook(path)
    edited["Rubric"][cell] = "something else"
    edited.save(path)

    written = annotate(path, grades=grades)

    assert any(f"{cell} does not hold what was graded any more" in note for note in written.notes)


def test_without_knowing_the_sheet_there_are_new_sheets_only(annotate: Annotate, book: MakeBook) -> None:
    written = annotate(book(), criteria_sheet=None)

    assert header(written) == ["id", "question", "criterion", "points"]
    assert not written.notes


def test_a_sheet_that_is_gone_is_said(annotate: Annotate, book: MakeBook) -> None:
    written = annotate(book(), criteria_sheet=CriteriaSheet("Gone", 1))

    assert any("New sheets only" in note for note in written.notes)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b'<row r="3"', b'<row r="2"', "its rows are out of order"),
        (b'<c r="B3"', b'<c r="A3"', "the cells of its row 3 are out of order"),
        (b'<c r="B3"', b"<c", "the cells of its row 3 are out of order, or not numbered"),
    ],
)
def test_rows_and_cells_in_disorder_are_left_alone(
    annotate: Annotate, book: MakeBook, repacked: Repacked, old: bytes, new: bytes, reason: str
) -> None:
    path = book()
    with zipfile.ZipFile(path) as archive:
        data = archive.read("xl/worksheets/sheet1.xml")

    assert old in data
    written = annotate(repacked(path, {"xl/worksheets/sheet1.xml": data.replace(old, new)}))

    assert any(reason in note or "sheets only" in note for note in written.notes)
