"""Makes files that are meant to do harm, each the same on every run; odd but honest ones are in `odd_files`."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path

from odd_files import MAIN, OFFICE, PARTS, SHEET_PART, Write, cell_xml, rows_xml, sheet_xml, write_package

_LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
_BOMB = f'<?xml version="1.0"?><!DOCTYPE b [<!ENTITY l0 "lol">{_LAUGHS}]>'
_MIB = 1 << 20


def xml_bomb_workbook(path: Path) -> None:
    write_package(path, parts={"xl/workbook.xml": _BOMB + PARTS["xl/workbook.xml"].replace("Rubric", "&l9;")})


def xml_bomb_styles(path: Path) -> None:
    styles = (
        f'{_BOMB}<styleSheet xmlns="{MAIN}"><numFmts><numFmt numFmtId="164" formatCode="&l9;"/></numFmts></styleSheet>'
    )
    write_package(path, parts={"xl/styles.xml": styles})


def xml_bomb_rels(path: Path) -> None:
    write_package(path, parts={"_rels/.rels": _BOMB + PARTS["_rels/.rels"]})


def xml_quadratic_blowup_sheet(path: Path) -> None:
    """One entity of 50 kB, used 10,000 times: 500 MB of text without any nesting."""
    entity = f'<!DOCTYPE worksheet [<!ENTITY a "{"a" * 50_000}">]>'
    data = rows_xml() + f'<row r="5"><c r="A5" t="inlineStr"><is><t>{"&a;" * 10_000}</t></is></c></row>'
    write_package(path, entity + sheet_xml(data))


def doctype_behind_a_long_comment(path: Path) -> None:
    write_package(path, f"<!--{' ' * 300_000}-->{_BOMB[21:]}{sheet_xml()}")


def doctype_in_utf16(path: Path) -> None:
    write_package(path, f'<?xml version="1.0" encoding="UTF-16"?>{_BOMB[21:]}{sheet_xml()}'.encode("utf-16"))


def cell_bomb_1M_rows(path: Path) -> None:
    """A million rows of values that repeat little enough to pass the ratio of a zip bomb."""
    rows = "".join(f'<row r="{n}"><c r="A{n}"><v>{n * 7919 % 1000003}</v></c></row>' for n in range(5, 1_000_001))
    write_package(path, sheet_xml(rows_xml() + rows))


def cell_bomb_one_row(path: Path) -> None:
    """Rows of 16,384 cells each."""
    row = "".join(f"<c><v>{n * 7919 % 10007}</v></c>" for n in range(16_384))
    write_package(path, sheet_xml(rows_xml() + f"<row>{row}</row>" * 60))


def hyperlink_range_bomb(path: Path) -> None:
    links = '<hyperlinks><hyperlink ref="A1:XFD1048576" location="Rubric!A1" display="x"/></hyperlinks>'
    write_package(path, sheet_xml(after=links))


def datavalidation_whole_sheet(path: Path) -> None:
    rule = '<dataValidation type="list" sqref="A1:XFD1048576"><formula1>"a,b"</formula1></dataValidation>'
    write_package(path, sheet_xml(after=f'<dataValidations count="1">{rule}</dataValidations>'))


def merge_bomb_of_bands(path: Path) -> None:
    """10,000 merges, each as high as the sheet."""
    merges = "".join(f'<mergeCell ref="Z1:Z{1_048_576 - n}"/>' for n in range(10_000))
    write_package(path, sheet_xml(after=f"<mergeCells>{merges}</mergeCells>"))


def shared_formula_bomb(path: Path) -> None:
    formula = '<c r="G2"><f t="shared" ref="A1:XFD1048576" si="0">SUM(A:A)</f><v>1</v></c></row>'
    first, rest = rows_xml().split("</row>", 1)
    second, rest = rest.split("</row>", 1)
    write_package(path, sheet_xml(f"{first}</row>{second}{formula}{rest}"))


def columns_bomb(path: Path) -> None:
    columns = "".join('<col min="1" max="16384" width="9" style="0"/>' for _ in range(20_000))
    write_package(path, sheet_xml(before=f"<cols>{columns}</cols>"))


def corner_cells(path: Path) -> None:
    """A value in the first cell of each of 200 distant rows, and one in the last cell of the sheet."""
    far = "".join(f'<row r="{n}">{cell_xml(f"A{n}", n)}</row>' for n in range(5_000, 1_000_000, 5_000))
    write_package(path, sheet_xml(rows_xml() + far + f'<row r="1048576">{cell_xml("XFD1048576", 1)}</row>'))


def row_number_overflow(path: Path) -> None:
    write_package(
        path, sheet_xml(rows_xml() + f'<row r="99999999999999999999">{cell_xml("A99999999999999999999", 1)}</row>')
    )


def column_letters_overflow(path: Path) -> None:
    write_package(path, sheet_xml(rows_xml().replace("</row>", cell_xml("ZZZZZZZZZZZ1", 1) + "</row>", 1)))


def shared_string_of_50_MB(path: Path) -> None:
    text = ("".join(f"{n:x}" for n in range(900_000)) * 13)[: 50 * _MIB]
    strings = f'<sst xmlns="{MAIN}"><si><t>{text}</t></si></sst>'
    data = rows_xml() + "".join(f'<row r="{n}"><c r="A{n}" t="s"><v>0</v></c></row>' for n in range(5, 60))
    write_package(path, sheet_xml(data), parts={"xl/sharedStrings.xml": strings})


def defined_names_bomb(path: Path) -> None:
    names = "".join(f'<definedName name="_grader_{n}">{"A!$A$1," * 20}</definedName>' for n in range(40_000))
    workbook = PARTS["xl/workbook.xml"].replace("</sheets>", f"</sheets><definedNames>{names}</definedNames>")
    write_package(path, parts={"xl/workbook.xml": workbook})


def sheets_bomb(path: Path) -> None:
    """20,000 sheets, all the same part."""
    sheets = "".join(f'<sheet name="S{n}" sheetId="{n}" r:id="rId1"/>' for n in range(1, 20_001))
    workbook = f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{sheets}</sheets></workbook>'
    write_package(path, sheet_xml(rows_xml([("no", "header")])), parts={"xl/workbook.xml": workbook})


def zip_30000_parts(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as package:
        for part, content in {**PARTS, SHEET_PART: sheet_xml()}.items():
            package.writestr(zipfile.ZipInfo(part), content)
        for number in range(30_000):
            package.writestr(zipfile.ZipInfo(f"xl/media/image{number}.png"), b"")


def zip_bomb_of_styles(path: Path) -> None:
    write_package(path, parts={"xl/styles.xml": f'<styleSheet xmlns="{MAIN}">{" " * (50 * _MIB)}</styleSheet>'})


def zip_that_lies_about_its_size(path: Path) -> None:
    """The directory says that the sheet unpacks to 100 bytes; it is 20 MB."""
    write_package(path, sheet_xml(rows_xml() + " " * (20 * _MIB)))
    data = path.read_bytes()
    with zipfile.ZipFile(path) as package:
        size = package.getinfo(SHEET_PART).file_size
    path.write_bytes(data.replace(struct.pack("<I", size), struct.pack("<I", 100)))


def workbook_in_a_zip_in_a_workbook(path: Path) -> None:
    write_package(path)
    outer = io.BytesIO()
    with zipfile.ZipFile(outer, "w") as package:
        package.writestr(zipfile.ZipInfo("inner.xlsx"), path.read_bytes())
    with zipfile.ZipFile(path, "w") as package:
        package.writestr(zipfile.ZipInfo("outer.zip"), outer.getvalue())


def deep_nesting_in_the_index(path: Path) -> None:
    workbook = PARTS["xl/workbook.xml"].replace("</sheets>", f"</sheets>{'<a>' * 100_000}{'</a>' * 100_000}")
    write_package(path, parts={"xl/workbook.xml": workbook})


def csv_of_one_10_MB_cell(path: Path) -> None:
    path.with_suffix(".csv").write_text(f'id,criterion\nQ1,"{"word " * (2 * _MIB)}"\n', encoding="utf-8")


def csv_of_delimiters(path: Path) -> None:
    path.with_suffix(".csv").write_text("id,criterion\n" + "," * (10 * _MIB), encoding="utf-8")


def csv_of_quotes(path: Path) -> None:
    path.with_suffix(".csv").write_text("id,criterion\nQ1,a\n" + '"' * (5 * _MIB + 1), encoding="utf-8")


def csv_one_wide_row_and_many(path: Path) -> None:
    """A row of 20,000 cells above 20,000 rows of two: 400 million cells as a rectangle."""
    rows = "".join(f"Q{n},text\n" for n in range(20_000))
    path.with_suffix(".csv").write_text(f"id,criterion\n{',' * 20_000}\n{rows}", encoding="utf-8")


def csv_of_latin1_noise(path: Path) -> None:
    noise = bytes(160 + n * 7919 % 96 for n in range(_MIB))
    path.with_suffix(".csv").write_bytes(b"id,criterion\nQ1," + noise + b"\n")


HOSTILE: Mapping[str, Write] = {
    name: write
    for name, write in list(globals().items())
    if callable(write) and getattr(write, "__module__", "") == __name__ and not name.startswith("_")
}
"""Every file of this module by name."""
