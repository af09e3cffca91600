"""Rows that are rendered whole are those that XlsxWriter makes cell by cell, and stand where they belong."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from grader.outputs.graded_workbook import finished_rows
from grader.outputs.graded_workbook.finished_rows import CellValue, RowFormula
from grader.outputs.graded_workbook.review_columns import ROW
from grader.outputs.graded_workbook.sheet import Book

VALUES = (
    *("plain", "", " a blank in front", "behind \n", "two\nlines\tand a tab", "a < b & c > d", "\"quoted\" and 'so'"),
    *(
        "_x0041_ is no escape",
        "bell\x07 and \x7f",
        "half \ud83d of one",
        "\ufffe\uffff",
        "字 und ü 😀",
        "=1+1",
        "00123",
    ),
    *("x" * 40_000, "😀" * 20_000, 0.1 + 0.2, 50.0, 7, -0.0, 1e300, None),
)


def sheet_xml(book: BytesIO | Path) -> str:
    with zipfile.ZipFile(book) as archive:
        return archive.read("xl/worksheets/sheet1.xml").decode()


def cell_by_cell(path: Path, rows: Sequence[Sequence[str | float | None]]) -> tuple[str, int]:
    book = Book(path, mean_format="0.00", is_streamed=True, width_unit=1.0)
    sheet, style = book.add_sheet("Sheet"), book.formats["text"]
    sheet.text(0, 0, "header", style)
    for number, row in enumerate(rows, start=1):
        sheet.raw.set_row(number, 15.0 + number)
        for column, value in enumerate(row):
            if value is None:
                sheet.blank(number, column, style)
            elif isinstance(value, str):
                sheet.text(number, column, value, style)
            else:
                sheet.number(number, column, value, style)
    book.close()
    return sheet_xml(path), book.cut_count


def whole(path: Path | BytesIO, rows: Sequence[Sequence[CellValue]], *, is_streamed: bool = True) -> tuple[str, int]:
    book = Book(path, mean_format="0.00", is_streamed=is_streamed, width_unit=1.0)
    sheet, style = book.add_sheet("Sheet"), book.formats["text"]
    sheet.text(0, 0, "header", style)
    taker = sheet.begin_rows([style] * len(rows[0]))
    for number, row in enumerate(rows, start=1):
        taker.add(number, 15.0 + number, row, [style] * len(row))
    book.close()
    return sheet_xml(path), book.cut_count


def without_height(xml: str) -> str:
    return re.sub(' ht="[0-9.]+"', "", cells_of(xml))


def cells_of(xml: str) -> str:
    return xml[xml.index("<sheetData>") : xml.index("</sheetData>")]


def test_a_row_is_what_xlsxwriter_makes_of_it_cell_by_cell(tmp_path: Path) -> None:
    theirs, ours = cell_by_cell(tmp_path / "a.xlsx", [VALUES]), whole(tmp_path / "b.xlsx", [VALUES])
    assert without_height(ours[0]) == without_height(theirs[0])
    assert ours[1] == theirs[1] == 2, "two texts are too long for a cell"


@given(st.lists(st.text(max_size=30), min_size=1, max_size=20))
def test_so_it_is_with_any_texts(texts: list[str]) -> None:
    # XlsxWriter leaves the second of two escapes that share an underscore as it is, and takes <r>…</r> for its own.
    plain = [text for text in texts if "_x" not in text and not text.startswith("<r>")] or ["text"]
    theirs, ours = BytesIO(), BytesIO()
    book = Book(theirs, mean_format="0.00", is_streamed=True, width_unit=1.0)
    sheet, style = book.add_sheet("Sheet"), book.formats["text"]
    sheet.text(0, 0, "header", style)
    for column, text in enumerate(plain):
        sheet.text(1, column, text, style)
    book.close()
    found = re.findall("<c r=.*", cells_of(sheet_xml(theirs)), re.DOTALL)
    assert cells_of(whole(ours, [plain])[0]).partition('<row r="2"')[2].partition(">")[2] in found[0]


@pytest.mark.parametrize("points", [15.0, 16.8, 29.6, 409.0])
def test_a_row_is_as_high_as_xlsxwriter_makes_it(tmp_path: Path, points: float) -> None:
    book = Book(tmp_path / "a.xlsx", mean_format="0.00", is_streamed=True, width_unit=1.0)
    theirs, ours, style = book.add_sheet("Theirs"), book.add_sheet("Ours"), book.formats["text"]
    for sheet in (theirs, ours):
        sheet.text(0, 0, "header", style)
    theirs.raw.set_row(1, points)
    theirs.text(1, 0, "text", style)
    ours.begin_rows([style]).add(1, points, ["text"], [style])
    book.close()
    with zipfile.ZipFile(tmp_path / "a.xlsx") as archive:
        first, second = (cells_of(archive.read(f"xl/worksheets/sheet{number}.xml").decode()) for number in (1, 2))
    theirs_points, ours_points = (re.findall('<row r="2".*? ht="([0-9.]+)"', xml) for xml in (first, second))
    # Some versions of XlsxWriter round to whole pixels, as Excel does.
    assert [float(each) for each in ours_points] == pytest.approx([float(each) for each in theirs_points], abs=0.4)


@pytest.mark.parametrize("value", ["blind", "", None, 50.0, 3, "a < b"])
def test_a_formula_has_the_number_of_its_row_and_its_value(value: str | float | None) -> None:
    formula = RowFormula(f'=IF($A{ROW}<>"",$B{ROW}&"x",$A{ROW})').with_value(value)
    book = whole(BytesIO(), [["a"] * 2, [formula, "b"]], is_streamed=False)[0]
    book_of_theirs = BytesIO()
    theirs = Book(book_of_theirs, mean_format="0.00", is_streamed=False, width_unit=1.0)
    sheet, style = theirs.add_sheet("Sheet"), theirs.formats["text"]
    sheet.formula(2, 0, '=IF($A3<>"",$B3&"x",$A3)', style, value)
    theirs.close()
    (cell,) = re.findall('<c r="A3".*?</c>', sheet_xml(book_of_theirs))
    assert cell in book


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="nan is no number"):
        whole(BytesIO(), [[float("nan")]], is_streamed=False)


def test_two_escapes_that_share_an_underscore_both_stay_as_they_are() -> None:
    assert "_x005F_x0041_x005F_x0042_" in whole(BytesIO(), [["_x0041_x0042_"]])[0]


@pytest.mark.parametrize("is_streamed", [False, True])
@pytest.mark.parametrize("memory", [0, 1 << 20])
def test_rows_stand_among_those_of_xlsxwriter_in_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_streamed: bool, memory: int
) -> None:
    monkeypatch.setattr(finished_rows, "_MOST_BYTES_IN_MEMORY", memory)
    path = tmp_path / "book.xlsx"
    book = Book(path, mean_format="0.00", is_streamed=is_streamed, width_unit=1.0)
    sheet, style = book.add_sheet("Sheet"), book.formats["text"]
    book.add_sheet("Other").text(0, 0, "other", style)
    row = 0
    for table in ("one", "two"):
        sheet.text(row, 0, table, style)
        rows = sheet.begin_rows([style, style])
        for number in range(1, 4):
            rows.add(row + number, 18.0, [f"{table} {number}", float(number)], [style, style])
        row += 4
    sheet.text(row + 2, 1, "note", style)
    book.close()

    written = load_workbook(path)
    column = [cell.value for (cell,) in written["Sheet"].iter_rows(max_col=1)]
    assert column == ["one", "one 1", "one 2", "one 3", "two", "two 1", "two 2", "two 3", None, None, None]
    assert written["Sheet"]["B11"].value == "note"
    assert written["Other"]["A1"].value == "other"
    assert '<dimension ref="A1:B11"/>' in sheet_xml(path)


def test_a_sheet_says_how_far_its_rows_reach() -> None:
    book = BytesIO()
    made = Book(book, mean_format="0.00", is_streamed=False, width_unit=1.0)
    sheet, style = made.add_sheet("Sheet"), made.formats["text"]
    for column in range(3):
        sheet.text(0, column, "header", style)
    sheet.begin_rows([style] * 3).add(1, 18.0, ["a", "b", "c"], [style] * 3)
    made.close()
    assert '<dimension ref="A1:C2"/>' in sheet_xml(book)


def test_the_cells_of_a_table_are_not_noted_one_by_one() -> None:
    book = Book(BytesIO(), mean_format="0.00", is_streamed=False, width_unit=1.0)
    sheet = book.add_sheet("Table")
    assert sheet.raw.add_table(0, 0, 1_000_000, 3, {"columns": [{"header": name} for name in "abcd"]}) == 0
    assert not sheet.raw.table_cells
    assert len(sheet.raw.tables) == 1
