from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import xlsxwriter
from python_calamine import CalamineWorkbook

from grader.errors import RunError
from grader.outputs.graded_workbook import write as write_module
from grader.outputs.graded_workbook.opening import MAX_PARTS
from grader.outputs.graded_workbook.write import WrittenWorkbook
from grader.records import Grade

Write = Callable[..., WrittenWorkbook]
Make = Callable[..., Grade]
Repack = Callable[[Path, Mapping[str, bytes | None]], Path]

OURS = {"Review", "Summary", "About", "_lists"}
MAY_CHANGE = {
    "[Content_Types].xml",
    "_rels/.rels",
    "docProps/custom.xml",
    "xl/workbook.xml",
    "xl/_rels/workbook.xml.rels",
    "xl/styles.xml",
    "xl/calcChain.xml",
}


def parts(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def changed(before: Path, after: Path) -> set[str]:
    new = parts(after)
    return {name for name, data in parts(before).items() if new.get(name) != data}


def test_the_copy_keeps_every_part_and_the_source_stays(write: Write, grade: Make, criteria_path: Path) -> None:
    before = criteria_path.read_bytes()

    written = write([grade()], criteria_path)

    assert written.notes == ()
    assert changed(criteria_path, written.path) <= MAY_CHANGE
    assert criteria_path.read_bytes() == before
    assert [path.name for path in written.path.parent.iterdir()] == ["graded.xlsx"]


def test_our_sheets_come_last_and_theirs_stay_selected(write: Write, grade: Make, criteria_path: Path) -> None:
    book = openpyxl.load_workbook(write([grade()], criteria_path).path)

    assert book.sheetnames == ["Criteria", "Notes", "Review", "Summary", "About", "_lists"]
    assert [sheet.title for sheet in book.worksheets if sheet.sheet_view.tabSelected] == ["Criteria"]
    assert book.active is not None and book.active.title == "Criteria"
    assert book.defined_names["Dose"].attr_text == "Notes!$A$1"


def test_their_formats_values_and_formulas_stay(write: Write, grade: Make, criteria_path: Path) -> None:
    path = write([grade()], criteria_path).path
    cell = openpyxl.load_workbook(path)["Criteria"]["B2"]

    assert (cell.value, cell.number_format, cell.fill.fgColor.rgb) == ("Names the dose", "0.000 \\x", "FFFF0000")
    assert openpyxl.load_workbook(path, data_only=True)["Notes"]["A1"].value == 2
    assert openpyxl.load_workbook(path)["Summary"]["E8"].number_format == "0.00"


def test_names_that_are_taken_are_numbered_in_formulas_too(write: Write, grade: Make, tmp_path: Path) -> None:
    path = tmp_path / "mine.xlsx"
    book = xlsxwriter.Workbook(str(path))
    for name in ("REVIEW", "summary", "Summary (2)", "_Lists"):
        book.add_worksheet(name)
    book.get_worksheet_by_name("REVIEW").add_table("A1:B3", {"name": "TBLREVIEW"})
    book.define_name("tblReview_2", "=REVIEW!$A$1")
    book.close()

    written = write([grade()], path)
    graded = openpyxl.load_workbook(written.path)

    assert graded.sheetnames[4:] == ["Review (2)", "Summary (3)", "About", "_lists (2)"]
    assert list(graded["Review (2)"].tables) == ["tblReview_3"]
    assert "'Review (2)'!" in str(graded["Summary (3)"]["C8"].value)
    assert graded["Review (2)"].data_validations.dataValidation[0].formula1 == "'_lists (2)'!$A$1:$A$5"
    assert "Review (2)" in str(graded["About"]["B4"].value)


def test_macros_are_kept_with_their_extension(write: Write, grade: Make, criteria_path: Path, repacked: Repack) -> None:
    types = parts(criteria_path)["[Content_Types].xml"].replace(
        b"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
        b"application/vnd.ms-excel.sheet.macroEnabled.main+xml",
    )
    types = types.replace(b"</Types>", b'<Default Extension="bin" ContentType="application/x-vba"/></Types>')
    repacked(criteria_path, {"[Content_Types].xml": types, "xl/vbaProject.bin": b"\x00VBA"})

    written = write([grade()], criteria_path)

    assert written.path.name == "graded.xlsm"
    assert parts(written.path)["xl/vbaProject.bin"] == b"\x00VBA"
    assert b"macroEnabled" in parts(written.path)["[Content_Types].xml"]


def test_the_calculation_chain_goes_and_the_settings_stay(
    write: Write, grade: Make, criteria_path: Path, repacked: Repack
) -> None:
    source = parts(criteria_path)
    book = source["xl/workbook.xml"].replace(b"<calcPr ", b'<calcPr calcMode="manual" ')
    relation = b'<Relationship Id="rId77" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/'
    rels = source["xl/_rels/workbook.xml.rels"].replace(
        b"</Relationships>", relation + b'calcChain" Target="calcChain.xml"/></Relationships>'
    )
    types = source["[Content_Types].xml"].replace(
        b"</Types>",
        b'<Override PartName="/xl/calcChain.xml" ContentType="application/vnd.openxmlformats-officedocument'
        b'.spreadsheetml.calcChain+xml"/></Types>',
    )
    chain = b'<calcChain xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>'
    repacked(
        criteria_path,
        {
            "xl/workbook.xml": book,
            "xl/_rels/workbook.xml.rels": rels,
            "[Content_Types].xml": types,
            "xl/calcChain.xml": chain,
        },
    )

    written = write([grade()], criteria_path)
    copy = parts(written.path)

    assert "xl/calcChain.xml" not in copy
    assert b"calcChain" not in copy["[Content_Types].xml"] + copy["xl/_rels/workbook.xml.rels"]
    assert b'calcMode="manual"' in copy["xl/workbook.xml"]
    assert any("F9" in note for note in written.notes)


def strict(source: dict[str, bytes]) -> dict[str, bytes | None]:
    book = source["xl/workbook.xml"].replace(
        b"http://schemas.openxmlformats.org/spreadsheetml/2006/main", b"http://purl.oclc.org/ooxml/spreadsheetml/main"
    )
    return {"xl/workbook.xml": book}


def doctype(source: dict[str, bytes]) -> dict[str, bytes | None]:
    return {"xl/sharedStrings.xml": b'<?xml version="1.0"?><!DOCTYPE sst [<!ENTITY a "b">]><sst>&a;</sst>'}


UNPATCHABLE: dict[str, tuple[Callable[[dict[str, bytes]], dict[str, bytes | None]], str]] = {
    "strict": (strict, "Strict Open XML"),
    "signed": (lambda source: {"_xmlsignatures/sig1.xml": b"<x/>"}, "digitally signed"),
    "revisions": (lambda source: {"xl/revisions/log.xml": b"<x/>"}, "records its changes"),
    "backslash": (lambda source: {"xl\\media\\x.png": b"x"}, "names that the format does not allow"),
    "same name": (lambda source: {"XL/workbook.xml": b"<x/>"}, "the same name"),
    "many parts": (lambda source: {f"x/{n}": b"" for n in range(MAX_PARTS)}, "parts"),
    "bomb": (lambda source: {"xl/media/x.bin": b"\0" * 3_000_000}, "compressed more than"),
    "doctype": (doctype, "DOCTYPE"),
    "broken": (lambda source: {"xl/workbook.xml": b"<workbook"}, "not well-formed"),
    "no workbook": (lambda source: {"xl/workbook.xml": None}, "no workbook part"),
    "no types": (lambda source: {"[Content_Types].xml": None}, "not an .xlsx workbook"),
    "styles": (lambda source: {"xl/styles.xml": b"<x/>"}, "no style sheet"),
}


@pytest.mark.parametrize("case", UNPATCHABLE)
def test_what_cannot_be_patched_gives_our_sheets_alone_and_the_reason(
    write: Write, grade: Make, criteria_path: Path, repacked: Repack, case: str
) -> None:
    change, reason = UNPATCHABLE[case]
    repacked(criteria_path, change(parts(criteria_path)))

    written = write([grade()], criteria_path)

    assert written.path.name == "graded.xlsx"
    assert any("our sheets only" in note and reason in note for note in written.notes)
    assert set(openpyxl.load_workbook(written.path).sheetnames) == OURS


@pytest.mark.parametrize("data", [b"", b"id,criterion\n", bytes.fromhex("d0cf11e0a1b11ae1"), b"PK\x03\x04 cut"])
def test_files_that_are_no_xlsx_give_our_sheets_alone(write: Write, grade: Make, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "criteria.csv"
    path.write_bytes(data)

    assert "our sheets only" in write([grade()], path).notes[0]
    assert "not there any more" in write([grade()], tmp_path / "gone.xlsx").notes[0]


def test_no_criteria_workbook_gives_our_sheets_without_a_note(write: Write, grade: Make) -> None:
    written = write([grade()])

    assert written.notes == ()
    assert set(openpyxl.load_workbook(written.path).sheetnames) == OURS


def test_a_copy_that_fails_our_check_is_not_handed_out(
    write: Write, grade: Make, criteria_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_module, "check_copy", lambda *args, **options: ["something is wrong"])

    written = write([grade()], criteria_path)

    assert "something is wrong" in written.notes[0]
    assert set(openpyxl.load_workbook(written.path).sheetnames) == OURS


def test_a_file_of_ours_that_fails_our_check_is_an_error(
    write: Write, grade: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_module, "check_alone", lambda path: ["something is wrong"])

    with pytest.raises(RunError, match="something is wrong"):
        write([grade()])


def test_so_is_a_streamed_one(write: Write, grade: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_module, "MOST_ROWS_IN_COPY", 1)
    monkeypatch.setattr(write_module, "check_streamed", lambda path: ["something is wrong"])

    with pytest.raises(RunError, match="something is wrong"):
        write([grade("1"), grade("2")])


class Many:
    """Grades that are made as they are asked for, as a store would."""

    def __init__(self, count: int, make: Make) -> None:
        self.count = count
        self.make = make

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Grade]:
        return (self.make(str(n), score=float(n % 101), answer="<r>=1</r>") for n in range(self.count))


def test_many_grades_are_streamed_into_a_file_of_their_own(
    write: Write, grade: Make, criteria_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_module, "MOST_ROWS_IN_COPY", 50)

    written = write(Many(60, grade), criteria_path)
    book = CalamineWorkbook.from_path(written.path)
    rows = book.get_sheet_by_name("Review").to_python()
    leaderboard = book.get_sheet_by_name("Summary").to_python()[7]

    assert "more than 50 grades" in written.notes[0]
    assert set(book.sheet_names) == OURS
    assert len(rows) == 61
    assert rows[60][rows[0].index("Final")] == 59
    assert rows[1][rows[0].index("Answer")] == "<r>=1</r>"
    assert leaderboard[:5] == ["alpha", 1, 60, 60, 29.5]
    assert openpyxl.load_workbook(written.path)["Review"].auto_filter.ref == "A1:O61"


def test_more_grades_than_a_sheet_has_rows_are_refused(write: Write, grade: Make) -> None:
    with pytest.raises(RunError, match="1,048,576 grades"):
        write(Many(1_048_576, grade))


def test_an_open_workbook_is_saved_under_the_next_name(write: Write, grade: Make, criteria_path: Path) -> None:
    path = write([grade()], criteria_path).path
    path.with_name("~$graded.xlsx").write_text("")

    written = write([grade()], criteria_path)

    assert written.path.name == "graded (2).xlsx"
    assert any("open in another program" in note for note in written.notes)


def test_a_criteria_workbook_at_the_target_is_never_replaced(write: Write, grade: Make, tmp_path: Path) -> None:
    source = write([grade()]).path
    before = source.read_bytes()

    written = write([grade()], source)

    assert written.path.name == "graded (2).xlsx"
    assert any("criteria workbook itself" in note for note in written.notes)
    assert source.read_bytes() == before


def type_in(path: Path, row: int, **entries: Any) -> None:
    """Type into Review as an expert would, with openpyxl in Excel's place."""
    book = openpyxl.load_workbook(path)
    sheet = book["Review"]
    names = [cell.value for cell in sheet[1]]
    for name, value in entries.items():
        sheet.cell(row, names.index(name.replace("_", " ").capitalize()) + 1).value = value
    book.save(path)


def test_what_the_expert_typed_is_carried_over(write: Write, grade: Make, criteria_path: Path) -> None:
    grades = [grade("1", score=50.0), grade("2", score=0.0), grade("3", score=None)]
    path = write(grades, criteria_path).path
    type_in(path, 2, expert_score=75, expert_comment="half is there")
    type_in(path, 4, expert_score=100)

    written = write(grades, criteria_path)
    sheet = openpyxl.load_workbook(written.path, data_only=True)["Review"]
    names = [cell.value for cell in sheet[1]]
    shown = [
        [row[names.index(name)] for name in ("Expert score", "Expert comment", "Final", "Difference")]
        for row in sheet.iter_rows(min_row=2, values_only=True)
    ]

    assert written.path == path
    assert written.notes == ("The expert's scores and comments in 2 rows were carried over from the earlier workbook.",)
    assert shown == [[75, "half is there", 75, 25], [None, None, 0, None], [100, None, 100, None]]
    leaderboard = openpyxl.load_workbook(path, data_only=True)["Summary"][8]
    assert [cell.value for cell in leaderboard][:5] == ["alpha", 1, 3, 3, pytest.approx(175 / 3)]
    assert [cell.value for cell in leaderboard][8:12] == [0, 1, 2, 25]


def test_text_in_the_score_cell_is_carried_over_as_text(write: Write, grade: Make, criteria_path: Path) -> None:
    path = write([grade("1")], criteria_path).path
    type_in(path, 2, expert_score="n/a")

    sheet = openpyxl.load_workbook(write([grade("1")], criteria_path).path)["Review"]

    assert "n/a" in [cell.value for cell in sheet[2]]


def test_an_unreadable_target_is_kept(write: Write, grade: Make, criteria_path: Path, tmp_path: Path) -> None:
    target = tmp_path / "out" / "graded.xlsx"
    target.parent.mkdir()
    target.write_bytes(b"not a workbook")

    written = write([grade()], criteria_path)

    assert written.path == target
    assert any("could not be read" in note for note in written.notes)
    assert target.with_name("graded (earlier 1).xlsx").read_bytes() == b"not a workbook"


def test_a_lone_cell_far_away_costs_nothing(
    write: Write, grade: Make, criteria_path: Path, tmp_path: Path, repacked: Repack
) -> None:
    source = write([grade()], criteria_path).path.rename(tmp_path / "far.xlsx")
    cell = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    review = next(name for name, data in parts(source).items() if b"<t>Text hash</t>" in data)
    repacked(source, {review: parts(source)[review].replace(b"</sheetData>", cell)})

    written = write([grade()], source)

    assert written.notes == ()
    assert openpyxl.load_workbook(written.path)["Review"].max_row == 2
