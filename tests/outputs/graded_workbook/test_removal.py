from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter
from lxml import etree
from xlsxwriter.worksheet import Worksheet

from grader.outputs.graded_workbook.area import Area, parse_area, trimmed
from grader.outputs.graded_workbook.marks import mark_columns
from grader.outputs.graded_workbook.merge.properties import merge_properties, read_properties
from grader.outputs.graded_workbook.names import SheetNames, free_names
from grader.outputs.graded_workbook.ooxml import main
from grader.outputs.graded_workbook.opening import open_package
from grader.outputs.graded_workbook.package import Package
from grader.outputs.graded_workbook.removal.recognising import find_ours
from grader.outputs.graded_workbook.removal.removing import remove_ours
from grader.outputs.graded_workbook.write import WrittenWorkbook
from grader.records import Grade

Write = Callable[..., WrittenWorkbook]
Make = Callable[..., Grade]

FEATURES = "charts comments_threaded condfmt_classic images kitchen_sink layout notes_legacy plain table_only".split()
KINDS = ["review", "summary", "about", "lists"]


def canonical(data: bytes) -> bytes:
    """Return XML without what is only a hint: the span of a row."""
    return re.sub(rb' spans="[^"]*"', b"", etree.tostring(etree.fromstring(data), method="c14n"))


def differing(one: Package, other: Package) -> set[str]:
    """Return the parts that are not the same in both, or not in both."""
    found = set()
    for name in {*one.original, *other.original}:
        before, after = one.original.get(name), other.original.get(name)
        is_same = before == after
        if not is_same and before and after and name.endswith((".xml", ".rels", ".vml")):
            is_same = canonical(before) == canonical(after)
        if not is_same:
            found.add(name)
    return found


def cleaned(path: Path) -> Package:
    package = open_package(path)
    remove_ours(package)
    package.save(path.with_name("cleaned.xlsx"))
    return open_package(path.with_name("cleaned.xlsx"))


@pytest.mark.parametrize("name", FEATURES)
def test_what_was_graded_goes_back_to_what_was_given(write: Write, grade: Make, shared: Path, name: str) -> None:
    source = shared / "workbooks" / "features" / f"{name}.xlsx"

    graded = write([grade()], source).path

    assert [kind for kind, _ in find_ours(open_package(graded)).sheets] == KINDS
    # Formats stay: that nothing uses them can be told only by looking at every cell.
    assert differing(open_package(source), cleaned(graded)) <= {"xl/styles.xml", "xl/calcChain.xml"}


def test_a_workbook_that_was_never_graded_is_not_touched(criteria_path: Path) -> None:
    package = open_package(criteria_path)

    removed = remove_ours(package)

    assert (removed.position, dict(removed.names), removed.notes) == (None, {}, ())
    assert package.changed_names == frozenset()


def test_a_workbook_of_an_older_run_is_known_by_its_words(write: Write, grade: Make, criteria_path: Path) -> None:
    graded = write([grade()], criteria_path).path
    book = openpyxl.load_workbook(graded)
    for name in [name for name in book.defined_names if name.startswith("_grader_")]:
        del book.defined_names[name]
    book.create_sheet("Reviewers")["A1"] = "Key"
    book.create_sheet("About me")["A1"] = "About this workbook"
    book.save(graded)

    assert [name for _, name in find_ours(open_package(graded)).sheets] == ["Review", "Summary", "About", "_lists"]
    assert list(cleaned(graded).sheets()) == ["Criteria", "Notes", "Reviewers", "About me"]


def test_sheets_alike_in_name_are_no_sheets_of_ours(criteria_path: Path) -> None:
    book = openpyxl.load_workbook(criteria_path)
    for name in ("Review", "Summary", "About"):
        book.create_sheet(name)["A1"] = name
    book.save(criteria_path)

    assert not find_ours(open_package(criteria_path))


def test_the_expert_s_names_and_windows_still_mean_their_sheets(write: Write, grade: Make, criteria_path: Path) -> None:
    graded = write([grade()], criteria_path).path
    book = openpyxl.load_workbook(graded)
    sheet = book.create_sheet("Mine")
    sheet["A1"] = "=Summary!D8"
    sheet.print_title_rows = "1:1"
    book.active = book.index(sheet)
    book.save(graded)

    package = cleaned(graded)
    again = openpyxl.load_workbook(graded.with_name("cleaned.xlsx"))

    assert list(package.sheets()) == ["Criteria", "Notes", "Mine"]
    assert again.active is not None and again.active.title == "Mine"
    assert again["Mine"].print_title_rows == "$1:$1"
    assert again["Mine"]["A1"].value == "=Summary!D8"
    assert not any(name.startswith("_grader_") for name in again.defined_names)


def test_a_chart_sheet_of_the_expert_s_stays(write: Write, grade: Make, tmp_path: Path) -> None:
    source = tmp_path / "charts.xlsx"
    with xlsxwriter.Workbook(str(source)) as book:
        chart = book.add_chart({"type": "column"})
        chart.add_series({"values": "=Data!$A$1:$A$2"})
        book.add_chartsheet("Chart").set_chart(chart)
        book.add_worksheet("Data").write_column(0, 0, [1, 2])

    graded = write([grade()], source).path

    assert differing(open_package(source), cleaned(graded)) == {"xl/styles.xml"}


def test_properties_of_theirs_stay(criteria_path: Path) -> None:
    package = open_package(criteria_path)
    merge_properties(package, {"Run": "1"})
    package.touch("docProps/custom.xml")[0].set("name", "Ward")
    merge_properties(package, {"Run": "2"})
    assert read_properties(package) == {"Run": "2"}
    mark_columns(package, "Criteria", "Z1:Z1")

    remove_ours(package)

    assert [each.get("name") for each in package.tree("docProps/custom.xml")] == ["Ward"]


def columns_workbook(path: Path, *, behind: bool = False) -> Path:
    """Make what a workbook looks like whose columns C and D are ours, with all that can lie on them."""
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Rubric")
        sheet.write_row(0, 0, ["id", "criterion", "gpt score", "gpt analysis", *(["mine"] if behind else [])])
        for row in (1, 2):
            sheet.write_row(row, 0, [str(row), "x", 50, "because", *([7] if behind else [])])
        sheet.autofilter(0, 0, 2, 4 if behind else 3)
        sheet.filter_column("C", "x > 40")
        sheet.set_row(2, None, None, {"hidden": True})
        sheet.set_column(0, 3, 20)
        sheet.conditional_format("A2:D3", {"type": "no_blanks", "format": book.add_format({"bold": True})})
        sheet.conditional_format("C2:C3", {"type": "3_color_scale"})
        sheet.data_validation("B2:C3", {"validate": "any", "input_message": "?", "input_title": "?"})
        sheet.data_validation("D2:D3", {"validate": "any", "input_message": "?", "input_title": "?"})
        sheet.write_url("D2", "https://example.org/", string="because")
        sheet.merge_range("C5:D5", "total")
        sheet.write_comment("A2", "the expert's")
        sheet.write_comment("C2", "ours")
    package = open_package(path)
    mark_columns(package, "Rubric", "C1:D1")
    package.save(path)
    return path


def test_all_that_lies_on_our_columns_goes_with_them(tmp_path: Path) -> None:
    path = columns_workbook(tmp_path / "columns.xlsx")

    cleaned(path)
    sheet = openpyxl.load_workbook(path.with_name("cleaned.xlsx"))["Rubric"]

    assert [[cell.value for cell in row] for row in sheet.iter_rows()] == [
        ["id", "criterion"],
        ["1", "x"],
        ["2", "x"],
    ]
    assert sheet.auto_filter.ref == "A1:B3"
    assert not sheet.auto_filter.filterColumn
    assert not sheet.row_dimensions[3].hidden
    assert [str(rules.sqref) for rules in sheet.conditional_formatting] == ["A2:B3"]
    assert [str(rule.sqref) for rule in sheet.data_validations.dataValidation] == ["B2:B3"]
    assert sheet.merged_cells.ranges == set()
    assert sheet["A2"].comment is not None and "expert" in sheet["A2"].comment.text
    assert sheet.dimensions == "A1:B3"
    assert sheet.column_dimensions["A"].max == 2
    with zipfile.ZipFile(path.with_name("cleaned.xlsx")) as archive:
        assert b"example.org" not in b"".join(map(archive.read, archive.namelist()))
        assert archive.read("xl/drawings/vmlDrawing1.vml").count(b"<v:shape ") == 1
        assert b"Rubric!$A$1:$B$3" in archive.read("xl/workbook.xml")


def test_notes_that_were_all_ours_leave_no_part(tmp_path: Path) -> None:
    path = tmp_path / "notes.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Rubric")
        sheet.write_row(0, 0, ["id", "gpt score"])
        sheet.write_comment("B2", "ours")
    package = open_package(path)
    mark_columns(package, "Rubric", "B1")
    package.save(path)

    names = cleaned(path).names()

    assert not [name for name in names if "comments" in name or "vml" in name or "sheet1.xml.rels" in name]


def test_a_table_shrinks_back_with_its_sorting(tmp_path: Path) -> None:
    path = tmp_path / "table.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Rubric")
        headers = ["id", "criterion", "gpt score", "gpt verdict"]
        sheet.add_table("A1:D3", {"columns": [{"header": header} for header in headers]})
    package = open_package(path)
    mark_columns(package, "Rubric", "C1:D1")
    table = package.touch("xl/tables/table1.xml")
    own_filter = table.find("{*}autoFilter")
    assert own_filter is not None
    etree.SubElement(own_filter, main("filterColumn"), colId="1")
    etree.SubElement(own_filter, main("filterColumn"), colId="2")
    sorting = own_filter.makeelement(main("sortState"), {"ref": "A2:D3"})
    own_filter.addnext(sorting)
    etree.SubElement(sorting, main("sortCondition"), ref="C2:C3")
    package.save(path)

    root = cleaned(path).tree("xl/tables/table1.xml")
    own_filter = root.find("{*}autoFilter")

    assert root.get("ref") == "A1:B3"
    assert [column.get("name") for column in root.iter("{*}tableColumn")] == headers[:2]
    assert own_filter is not None and own_filter.get("ref") == "A1:B3"
    assert [column.get("colId") for column in own_filter] == ["1"]
    assert root.find("{*}sortState") is None


def test_columns_with_the_expert_s_behind_them_in_one_filter_stay_and_that_is_said(tmp_path: Path) -> None:
    package = open_package(columns_workbook(tmp_path / "behind.xlsx", behind=True))

    notes = remove_ours(package).notes

    assert len(notes) == 1
    assert "C1:D1 on the sheet Rubric" in notes[0] and "goes on behind them" in notes[0]
    assert package.tree("xl/worksheets/sheet1.xml").find("{*}autoFilter").get("ref") == "A1:E3"  # type: ignore[union-attr]


def test_columns_with_a_header_that_is_not_ours_stay(tmp_path: Path) -> None:
    path = columns_workbook(tmp_path / "renamed.xlsx")
    book = openpyxl.load_workbook(path)
    book["Rubric"]["D1"] = "My remarks"
    book.save(path)

    package = open_package(path)
    notes = remove_ours(package).notes
    package.save(path)

    assert "headers were changed" in notes[0]
    assert openpyxl.load_workbook(path)["Rubric"]["D1"].value == "My remarks"


def test_names_of_removed_sheets_are_used_again(criteria_path: Path) -> None:
    package = open_package(criteria_path)

    names = free_names(package, {"review": "Durchsicht", "summary": "notes"})

    assert (names.review, names.summary, names.about) == ("Durchsicht", "notes (2)", "About")
    assert free_names(None) == SheetNames()


@pytest.mark.parametrize(
    ("references", "left"),
    [
        ("A1:F3", "A1:B3 E1:F3"),
        ("C1:D3", ""),
        ("A1 C2 F9", "A1 F9"),
        ("B1:E9", "B1:B9 E1:E9"),
        ("C1:D9", ""),
        ("#REF! A1", "#REF! A1"),
    ],
)
def test_ranges_lose_only_our_columns(references: str, left: str) -> None:
    assert trimmed(references, Area(1, 1_048_576, 3, 4)) == left


def test_a_range_without_its_middle_has_four_sides() -> None:
    whole = parse_area("$A$1:E5")
    assert whole is not None

    assert [str(piece) for piece in whole.without(Area(2, 3, 2, 3))] == ["A1:A5", "B1:C1", "B4:C5", "D1:E5"]


def marked_sheet(path: Path, make: Callable[[xlsxwriter.Workbook, Worksheet], object], header: str) -> Path:
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Rubric")
        sheet.write_row(0, 0, ["id", "gpt score", "mine"])
        make(book, sheet)
    package = open_package(path)
    mark_columns(package, "Rubric", header)
    package.save(path)
    return path


@pytest.mark.parametrize(
    ("widths", "left"),
    [
        ([(0, 2, 20)], [("1", "1"), ("3", "3")]),
        ([(1, 1, 30)], []),
        ([(1, 16_383, 9)], [("2", "16384")]),
        ([(0, 0, 20), (1, 1, 30), (2, 16_383, 9)], [("1", "1"), ("2", "16384")]),
    ],
)
def test_widths_of_our_columns_go(
    tmp_path: Path, widths: list[tuple[int, int, int]], left: list[tuple[str, str]]
) -> None:
    def make(book: xlsxwriter.Workbook, sheet: Worksheet) -> None:
        for each in widths:
            sheet.set_column(*each)

    package = cleaned(marked_sheet(tmp_path / "widths.xlsx", make, "B1:B1"))
    columns = package.tree("xl/worksheets/sheet1.xml").iterfind("{*}cols/{*}col")

    assert [(column.get("min"), column.get("max")) for column in columns] == left


def test_rules_of_2010_are_trimmed_too(tmp_path: Path) -> None:
    def make(book: xlsxwriter.Workbook, sheet: Worksheet) -> None:
        sheet.conditional_format("A2:B3", {"type": "data_bar", "data_bar_2010": True})
        sheet.conditional_format("B2:B3", {"type": "data_bar", "data_bar_2010": True})
        sheet.data_validation("B2:B3", {"validate": "any", "input_message": "?", "input_title": "?"})
        sheet.data_validation("C2:C3", {"validate": "any", "input_message": "?", "input_title": "?"})

    root = cleaned(marked_sheet(tmp_path / "bars.xlsx", make, "B1")).tree("xl/worksheets/sheet1.xml")
    extended = [each.text for each in root.iter("*") if str(each.tag).endswith("}sqref")]
    validations = root.find("{*}dataValidations")

    assert extended == ["A2:A3"]
    assert [rules.get("sqref") for rules in root.iterfind("{*}conditionalFormatting")] == ["A2:A3"]
    assert validations is not None and validations.get("count") == "1"


def test_a_table_that_is_only_our_columns_stays(tmp_path: Path) -> None:
    def make(book: xlsxwriter.Workbook, sheet: Worksheet) -> None:
        sheet.add_table("B1:B3", {"columns": [{"header": "gpt score"}]})

    notes = remove_ours(open_package(marked_sheet(tmp_path / "only.xlsx", make, "B1"))).notes

    assert len(notes) == 1


def test_tables_and_filters_elsewhere_are_left_alone(tmp_path: Path) -> None:
    def make(book: xlsxwriter.Workbook, sheet: Worksheet) -> None:
        sheet.add_table("E1:F3")
        other = book.add_worksheet("Other")
        other.autofilter("A1:C3")
        sheet.autofilter("A1:A3")

    path = marked_sheet(tmp_path / "elsewhere.xlsx", make, "B1")
    before = open_package(path)
    package = cleaned(path)

    assert package.data("xl/tables/table1.xml") == before.data("xl/tables/table1.xml")
    assert openpyxl.load_workbook(path.with_name("cleaned.xlsx"))["Other"].auto_filter.ref == "A1:C3"


def test_authors_of_our_notes_go_with_them(tmp_path: Path) -> None:
    def make(book: xlsxwriter.Workbook, sheet: Worksheet) -> None:
        sheet.write_comment("A2", "the expert's", {"author": "expert"})
        sheet.write_comment("B2", "ours", {"author": "grader"})

    path = marked_sheet(tmp_path / "authors.xlsx", make, "B1")
    before = etree.tostring(open_package(path).tree("xl/comments1.xml"))
    after = etree.tostring(cleaned(path).tree("xl/comments1.xml"))

    assert b"<author>grader</author>" in before
    assert b"<author>grader</author>" not in after and b"<author>expert</author>" in after


def test_sorting_by_the_expert_s_own_columns_is_kept(tmp_path: Path) -> None:
    def make(book: xlsxwriter.Workbook, sheet: Worksheet) -> None:
        sheet.autofilter("A1:B3")

    path = marked_sheet(tmp_path / "sorted.xlsx", make, "B1")
    package = open_package(path)
    own_filter = package.touch("xl/worksheets/sheet1.xml").find("{*}autoFilter")
    assert own_filter is not None
    sorting = etree.SubElement(own_filter, main("sortState"), ref="A2:B3")
    etree.SubElement(sorting, main("sortCondition"), ref="A2:A3")
    package.save(path)

    after = cleaned(path).tree("xl/worksheets/sheet1.xml").find("{*}autoFilter")

    assert after is not None and after.get("ref") == "A1:A3"
    assert [each.get("ref") for each in after.iter("{*}sortState", "{*}sortCondition")] == ["A2:A3", "A2:A3"]
