"""Rows read as text must say what they say when they are parsed, however a program has written them."""

from __future__ import annotations

import pytest

from grader.outputs.graded_workbook.ooxml import MAIN, BrokenXml, check_xml, children, local_name
from grader.outputs.graded_workbook.sheet_rows import (
    FORMULA,
    SheetRow,
    WrittenOtherwise,
    around_rows,
    read_rows,
    text_rows,
)

HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
ROOT = f'<worksheet xmlns="{MAIN}" xmlns:x14ac="urn:x14ac" xmlns:x="{MAIN}">'
TEXT = '<c r="{}" t="inlineStr"><is><t>{}</t></is></c>'
SHARED = ["first", "A &amp; B", "third"]


def sheet(rows: str, *, head: str = HEAD, root: str = ROOT, before: str = "<cols><col/></cols>") -> bytes:
    return f"{head}{root}{before}<sheetData>{rows}</sheetData><pageMargins/></worksheet>".encode()


def said(row: SheetRow) -> tuple[object, ...]:
    return row.number, row.style, row.letters, row.digits, row.styles, row.texts(SHARED)


def is_read_as_text(data: bytes) -> bool:
    """Return whether no row of a sheet had to be parsed."""
    try:
        return all(row is not None for row in text_rows(data))
    except WrittenOtherwise:
        return False


PLAIN = {
    "a number": '<row r="1"><c r="A1"><v>5</v></c><c r="AB1" s="12"><v>-0.5</v></c></row>',
    "attributes of rows": '<row r="7" spans="1:2" s="3" customFormat="1" ht="20.5" x14ac:dyDescent="0.2"></row>',
    "rows without cells": '<row r="1"/><row r="2" ht="3" /><row r="3"><c r="A3"><v>1</v></c></row><row r="9"/>',
    "texts": '<row r="1"><c r="A1" t="inlineStr"><is><t xml:space="preserve"> é\n単位 </t></is></c></row>',
    "shared strings": '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" s="1" t="s"><v>9</v></c></row>',
    "escaped": f'<row r="1">{TEXT.format("A1", "a &lt;b&gt; &amp;amp; &#233;&#xE9;&quot;&apos;")}</row>',
    "escaped once": '<row r="1"><c r="A1" t="s"><v>1</v></c><c r="B1"><f>A1&amp;2</f><v>2</v></c></row>',
    "formulas": '<row r="1"><c r="A1"><f>1+1</f><v>2</v></c><c r="B1" t="str"><f t="shared" si="0"/><v>x</v></c></row>',
    "formulas without a value": '<row r="1"><c r="A1"><f aca="false">B1</f><v></v></c><c r="B1"><f>1</f><v/></c></row>',
    "empty cells": '<row r="1"><c r="A1"/><c r="B1" s="4" /><c r="C1" t="n"/><c r="D1"></c></row>',
    "other kinds": '<row r="1"><c r="A1" t="b"><v>1</v></c><c r="B1" t="e"><v>#N/A</v></c></row>',
    "wrong places": '<row r="2"><c r="B2"><v>1</v></c><c r="A1"><v>2</v></c></row><row r="1"></row>',
}
OTHERWISE = {
    "no numbers": "<row><c><v>1</v></c><c><v>2</v></c></row>",
    "another order of attributes": '<row r="1"><c s="2" r="A1" t="s"><v>0</v></c><c t="n" r="B1"><v>1</v></c></row>',
    "single quotes": "<row r='1'><c r='A1'><v>1</v></c></row>",
    "more attributes": '<row r="1"><c r="A1" s="1" cm="1"><f t="array" ref="A1">B1</f><v>1</v></c></row>',
    "rich text": f'<row r="1">{TEXT.format("A1", "a</t><r><t>b</t></r><rPh><t>x</t></rPh><t>c")}</row>',
    "an empty text": '<row r="1"><c r="A1" t="inlineStr"><is><t/></is></c><c r="B1" t="inlineStr"><v>no</v></c></row>',
    "blanks between": '\n <row r="1">\n  <c r="A1"> <v>1</v> </c>\n </row>\n',
    "comments": '<row r="1"><c r="A1"><v>1</v></c><!-- <c r="B1"><v>2</v></c> --></row>',
    "a comment of rows": '<!-- <row r="1"><c r="A1"><v>1</v></c></row> --><row r="2"><c r="A2"><v>2</v></c></row>',
    "CDATA": '<row r="1"><c r="A1" t="inlineStr"><is><t><![CDATA[</row>&amp;</sheetData>]]></t></is></c></row>',
    "prefixes": '<x:row r="1"><x:c r="A1"><x:v>1</x:v></x:c></x:row>',
    "a line end of its own": '<row r="1"><c r="A1" t="inlineStr"><is><t>a\r\nb\rc</t></is></c></row>',
    "what is behind the cells": '<row r="1"><c r="A1"><v>1</v></c><extLst><ext/></extLst></row>',
    "a reference that is none": '<row r="1"><c r="a1"><v>1</v></c><c r="$B$1"><v>2</v></c></row>',
    "a quoted bracket": '<row r="1"><c r="A1"><f x="/>">1</f><v>2</v></c></row><row r="2" x=">"></row>',
    "a formula of another kind": '<row r="1"><c r="A1"><f xmlns="urn:x">1</f><v>2</v></c></row>',
    "a row of another kind": '<row r="1" xmlns="urn:x"><c r="A1"><v>2</v></c></row><row r="2"></row>',
    "no style": '<row r="1" s=""><c r="A1" s=""><v>1</v></c></row>',
}


@pytest.mark.parametrize("rows", [*PLAIN.values(), *OTHERWISE.values()], ids=[*PLAIN, *OTHERWISE])
def test_text_and_parser_say_the_same(rows: str) -> None:
    data = sheet(rows)
    parsed = sheet(rows, before="<!-- not read as text -->")

    assert not is_read_as_text(parsed)
    assert list(map(said, read_rows(data))) == list(map(said, read_rows(parsed)))


@pytest.mark.parametrize("rows", PLAIN.values(), ids=PLAIN)
def test_what_most_programs_write_is_read_as_text(rows: str) -> None:
    assert is_read_as_text(sheet(rows))


def test_the_texts_are_those_of_the_cells() -> None:
    rows = "".join(PLAIN[name] for name in ("texts", "shared strings", "escaped", "escaped once"))
    rows += PLAIN["formulas without a value"]

    assert [row.texts(SHARED) for row in read_rows(sheet(rows))] == [
        [" é\n単位 "],
        ["first", ""],
        ["a <b> &amp; éé\"'"],
        ["A &amp; B", FORMULA],
        [FORMULA, FORMULA],
    ]


def test_rows_are_parsed_from_the_first_on_that_is_written_otherwise() -> None:
    rows = [f'<row r="{number}"><c r="A{number}"><v>{number}</v></c></row>' for number in range(1, 5)]
    rows[2] = rows[2].replace("<c ", "<c  ")

    assert [(row.number, row.texts([])) for row in read_rows(sheet("".join(rows)))] == [
        (str(number), [str(number)]) for number in range(1, 5)
    ]


def test_large_sheets_are_read_whole() -> None:
    text = "é" * 50
    rows = [f'<row r="{number}">{TEXT.format(f"A{number}", text)}</row>' for number in range(1, 3_001)]

    read = list(read_rows(sheet("".join([*rows, '<row r="3001"/>']))))

    assert [row.number for row in read] == [str(number) for number in range(1, 3_002)]
    assert {tuple(row.texts([])) for row in read} == {(text,), ()}


@pytest.mark.parametrize(
    "data",
    [
        sheet(PLAIN["texts"], head=""),
        b"\xef\xbb\xbf" + sheet(PLAIN["texts"]),
        sheet(PLAIN["texts"], head="<?xml version='1.0' encoding='utf-8'?>"),
        sheet(PLAIN["texts"], head='<?xml version="1.0" encoding="UTF-16"?>').decode().encode("utf-16"),
        sheet(PLAIN["texts"].replace("単位", ""), head='<?xml version="1.0" encoding="ISO-8859-1"?>')
        .decode()
        .encode("latin-1"),
        sheet(PLAIN["texts"], root=f"<worksheet xmlns='{MAIN}'>"),
        sheet(PLAIN["texts"], head=f"{HEAD}<!-- <sheetData></sheetData> -->"),
        sheet(PLAIN["texts"], root=ROOT.replace("urn:x14ac", "urn:&#120;")),
        sheet(PLAIN["texts"], before='<x xmlns="urn:x"><sheetData><row r="8"/></sheetData></x>'),
    ],
)
def test_any_encoding_and_head_is_understood(data: bytes) -> None:
    (row,) = read_rows(data)

    assert row.texts([])[0].strip().startswith("é")
    assert "pageMargins" in [local_name(child) for child in children(around_rows(data))]


def test_rows_of_another_format_are_none() -> None:
    strict = sheet(PLAIN["texts"]).replace(MAIN.encode(), b"http://purl.oclc.org/ooxml/spreadsheetml/main")

    assert list(read_rows(strict)) == []
    assert list(read_rows(sheet("").replace(b"<sheetData></sheetData>", b"<sheetData/>"))) == []


@pytest.mark.parametrize(
    "broken",
    [
        '<row r="1"><c r="A1" t="inlineStr"><is><t>&unknown;</t></is></c></row>',
        '<row r="1"><c r="A1" t="inlineStr"><is><t>\x01</t></is></c></row>',
        '<row r="1"><c r="A1" t="inlineStr"><is><t>\ufffe</t></is></c></row>',
        '<row r="1"><c r="A1" t="inlineStr"><is><t>]]></t></is></c></row>',
        '<row r="1" none:such="1"><c r="A1"><v>1</v></c></row>',
        '<row r="1" r="1"><c r="A1"><v>1</v></c></row>',
        '<row r="1"><c r="A1"><v>1</v></c>',
        '<row r="1"><c r="A1"><v>1</c></v></row>',
        '<row r="1" x="&"></row>',
    ],
)
def test_what_is_not_well_formed_is_refused(broken: str) -> None:
    with pytest.raises(BrokenXml, match="not well-formed"):
        list(read_rows(sheet(broken)))
    with pytest.raises(BrokenXml, match="not well-formed"):
        list(read_rows(sheet('<row r="1"/>') + broken.encode()))
    with pytest.raises(BrokenXml, match="not well-formed"):
        check_xml(sheet(broken))


def test_what_is_around_the_rows_stays() -> None:
    for data in (sheet(PLAIN["a number"]), sheet(OTHERWISE["prefixes"], before="<cols><col/></cols><!-- -->")):
        root = around_rows(data)

        assert [local_name(child) for child in children(root)] == ["cols", "sheetData", "pageMargins"]
        assert not list(root.iter(f"{{{MAIN}}}v"))
