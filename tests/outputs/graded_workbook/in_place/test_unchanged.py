"""Whatever is changed beside our columns must be found, and nothing else; a quick look must not overlook it."""

from __future__ import annotations

import pytest

from grader.outputs.graded_workbook.in_place import unchanged
from grader.outputs.graded_workbook.in_place.place import Place
from grader.outputs.graded_workbook.in_place.refusal import NotInPlace
from grader.outputs.graded_workbook.in_place.unchanged import changed_beside_ours
from grader.outputs.graded_workbook.ooxml import MAIN
from grader.outputs.graded_workbook.package import Package, Unpatchable

PART = "xl/worksheets/sheet1.xml"
PLACE = Place(sheet="Rubric", part=PART, header_row=1, last_row=3, first_column=3, last_column=4, headers=())
BEFORE = [
    '<row r="1" spans="1:2" ht="20"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>',
    '<row r="2" spans="1:2"><c r="A2"><v>1</v></c><c r="B2" s="1" t="s"><v>2</v></c></row>',
    '<row r="3"><c r="A3"><v>2</v></c></row>',
    '<row r="5"><c r="A5"><f>A2+A3</f><v>3</v></c></row>',
]
OURS = '<c r="C{0}" s="7"><v>50</v></c><c r="D{0}" t="inlineStr"><is><t>met &amp; all</t></is></c>'
AFTER = [
    f'<row r="{number}"{" ht=" + chr(34) + "20" + chr(34) if number == 1 else ""}>'
    + row.split(">", 1)[1].replace("</row>", OURS.format(number) + "</row>")
    for number, row in zip((1, 2, 3), BEFORE, strict=False)
] + BEFORE[3:]


def sheet(rows: list[str], around: str = '<cols><col min="1" max="2" width="9"/></cols>') -> bytes:
    text = "".join(rows)
    return f'<worksheet xmlns="{MAIN}">{around}<sheetData>{text}</sheetData><pageMargins/></worksheet>'.encode()


def found(after: bytes, before: bytes | None = None) -> list[str]:
    return changed_beside_ours(before or sheet(BEFORE), Package({PART: after}), PLACE)


def test_rows_with_our_cells_behind_are_not_looked_at_cell_by_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unchanged, "_digests", None)

    assert found(sheet(AFTER)) == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('A2"><v>1</v>', 'A2"><v>9</v>', "row 2 of the sheet Rubric changed"),
        ('s="1" t="s"', 's="2" t="s"', "row 2 of the sheet Rubric changed"),
        ('s="1" t="s"', 's="1"', "row 2 of the sheet Rubric changed"),
        ('<c r="A2"><v>1</v></c>', "", "row 2 of the sheet Rubric changed"),
        ('<c r="B2" s="1" t="s"><v>2</v></c>', "", "row 2 of the sheet Rubric changed"),
        ("<f>A2+A3</f>", "<f>A2+A4</f>", "row 5 of the sheet Rubric changed"),
        (' ht="20"', "", "row 1 of the sheet Rubric changed"),
        ('<row r="3">', '<row r="3" hidden="1">', "row 3 of the sheet Rubric changed"),
        (BEFORE[3], "", "row 5 of the sheet Rubric changed"),
        (BEFORE[3], BEFORE[3] + '<row r="6"><c r="A6"><v>1</v></c></row>', "row 6 of the sheet Rubric changed"),
        ("</c></row><row", '</c><c r="E1"><v>1</v></c></row><row', "row 1 of the sheet Rubric changed"),
        ("<v>3</v></c>", '<v>3</v></c><c r="C5"><v>50</v></c>', "row 5 of the sheet Rubric changed"),
        ('width="9"', 'width="8"', "columns of the sheet Rubric changed"),
        ("<pageMargins/>", '<pageMargins left="1"/>', "pageMargins of the sheet Rubric changed"),
    ],
)
def test_a_change_is_found_however_the_sheet_is_written(old: str, new: str, problem: str) -> None:
    after = sheet(AFTER).decode()
    assert old in after
    changed = after.replace(old, new, 1).encode()

    for spelling in (changed, changed.replace(b"<sheetData>", b"<sheetData><!-- -->")):
        assert found(spelling) == [problem]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<v>1</v>", "<v >1</v >"),
        ('<row r="3">', '<row spans="1:4" r="3">'),
        ('<c r="A3">', "<c r='A3'>"),
        (BEFORE[3], BEFORE[3] + '<row r="6"/>'),
        (OURS.format(2), OURS.format(2).replace(' s="7"', "")),
        (OURS.format(3), ""),
        (OURS.format(3), '<c r="D3"/>'),
    ],
)
def test_another_spelling_is_no_change(old: str, new: str) -> None:
    after = sheet(AFTER).decode()
    assert old in after

    assert found(after.replace(old, new, 1).encode()) == []


def test_an_empty_cell_that_had_a_format_may_become_ours() -> None:
    before = [row.replace("</row>", '<c r="C2" s="3"/></row>') if 'r="2"' in row else row for row in BEFORE]

    assert found(sheet(AFTER), sheet(before)) == []


def test_damage_is_said() -> None:
    with pytest.raises(Unpatchable, match="not well-formed"):
        found(sheet(AFTER).replace(b"met &amp;", b"met &none;"))
    with pytest.raises(NotInPlace, match="out of order"):
        found(sheet(AFTER).replace(b'r="D2"', b'r="C2"'))
