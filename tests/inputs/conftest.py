"""Makes the small workbooks and packages that these tests read."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import openpyxl
import pytest

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"

PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="xml" '
    'ContentType="application/xml"/><Override PartName="/xl/workbook.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
    '<sheet name="Criteria" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}

MakeWorkbook = Callable[..., Path]
MakePackage = Callable[..., Path]

TIERED: Sequence[Sequence[object]] = [
    ["'query id'", 25, 50, 100],
    [1, "(1) a\n(2) b", None, "(1) c"],
    [2, None, "only this", None],
]


@pytest.fixture
def make_workbook(tmp_path: Path) -> MakeWorkbook:
    """Return a function that writes rows (or sheets of rows by name) into a workbook and returns its path."""

    def make(
        rows: Sequence[Sequence[object]] | Mapping[str, Sequence[Sequence[object]]] = TIERED,
        *,
        name: str = "criteria.xlsx",
        merge: Sequence[str] = (),
        hide_rows: Sequence[int] = (),
        hide_sheets: Sequence[str] = (),
    ) -> Path:
        workbook = openpyxl.Workbook()
        workbook.remove(workbook.worksheets[0])
        for title, sheet_rows in (rows if isinstance(rows, Mapping) else {"Sheet1": rows}).items():
            sheet = workbook.create_sheet(title)
            for row in sheet_rows:
                sheet.append(list(row))
            for cells in merge:
                sheet.merge_cells(cells)
            for number in hide_rows:
                sheet.row_dimensions[number].hidden = True
            if title in hide_sheets:
                sheet.sheet_state = "hidden"
        path = tmp_path / name
        workbook.save(path)
        return path

    return make


@pytest.fixture
def make_package(tmp_path: Path) -> MakePackage:
    """Return a function that writes a raw .xlsx around the XML of one sheet's rows."""

    def make(
        data: str = "",
        *,
        name: str = "raw.xlsx",
        after: str = "",
        parts: Mapping[str, str | bytes | None] | None = None,
        rename: Callable[[str], str] = str,
    ) -> Path:
        sheet = f'<worksheet xmlns="{MAIN}"><sheetData>{data}</sheetData>{after}</worksheet>'
        path = tmp_path / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
            for part, content in {**PARTS, "xl/worksheets/sheet1.xml": sheet, **(parts or {})}.items():
                if content is not None:
                    info = zipfile.ZipInfo("x")
                    info.filename = rename(part)
                    package.writestr(info, content, zipfile.ZIP_DEFLATED)
        return path

    return make


def row_xml(number: int, *values: object) -> str:
    """Return a row's XML, numbers as numbers and all else as inline text."""
    cells = ""
    for column, value in zip("ABCDEFGH", values, strict=False):
        if isinstance(value, int):
            cells += f'<c r="{column}{number}"><v>{value}</v></c>'
        elif value is not None:
            cells += f'<c r="{column}{number}" t="inlineStr"><is><t>{value}</t></is></c>'
    return f'<row r="{number}">{cells}</row>'


@pytest.fixture
def row() -> Callable[..., str]:
    """Return `row_xml`, as test files cannot import each other."""
    return row_xml
