from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import openpyxl
import pytest

from grader.outputs.graded_workbook.lint import check_copy, read_written
from grader.outputs.graded_workbook.merge.merging import merge_donor
from grader.outputs.graded_workbook.merge.properties import merge_properties
from grader.outputs.graded_workbook.merge.styles import merge_styles, width_unit
from grader.outputs.graded_workbook.ooxml import MAIN, main
from grader.outputs.graded_workbook.opening import open_package
from grader.outputs.graded_workbook.package import CONTENT_TYPES_PART, Package, Unpatchable
from grader.outputs.graded_workbook.write import WrittenWorkbook
from grader.records import Grade

Write = Callable[..., WrittenWorkbook]
Make = Callable[..., Grade]
Repack = Callable[[Path, Mapping[str, bytes | None]], Path]

STYLES = f'<styleSheet xmlns="{MAIN}">{{}}</styleSheet>'


@pytest.fixture
def donor(write: Write, grade: Make) -> Package:
    return open_package(write([grade()]).path)


def part(path: Path, name: str) -> bytes:
    with zipfile.ZipFile(path) as archive:
        return archive.read(name)


def cell_formats(package: Package) -> list[dict[str, str]]:
    formats = package.tree("xl/styles.xml").iterfind(f"{main('cellXfs')}/{main('xf')}")
    return [{str(name): str(value) for name, value in each.attrib.items()} for each in formats]


def number_formats(package: Package) -> list[tuple[str, str]]:
    """Return each number with its code, those of conditional formatting too."""
    entries = package.tree("xl/styles.xml").iter(main("numFmt"))
    return [(str(each.get("numFmtId")), str(each.get("formatCode"))) for each in entries]


def test_their_formats_keep_their_numbers_and_ours_follow(criteria_path: Path, donor: Package) -> None:
    target = open_package(criteria_path)
    before = cell_formats(read_written(criteria_path))

    styles = merge_styles(target, donor)
    after = cell_formats(target)

    assert after[: len(before)] == before
    assert styles.formats[0] == 0
    assert sorted(styles.formats.values())[1:] == list(range(len(before), len(after)))


def test_our_number_formats_get_numbers_of_their_own(write: Write, grade: Make, criteria_path: Path) -> None:
    book = openpyxl.load_workbook(write([grade()], criteria_path).path)

    assert book["Criteria"]["B2"].number_format == "0.000 \\x"
    assert book["Review"]["O2"].number_format == "+General;-General;0"


def test_a_number_format_has_one_meaning_in_cells_and_in_conditional_formatting(
    write: Write, grade: Make, criteria_path: Path, tmp_path: Path
) -> None:
    first = write([grade()], criteria_path, blind_count=1)  # has a number format that the next one has not
    before = number_formats(open_package(first.path))
    graded = tmp_path / "graded before.xlsx"
    first.path.rename(graded)

    after = number_formats(open_package(write([grade()], graded).path))

    assert len(dict(after)) == len({code for _, code in after}) == len(set(after))
    assert sorted(after) == sorted(before)


@pytest.mark.filterwarnings("ignore:Workbook contains no default style")
@pytest.mark.parametrize("styles", ["", "<cellXfs count='0'/>", "<fonts><font/></fonts>"])
def test_a_poor_style_sheet_is_completed_and_plain_cells_stay_plain(
    write: Write, grade: Make, criteria_path: Path, repacked: Repack, styles: str
) -> None:
    sheet = f'<worksheet xmlns="{MAIN}"><sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData></worksheet>'
    tables = {"xl/worksheets/_rels/sheet1.xml.rels": None, "xl/worksheets/sheet1.xml": sheet.encode()}
    repacked(criteria_path, {**tables, "xl/styles.xml": STYLES.format(styles).encode()})

    written = write([grade()], criteria_path)
    cell = openpyxl.load_workbook(written.path)["Criteria"]["A1"]

    assert written.notes == ()
    assert (cell.value, cell.font.b, cell.fill.fill_type) == (1, False, None)


def test_a_workbook_without_styles_gets_ours(write: Write, grade: Make, criteria_path: Path, repacked: Repack) -> None:
    rels = part(criteria_path, "xl/_rels/workbook.xml.rels")
    types = part(criteria_path, CONTENT_TYPES_PART)
    start = rels.index(b"<Relationship ", rels.index(b"theme"))
    cut = rels[:start] + rels[rels.index(b"/>", start) + 2 :]
    assert b"styles" not in cut
    first = types.index(b'<Override PartName="/xl/styles.xml"')
    types = types[:first] + types[types.index(b"/>", first) + 2 :]
    repacked(criteria_path, {"xl/_rels/workbook.xml.rels": cut, CONTENT_TYPES_PART: types, "xl/styles.xml": None})

    written = write([grade()], criteria_path)

    assert written.notes == ()
    assert openpyxl.load_workbook(written.path)["Review"]["C1"].font.b


@pytest.mark.parametrize(
    ("styles", "reason"),
    [
        (STYLES.format("<numFmts><numFmt numFmtId='x' formatCode='0'/></numFmts>"), "damaged"),
        (STYLES.format("<cellXfs>" + "<xf/>" * 64_000 + "</cellXfs>"), "as many cell formats"),
    ],
)
def test_styles_that_cannot_take_ours_are_left_alone(
    criteria_path: Path, donor: Package, repacked: Repack, styles: str, reason: str
) -> None:
    repacked(criteria_path, {"xl/styles.xml": styles.encode()})

    with pytest.raises(Unpatchable, match=reason):
        merge_styles(open_package(criteria_path), donor)


@pytest.mark.parametrize(("size", "unit"), [("11", 1.0), ("22", 2.0), ("x", 1.0), ("1000", 3.0)])
def test_widths_follow_the_size_of_the_standard_font(
    criteria_path: Path, repacked: Repack, size: str, unit: float
) -> None:
    fonts = f"<fonts><font><sz val='{size}'/></font></fonts>"

    assert width_unit(open_package(repacked(criteria_path, {"xl/styles.xml": STYLES.format(fonts).encode()}))) == unit


def test_properties_are_added_beside_theirs_and_replaced_on_the_next_run(criteria_path: Path) -> None:
    merge_properties(theirs := open_package(criteria_path), {"Ward": "7"})
    theirs.touch("docProps/custom.xml")[0].set("name", "Ward")
    theirs.save(criteria_path)
    package = open_package(criteria_path)

    for run in ("run-1", "run-2 " + "x" * 300):
        merge_properties(package, {"Run": run})
    package.save(criteria_path)
    properties = {
        each.get("name"): each[0].text or "" for each in open_package(criteria_path).tree("docProps/custom.xml")
    }

    assert properties["Ward"] == "7"
    assert properties["grader Run"].startswith("run-2 x")
    assert len(properties["grader Run"]) == 255
    assert len(properties) == 2


def test_no_facts_set_no_properties(criteria_path: Path) -> None:
    package = open_package(criteria_path)

    merge_properties(package, {})

    assert package.changed_names == frozenset()


@pytest.mark.parametrize(
    ("name", "old", "new", "reason"),
    [
        ("xl/workbook.xml", b'sheetId="1"', b'sheetId="one"', "a sheet has no number"),
        ("xl/tables/table1.xml", b' id="1" name="tbl', b' id="" name="tbl', "a table has no number"),
    ],
)
def test_numbers_that_are_none_are_refused_in_words(
    criteria_path: Path, donor: Package, repacked: Repack, name: str, old: bytes, new: bytes, reason: str
) -> None:
    data = part(criteria_path, name)
    assert old in data
    repacked(criteria_path, {name: data.replace(old, new)})

    with pytest.raises(Unpatchable, match=reason):
        merge_donor(open_package(criteria_path), donor, {})


def test_odd_but_allowed_packages_are_patched(write: Write, grade: Make, criteria_path: Path, repacked: Repack) -> None:
    book = part(criteria_path, "xl/workbook.xml")
    start, end = book.index(b"<bookViews>"), book.index(b"</bookViews>") + len(b"</bookViews>")
    rels = part(criteria_path, "xl/_rels/workbook.xml.rels")
    repacked(
        criteria_path,
        {
            "xl/workbook.xml": book[:start] + b"<!-- no views -->" + book[end:],
            "xl/_rels/workbook.xml.rels": rels.replace(b'Target="worksheets/', b'Target="/xl/worksheets/'),
            "xl/worksheets/Sheet3.xml": b"<an-orphan/>",
        },
    )

    written = write([grade()], criteria_path)

    assert written.notes == ()
    assert b"<bookViews><workbookView/></bookViews>" in part(written.path, "xl/workbook.xml")
    assert part(written.path, "xl/worksheets/Sheet3.xml") == b"<an-orphan/>"


def test_the_check_finds_what_excel_would_repair(write: Write, grade: Make, criteria_path: Path) -> None:
    path = write([grade()], criteria_path).path
    source = open_package(criteria_path)
    copy = open_package(path)
    touched = {name for name in source.original if source.original[name] != copy.original.get(name)}
    assert check_copy(open_package(criteria_path), path, touched=touched) == []
    review = copy.sheets()["Review"]
    table = next(relation.target for relation in copy.relations(review) if relation.kind == "table")

    damage: dict[str, Callable[[dict[str, bytes]], None]] = {
        "Review' is there 2 times|'review' is there 2 times": lambda parts: edit(
            parts, "xl/workbook.xml", b'name="About"', b'name="REVIEW"'
        ),
        "the sheet id '1' is there 2 times": lambda parts: edit(
            parts, "xl/workbook.xml", b'sheetId="3"', b'sheetId="1"'
        ),
        "is not allowed": lambda parts: edit(parts, "xl/workbook.xml", b'name="About"', b'name="A:b"'),
        "a sheet that does not exist": lambda parts: edit(
            parts, "xl/workbook.xml", b'localSheetId="2"', b'localSheetId="9"'
        ),
        "the defined name": lambda parts: edit(
            parts, "xl/workbook.xml", b"</definedNames>", b'<definedName name="dose">1</definedName></definedNames>'
        ),
        "stands behind": lambda parts: edit(parts, "xl/workbook.xml", b"<bookViews>", b"<calcPr/><bookViews>"),
        "the table id '1' is there 2 times": lambda parts: edit(parts, table, b' id="2"', b' id="1"'),
        "the table name 'tblcriteria'": lambda parts: edit(
            parts, table, b'displayName="tblReview"', b'displayName="TBLCRITERIA"'
        ),
        "the column of table": lambda parts: edit(parts, table, b'name="Answer"', b'name="verdict"'),
        "do not match its cells": lambda parts: edit(parts, table, b'name="Answer"', b'name="Reply"'),
        "style 9999 of cellXfs": lambda parts: edit(parts, review, b'<c r="C1" s="', b'<c r="C1" s="9999" x="'),
        "refers to a relation": lambda parts: edit(parts, review, b'<tablePart r:id="', b'<tablePart r:id="x'),
        "which is not there": lambda parts: edit(
            parts, "xl/_rels/workbook.xml.rels", b'Target="worksheets/sheet4.xml"', b'Target="worksheets/x.xml"'
        ),
        "relations rId1": lambda parts: edit(parts, "xl/_rels/workbook.xml.rels", b'Id="rId2"', b'Id="rId1"'),
        "has no content type": lambda parts: parts.update({"xl/x.unknown": b""}),
        "has a content type, but is not there|2 content types": lambda parts: edit(
            parts, CONTENT_TYPES_PART, b'PartName="/docProps/custom.xml"', b'PartName="/xl/workbook.xml"'
        ),
        "xl/worksheets/sheet1.xml was changed": lambda parts: edit(
            parts, "xl/worksheets/sheet1.xml", b"</worksheet>", b"<!-- x --></worksheet>"
        ),
        "there are no styles": lambda parts: edit(
            parts, "xl/_rels/workbook.xml.rels", b"relationships/styles", b"relationships/other"
        ),
    }
    for expected, damaging in damage.items():
        parts = dict(copy.original)
        damaging(parts)
        broken = path.with_name("broken.xlsx")
        Package(parts).save(broken)
        problems = "\n".join(check_copy(open_package(criteria_path), broken, touched=touched))
        assert any(words in problems for words in expected.split("|")), (expected, problems)


def edit(parts: dict[str, bytes], name: str, old: bytes, new: bytes) -> None:
    assert old in parts[name], (name, old)
    parts[name] = parts[name].replace(old, new, 1)


def test_faults_that_were_there_before_are_not_ours(
    write: Write, grade: Make, criteria_path: Path, repacked: Repack
) -> None:
    rels = part(criteria_path, "xl/_rels/workbook.xml.rels").replace(b"theme/theme1.xml", b"theme/gone.xml")
    repacked(criteria_path, {"xl/_rels/workbook.xml.rels": rels})

    assert write([grade()], criteria_path).notes == ()
