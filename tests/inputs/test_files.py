"""Files as they come: cut off, mislabelled, made by other programs, or made to do harm."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.errors import InputError
from grader.inputs.criteria_workbook import read_criteria_workbook
from grader.inputs.package_intake import IntakeLimits, check_package
from grader.inputs.package_parts import read_index
from grader.inputs.tables import open_sheets

Make = Callable[..., Path]
Row = Callable[..., str]


@pytest.fixture
def good(row: Row) -> str:
    """Return the rows' XML of a small tiered sheet."""
    return row(1, "id", 25, 100) + row(2, "Q1", "a", "b") + row(3, "Q2", None, "c")


def refusal(path: Path, limits: IntakeLimits | None = None) -> str:
    with pytest.raises(InputError) as caught:
        read_criteria_workbook(path, limits=limits or IntakeLimits())
    assert str(path) in str(caught.value)
    assert caught.value.hint
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.xlsx", b"", "empty (0 bytes)"),
        ("a.csv", b"\xef\xbb\xbf", "nothing in it"),
        ("a.xls", b"<html><table></table></html>", "web page"),
        ("a.xls", b'<?xml version="1.0"?><Workbook/>', "flat XML"),
        ("a.xlsx", b"%PDF-1.7", "document or a picture"),
        ("a.xlsx", b"garbage\0\1\2", "no workbook, or a damaged one"),
        ("a.xlsx", b"PK\x03\x04 cut off", "cut off or damaged"),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 cut off", "damaged"),
        ("~$a.xlsx", b"Ada", "lock file"),
        ("a.csv", b"id,25\nQ1,a\0b\n", "NUL character"),
        ("a.csv", b'id,25\nQ1,"never closed\nQ2,b\n', "the quote opened in row 2 is never closed"),
        ("a.csv", b"id,25\nQ1,a,b\n", "row 2 has more cells than the header has columns (2)"),
    ],
)
def test_what_is_no_table_is_refused_with_its_cause(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert reason in refusal(path)


def test_a_missing_file_names_the_closest(tmp_path: Path) -> None:
    (tmp_path / "criteria.xlsx").touch()
    with pytest.raises(InputError, match="no such file") as caught:
        read_criteria_workbook(tmp_path / "critera.xlsx")
    assert caught.value.hint == "Check the path; the folder has 'criteria.xlsx'"
    with pytest.raises(InputError, match="no such file"):
        read_criteria_workbook(tmp_path / "nowhere" / "x.xlsx")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert "folder" in refusal(tmp_path)


def test_an_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match="cannot be opened: Permission denied"):
        read_criteria_workbook(tmp_path / "x.xlsx")


def test_a_zip_that_is_no_workbook(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as package:
        package.writestr("hello.txt", "hello")
    assert "no workbook" in refusal(tmp_path / "a.xlsx")


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"xl/worksheets/sheet1.xml": None}, "its sheet 'Criteria' is not in the file"),
        ({"xl/worksheets/sheet1.xml": "<worksheet"}, "its XML is broken"),
        ({"xl/workbook.xml": "<workbook"}, "damaged"),
        ({"../evil.xml": "x"}, "points outside"),
        ({"XL/Workbook.xml": "x"}, "in it twice"),
        ({"xl/a.xml": '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>'}, "DOCTYPE"),
        ({"xl/a.bin": "\n<!-- first -->\n<!DOCTYPE a><a/>".encode("utf-16")}, "DOCTYPE"),
        ({"xl/a.xml": "0" * 3_000_000}, "times when unpacked"),
    ],
)
def test_hostile_and_broken_packages_are_refused(
    make_package: Make, good: str, parts: dict[str, str | None], reason: str
) -> None:
    assert reason in refusal(make_package(good, parts=parts))


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (IntakeLimits(file_bytes=100), "it has 0 MB, and the limit is 0 MB"),
        (IntakeLimits(part_count=4), "5 parts"),
        (IntakeLimits(total_bytes=100), "limit is 0 MB"),
        (IntakeLimits(cell_count=3), "more than 3 filled cells"),
        (IntakeLimits(area=5), "reach over 3 rows and 3 columns"),
    ],
)
def test_limits_can_be_set(make_package: Make, good: str, limits: IntakeLimits, reason: str) -> None:
    assert reason in refusal(make_package(good), limits)


@pytest.mark.parametrize(("text_length", "fits"), [(1_000, True), (45, True), (39, False)])
def test_texts_that_many_cells_share(make_package: Make, tmp_path: Path, text_length: int, fits: bool) -> None:
    import odd_files

    strings = f'<sst xmlns="{odd_files.MAIN}"><si><t>{"x" * 20}</t></si><si><t>Criterion 1</t></si></sst>'
    data = odd_files.rows_xml()
    for cell, index in (("D2", 0), ("D3", 0)):
        data = data.replace(
            odd_files.cell_xml(cell, f"Criterion {int(cell[1]) - 1}"), f'<c r="{cell}" t="s"><v>{index}</v></c>'
        )
    path = tmp_path / "shared.xlsx"
    odd_files.write_package(path, odd_files.sheet_xml(data), parts={"xl/sharedStrings.xml": strings})
    limits = IntakeLimits(text_length=text_length)
    if fits:
        assert read_criteria_workbook(path, limits=limits).rows[1].criteria[0].text == "x" * 20
    else:
        assert "more than 39 characters" in refusal(path, limits)


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (IntakeLimits(total_bytes=9), "the limit is 0 MB"),
        (IntakeLimits(area=3), "[row 2]: the table reaches over 2 rows and 2 columns"),
        (IntakeLimits(cell_length=4), "[B2]: the cell has 5 characters"),
    ],
)
def test_limits_of_text_tables(tmp_path: Path, limits: IntakeLimits, reason: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,25\nQ1,abcde\n", encoding="utf-8")
    assert reason in refusal(path, limits)
    assert read_criteria_workbook(path, limits=limits.times(10)).rows


def test_an_xls_that_is_too_large_a_file_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.xls"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2 << 20))
    assert "refused as unsafe: it has 2 MB, and the limit is 1 MB" in refusal(path, IntakeLimits(file_bytes=1 << 20))
    assert "damaged" in refusal(path, IntakeLimits(file_bytes=1 << 20).times(3))


def test_too_many_merges(make_package: Make, good: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.inputs.sheet_scan._MERGE_LIMIT", 1)
    path = make_package(good, after='<mergeCells><mergeCell ref="A2:A3"/><mergeCell ref="B2:B3"/></mergeCells>')
    assert "more than 1 merged ranges" in refusal(path)


def test_merges_that_cover_too_much(make_package: Make, good: str) -> None:
    path = make_package(good, after="<mergeCells>" + '<mergeCell ref="A2:A3"/>' * 20 + "</mergeCells>")
    with pytest.raises(InputError, match="too many merged cells"):
        read_criteria_workbook(path, limits=IntakeLimits(cell_count=10))


def test_a_merge_over_the_whole_sheet_costs_nothing(make_package: Make, good: str) -> None:
    path = make_package(good, after='<mergeCells><mergeCell ref="E1:XFD1048576"/></mergeCells>')
    assert len(read_criteria_workbook(path).rows) == 2


def test_a_part_that_lies_about_its_size(make_package: Make, good: str) -> None:
    path = make_package(good)
    with zipfile.ZipFile(path) as package:
        size = package.getinfo("xl/worksheets/sheet1.xml").file_size
    path.write_bytes(path.read_bytes().replace(struct.pack("<I", size), struct.pack("<I", size - 9)))
    assert "damaged" in refusal(path)
    with pytest.raises(InputError, match="damaged"):
        check_package(path)  # before anything else would unpack it


def test_a_part_that_is_not_what_it_was_packed_as(make_package: Make, good: str) -> None:
    path = make_package(good, parts={"xl/large.xml": "<a>" + "".join(map(str, range(80_000)))})
    with zipfile.ZipFile(path) as package:
        checksum = package.getinfo("xl/large.xml").CRC
    path.write_bytes(path.read_bytes().replace(struct.pack("<I", checksum), struct.pack("<I", checksum ^ 1)))
    with pytest.raises(InputError, match="damaged"):
        check_package(path)


def test_an_encrypted_zip(make_package: Make, good: str) -> None:
    path = make_package(good)
    data = bytearray(path.read_bytes())
    start = data.find(b"PK\x01\x02")
    while start >= 0:
        data[start + 8] |= 1
        start = data.find(b"PK\x01\x02", start + 4)
    path.write_bytes(bytes(data))
    assert "password" in refusal(path)


def test_a_lone_value_in_the_last_cell_costs_nothing(make_package: Make, good: str) -> None:
    far = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    table = read_criteria_workbook(make_package(good + far))
    assert len(table.rows) == 2
    assert table.notes[0].endswith("left out, far from the table: what stands around XFD1048576")


def test_a_cell_that_names_another_row_than_its_own(make_package: Make, good: str) -> None:
    path = make_package(good + '<row r="4"><c r="XFD1048576"><v>1</v></c></row>')
    assert len(read_criteria_workbook(path).rows) == 2


def test_a_far_value_in_a_package_that_only_one_reader_takes(make_package: Make, good: str) -> None:
    far = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    path = make_package(
        good + far, parts={"xl/styles.xml": "<styleSheet xmlns='urn:odd'/>", "[Content_Types].xml": "<T/>"}
    )
    assert "too far away to read" in refusal(path)


def test_parts_named_with_backslashes(make_package: Make, good: str) -> None:
    path = make_package(good, rename=lambda name: name.replace("/", "\\"))
    assert len(read_criteria_workbook(path).rows) == 2


def test_parts_in_utf16(make_package: Make, good: str) -> None:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    xml = f'<?xml version="1.0" encoding="UTF-16"?><worksheet xmlns="{main}"><sheetData>{good}</sheetData></worksheet>'
    path = make_package(parts={"xl/worksheets/sheet1.xml": xml.encode("utf-16")})
    assert [row.item_id for row in read_criteria_workbook(path).rows] == ["Q1", "Q2"]


def test_cells_and_rows_without_names(make_package: Make) -> None:
    def text(value: str) -> str:
        return f'<c t="inlineStr"><is><t>{value}</t></is></c>'

    rows = f"<row>{text('id')}<c><v>25</v></c></row><row>{text('Q1')}<c t='e'><v>#N/A</v></c></row>"
    with pytest.raises(InputError, match=r"Criteria!B2\]: the cell shows the error #N/A"):
        read_criteria_workbook(make_package(rows))


def test_no_value_can_be_read_from_a_sheet_that_has_some(make_package: Make) -> None:
    assert "none can be read" in refusal(make_package('<row r="1"><c r="A1"><v></v></c></row>'))


def test_texts_longer_than_excel_allows_are_read_whole_and_said(make_package: Make, row: Row) -> None:
    path = make_package(row(1, "id", 25) + row(2, "Q1", "x" * 40_000))
    table = read_criteria_workbook(path)
    assert len(table.rows[0].criteria[0].text) == 40_000
    assert "[Criteria!B2]: the cell has 40,000 characters" in table.notes[0]


def test_a_cell_with_more_than_anybody_reads(make_package: Make, row: Row) -> None:
    path = make_package(row(1, "id", 25) + row(2, "Q1", "x" * 40_000))
    assert "[Criteria!B2]: the cell has 40,000 characters" in refusal(path, IntakeLimits(cell_length=35_000))


def test_only_hidden_sheets(make_workbook: Make) -> None:
    path = make_workbook({"a": [["id", 25], ["Q1", "x"]], "b": []}, hide_sheets=["a"])
    assert "[b]" in refusal(path)
    assert read_criteria_workbook(path, sheet="a").sheet == "a"


def test_a_workbook_with_nothing_to_see(make_package: Make, good: str) -> None:
    path = make_package(good)
    with zipfile.ZipFile(path) as package:
        workbook = package.read("xl/workbook.xml").decode().replace("<sheet name", '<sheet state="hidden" name')
    assert "no worksheet that is not hidden" in refusal(make_package(good, parts={"xl/workbook.xml": workbook}))


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"_rels/.rels": None}, "does not say where its contents are"),
        ({"_rels/.rels": "<Relationships"}, "its part '_rels/.rels' is broken"),
        ({"xl/_rels/workbook.xml.rels": None}, "its sheet 'Criteria' is not in the file"),
    ],
)
def test_a_package_that_has_lost_its_index(
    make_package: Make, good: str, parts: dict[str, str | None], reason: str
) -> None:
    with pytest.raises(InputError, match=reason):
        read_index(make_package(good, parts=parts))


def make_ods(path: Path, table: str) -> Path:
    office, tables, text = (f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0" for name in ("office", "table", "text"))
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        package.writestr(
            "META-INF/manifest.xml", '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
        )
        package.writestr(
            "content.xml",
            f'<office:document-content xmlns:office="{office}" xmlns:table="{tables}" xmlns:text="{text}"><office:body>'
            f'<office:spreadsheet><table:table table:name="S">{table}</table:table></office:spreadsheet>'
            "</office:body></office:document-content>",
        )
    return path


def ods_row(*values: str, repeated: str = "") -> str:
    cells = "".join(
        f'<table:table-cell {repeated} office:value-type="string"><text:p>{v}</text:p></table:table-cell>'
        for v in values
    )
    return f"<table:table-row>{cells}</table:table-row>"


def test_an_opendocument_sheet(tmp_path: Path) -> None:
    blank = '<table:table-row table:number-rows-repeated="1048000"><table:table-cell/></table:table-row>'
    path = make_ods(tmp_path / "a.ods", ods_row("id", "25") + ods_row("Q1", "a") + blank)
    assert read_criteria_workbook(path).rows[0].item_id == "Q1"


def test_an_opendocument_bomb(tmp_path: Path) -> None:
    row = ods_row("x", repeated='table:number-columns-repeated="16384"')
    path = make_ods(
        tmp_path / "a.ods", row.replace("<table:table-row", '<table:table-row table:number-rows-repeated="9999"')
    )
    assert "reach over 163,823,616 cells" in refusal(path)


def test_a_broken_opendocument_sheet(tmp_path: Path) -> None:
    assert "damaged" in refusal(make_ods(tmp_path / "a.ods", "</broken>"))


def test_a_panic_in_the_library_is_a_damaged_file(make_workbook: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        pass

    def panic(_: str) -> None:
        raise PanicException("index out of bounds")

    import python_calamine

    monkeypatch.setattr(python_calamine, "CalamineWorkbook", type("W", (), {"from_path": staticmethod(panic)}))
    assert "damaged" in refusal(make_workbook())
    monkeypatch.setattr(python_calamine, "CalamineWorkbook", type("W", (), {"from_path": staticmethod(_interrupt)}))
    with pytest.raises(KeyboardInterrupt):
        read_criteria_workbook(make_workbook())


def _interrupt(_: str) -> None:
    raise KeyboardInterrupt


def test_a_good_package_passes(make_workbook: Make) -> None:
    check_package(make_workbook())


def rows_of(path: Path, encoding: str | None = None) -> list[list[object]]:
    return [list(row) for row in next(iter(open_sheets(path, encoding=encoding))).rows]


TABLE = "課題ID,採点基準,配点\r\nT001,用量を明記する,3\r\n00123,「表」と「能」,2\r\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "shift_jis"])
def test_text_tables_in_the_encodings_of_spreadsheets(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(TABLE.encode(encoding))
    sheet = next(iter(open_sheets(path)))
    assert sheet.rows[2] == ["00123", "「表」と「能」", "2"]
    assert [("shift_jis" in note) for note in sheet.notes] == ([True] if encoding == "shift_jis" else [])


def test_chinese_and_western_encodings(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("编号,问题,评分标准\r\n1,患者发热怎么办,提到对乙酰氨基酚\r\n".encode("gb18030"))
    assert rows_of(path)[1][1] == "患者发热怎么办"
    path.write_bytes("id;Größe\r\n1;naïve “smart” €\r\n".encode("cp1252"))
    assert rows_of(path) == [["id", "Größe"], ["1", "naïve “smart” €"]]
    assert rows_of(path, encoding="latin-1")[1] == ["1", "naïve \x93smart\x94 \x80"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("id\t25\nQ1\tabc\n".encode(encoding))
    sheet = next(iter(open_sheets(path)))
    assert list(sheet.rows) == [["id", "25"], ["Q1", "abc"]]
    assert "UTF-16" in sheet.notes[0]


@pytest.mark.parametrize(("encoding", "reason"), [("nonsense", "no encoding called"), ("ascii", "not ascii: byte 10")])
def test_an_encoding_that_does_not_fit(tmp_path: Path, encoding: str, reason: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"id,25\nQ1,a\xff\xfe\n")
    with pytest.raises(InputError, match=reason):
        rows_of(path, encoding=encoding)


def test_an_encoding_that_cannot_be_guessed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import charset_normalizer

    monkeypatch.setattr(charset_normalizer, "from_bytes", lambda *_, **__: charset_normalizer.CharsetMatches())
    path = tmp_path / "a.csv"
    path.write_bytes(b"id,25\nQ1,a\xff\n")
    assert "encoding is not clear" in refusal(path)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("sep=;\r\nid;a,b\r\n1;2\r\n", [["id", "a,b"], ["1", "2"]]),
        ("id|text\n1|a,b,c\n2|d,e\n", [["id", "text"], ["1", "a,b,c"], ["2", "d,e"]]),
        ("A title\nid,25\n1,a\n", [["A title", ""], ["id", "25"], ["1", "a"]]),
        ('id,25\r1,"a\nb"\r2,c\nd\r', [["id", "25"], ["1", "a\nb"], ["2", "c\nd"]]),
        ("id,25\n\nNA,nan\n", [["id", "25"], ["", ""], ["NA", "nan"]]),
        ("id\n1\n", [["id"], ["1"]]),
    ],
)
def test_delimiters_and_line_ends(tmp_path: Path, text: str, rows: list[list[str]]) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode())
    assert rows_of(path) == rows


def test_a_cell_too_long_for_the_sniffer(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f'id,25\n1,"{"x" * 150_000}"\n', encoding="utf-8")
    assert len(str(rows_of(path)[1][1])) == 150_000
