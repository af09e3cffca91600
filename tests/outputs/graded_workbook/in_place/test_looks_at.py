"""What looks at cells from places that few programs write to: shapes, controls, pivot tables, shared formulas."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from grader.outputs.graded_workbook.area import Area
from grader.outputs.graded_workbook.in_place.looks_at import growing_reference, what_looks_at
from grader.outputs.graded_workbook.in_place.occupied import what_stands_on
from grader.outputs.graded_workbook.lint import read_written
from grader.outputs.graded_workbook.write import WrittenWorkbook

Annotate = Callable[..., WrittenWorkbook]
MakeBook = Callable[..., Path]
Repacked = Callable[[Path, Mapping[str, bytes | None]], Path]

OURS = Area(1, 4, 5, 10)
SHEET = "xl/worksheets/sheet1.xml"
PIVOT = (
    b'<pivotCacheDefinition xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cacheSource '
    b'type="worksheet"><worksheetSource ref="A1:H4" sheet="Rubric"/></cacheSource></pivotCacheDefinition>'
)


def part(path: Path, name: str) -> bytes:
    with zipfile.ZipFile(path) as archive:
        return archive.read(name)


def test_the_text_of_a_shape(book: MakeBook) -> None:
    def change(workbook: Any, sheet: Any) -> None:
        workbook.add_worksheet("Notes").insert_textbox("A1", "x", {"textlink": "=Rubric!$E$2"})

    found = what_looks_at(read_written(book(change)), "Rubric", OURS)

    assert found == "a shape or control looks at E2"


def test_a_form_control_is_linked_to_a_cell_of_its_own_sheet(book: MakeBook, repacked: Repacked) -> None:
    path = book(lambda _, sheet: sheet.insert_button("M2", {}))
    vml = part(path, "xl/drawings/vmlDrawing1.vml")
    linked = vml.replace(b"</x:ClientData>", b"<x:FmlaLink>$F$3</x:FmlaLink></x:ClientData>")

    found = what_looks_at(read_written(repacked(path, {"xl/drawings/vmlDrawing1.vml": linked})), "Rubric", OURS)

    assert found == "a form control looks at F3"


def test_a_pivot_table(book: MakeBook) -> None:
    package = read_written(book())
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.pivotCacheDefinition+xml"
    package.add("xl/pivotCache/pivotCacheDefinition1.xml", PIVOT, kind)

    assert what_looks_at(package, "Rubric", OURS) == "a pivot table looks at A1:H4"


@pytest.mark.parametrize(("filled", "is_found"), [("L2:M2", True), ("L2", False)])
def test_a_shared_formula_looks_where_each_of_its_cells_does(
    book: MakeBook, repacked: Repacked, filled: str, is_found: bool
) -> None:
    path = book(lambda _, sheet: sheet.write("L2", 1))
    shared = re.sub(
        rb'<c r="L2"><v>1</v></c>',
        f'<c r="L2"><f t="shared" ref="{filled}" si="0">D2</f><v>1</v></c>'.encode(),
        part(path, SHEET),
    )

    found = what_looks_at(read_written(repacked(path, {SHEET: shared})), "Rubric", OURS)

    assert (found is not None) is is_found


def test_an_array_that_reaches_in(book: MakeBook) -> None:
    package = read_written(book(lambda _, sheet: sheet.write_array_formula("E2:F3", "{=A2:B3}")))

    assert what_looks_at(package, "Rubric", OURS) == "an array formula fills E2:F3"


def test_the_formulas_of_a_table_refer_too(book: MakeBook) -> None:
    columns = [{"header": "a"}, {"header": "b", "formula": "=COUNTA(tblCriteria)"}]
    path = book(lambda workbook, _: workbook.add_worksheet("S").add_table("A1:B2", {"columns": columns}))

    found = growing_reference(read_written(path), "tblCriteria")

    assert found is not None and "as a whole" in found


@pytest.mark.parametrize(
    ("anchor", "is_there"),
    [
        ("<xdr:oneCellAnchor><xdr:from><xdr:col>0</xdr:col><xdr:row>1</xdr:row></xdr:from>"
         '<xdr:ext cx="3600000" cy="900000"/></xdr:oneCellAnchor>', True),
        ("<xdr:oneCellAnchor><xdr:from><xdr:col>0</xdr:col><xdr:row>1</xdr:row></xdr:from>"
         '<xdr:ext cx="600000" cy="900000"/></xdr:oneCellAnchor>', False),
        ('<xdr:absoluteAnchor><xdr:pos x="0" y="0"/><xdr:ext cx="9000000" cy="900000"/></xdr:absoluteAnchor>', True),
    ],
)  # fmt: skip
def test_pictures_that_say_only_how_large_they_are(
    book: MakeBook, repacked: Repacked, anchor: str, is_there: bool
) -> None:
    path = book(lambda _, sheet: sheet.insert_textbox("M20", "x"))
    drawing = (
        f'<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing">{anchor}</xdr:wsDr>'
    )
    package = read_written(repacked(path, {"xl/drawings/drawing1.xml": drawing.encode()}))

    assert (what_stands_on(package, SHEET, OURS) is not None) is is_there
