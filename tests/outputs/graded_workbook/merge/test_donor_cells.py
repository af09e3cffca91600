from __future__ import annotations

from grader.outputs.graded_workbook.merge.donor_cells import DonorCells, split_cells
from grader.outputs.graded_workbook.merge.styles import StyleMap
from grader.outputs.graded_workbook.package import Package

STRINGS = b"<sst><si><t>one</t></si><si><r><t>t</t></r><r><t>wo</t></r></si><si><t> &lt;c r=&quot; </t></si></sst>"
STYLES = StyleMap({0: 0, 1: 21, 2: 22, 12: 9}, {})


def carried(cells: bytes) -> bytes:
    return b"".join(DonorCells(Package({"xl/sharedStrings.xml": STRINGS}), STYLES).carried(cells))


def test_cells_get_the_targets_styles_and_their_texts_inside() -> None:
    assert carried(
        b'<row r="1" spans="1:9" s="12" customFormat="1"><c r="A1" s="1" t="s"><v>0</v></c><c r="B1" s="2"/></row>'
        b'<row r="2" ht="20"><c r="A2" s="12" t="s"><v>1</v></c><c r="B2" s="1"><v>5</v></c></row>'
        b'<row r="3"><c r="AA3" s="2" t="inlineStr"><is><t>5" s="1" t="s"</t></is></c></row>'
    ) == (
        b'<row r="1" spans="1:9" s="9" customFormat="1"><c r="A1" s="21" t="inlineStr"><is><t>one</t></is></c>'
        b'<c r="B1" s="22"/></row><row r="2" ht="20"><c r="A2" s="9" t="inlineStr"><is><r><t>t</t></r><r><t>wo</t></r>'
        b'</is></c><c r="B2" s="21"><v>5</v></c></row>'
        b'<row r="3"><c r="AA3" s="22" t="inlineStr"><is><t>5" s="1" t="s"</t></is></c></row>'
    )


def test_an_empty_result_of_a_formula_is_a_text() -> None:
    assert carried(
        b'<c r="A1" s="1"><f>IF(1,"","")</f><v></v></c><c r="B1"><f>2</f><v></v></c>'
        b'<c r="C1" s="1"><f>2</f><v>2</v></c>'
    ) == (
        b'<c r="A1" s="21" t="str"><f>IF(1,"","")</f><v></v></c><c r="B1" t="str"><f>2</f><v></v></c>'
        b'<c r="C1" s="21"><f>2</f><v>2</v></c>'
    )


def test_large_sheets_are_carried_whole() -> None:
    rows = [b'<row r="%d"><c r="A%d" s="1" t="s"><v>2</v></c></row>' % (row, row) for row in range(1, 4_001)]
    expected = [
        b'<row r="%d"><c r="A%d" s="21" t="inlineStr"><is><t> &lt;c r=&quot; </t></is></c></row>' % (row, row)
        for row in range(1, 4_001)
    ]

    assert carried(b"".join(rows)) == b"".join(expected)


def test_a_donor_without_strings_has_none() -> None:
    assert list(DonorCells(Package({}), STYLES).carried(b"")) == []
    assert split_cells(b"<worksheet><sheetData/></worksheet>") == (
        b"<worksheet><sheetData>",
        b"",
        b"</sheetData></worksheet>",
    )
