"""Makes the odd files that real programs and people produce, each the same on every run; what is hostile is elsewhere.

Each function writes one file; unless it says otherwise, the file holds `ROWS`: a sheet `Rubric` of the points layout.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import xlsxwriter

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"

HEADER = ("Task ID", "Prompt", "Model answer", "Criterion", "Points", "Expert notes")
ROWS: Sequence[Sequence[object]] = (
    HEADER,
    ("T001", "Prompt 1", "Answer 1", "Criterion 1", 2, "note 1"),
    ("T002", "Prompt 2", "Answer 2", "Criterion 2", 3, "note 2"),
    ("T003", "Prompt 3", "Answer 3", "Criterion 3", 4, "note 3"),
)

PARTS: Mapping[str, str] = {
    "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="xml" '
    'ContentType="application/xml"/><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
    '<sheet name="Rubric" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="{OFFICE}/styles" '
    f'Target="styles.xml"/><Relationship Id="rId3" Type="{OFFICE}/sharedStrings" Target="sharedStrings.xml"/>'
    "</Relationships>",
}
"""The parts around the sheet; a relation to a part that is left out is what some producers write too."""

SHEET_PART = "xl/worksheets/sheet1.xml"
Write = Callable[[Path], None]


def cell_xml(reference: str, value: object, attributes: str = "") -> str:
    """Return a cell's XML, a number as a number and all else as inline text; "" for no value."""
    place = f' r="{reference}"' if reference else ""
    if value is None:
        return ""
    if isinstance(value, (int, float)):
        return f"<c{place}{attributes}><v>{value}</v></c>"
    return f'<c{place}{attributes} t="inlineStr"><is><t xml:space="preserve">{escape(str(value))}</t></is></c>'


def rows_xml(rows: Iterable[Sequence[object]] = ROWS, *, first: int = 1, attributes: str = "") -> str:
    """Return the XML of rows from row `first` on."""
    return "".join(
        f'<row r="{number}"{attributes}>'
        + "".join(cell_xml(f"{chr(65 + column)}{number}", value) for column, value in enumerate(row))
        + "</row>"
        for number, row in enumerate(rows, start=first)
    )


def sheet_xml(data: str | None = None, *, before: str = "", after: str = "") -> str:
    """Return a worksheet part around the XML of its rows."""
    data = rows_xml() if data is None else data
    return f'<worksheet xmlns="{MAIN}" xmlns:r="{OFFICE}">{before}<sheetData>{data}</sheetData>{after}</worksheet>'


def write_package(
    path: Path,
    sheet: str | bytes | None = None,
    *,
    parts: Mapping[str, str | bytes | None] | None = None,
    rename: Callable[[str], str] = str,
) -> None:
    """Write a raw .xlsx around a sheet part; a part that is `None` is left out."""
    sheet = sheet_xml() if sheet is None else sheet
    with zipfile.ZipFile(path, "w") as package:
        for part, content in {**PARTS, SHEET_PART: sheet, **(parts or {})}.items():
            if content is not None:
                info = zipfile.ZipInfo("x")
                info.filename = rename(part)
                package.writestr(info, content, zipfile.ZIP_DEFLATED, compresslevel=1)


def write_workbook(path: Path, change: Callable[[Any, Any], object] | None = None) -> None:
    """Write `ROWS` with XlsxWriter; `change(workbook, sheet)` adds what the file is about."""
    with xlsxwriter.Workbook(str(path)) as workbook:
        sheet = workbook.add_worksheet("Rubric")
        for number, row in enumerate(ROWS):
            sheet.write_row(number, 0, row)
        if change is not None:
            change(workbook, sheet)


def change_part(path: Path, part: str, old: str, new: str) -> None:
    """Replace text in one part of a package, which must have it."""
    with zipfile.ZipFile(path) as package:
        parts = {info.filename: package.read(info) for info in package.infolist()}
    assert old.encode() in parts[part], (part, old)
    parts[part] = parts[part].replace(old.encode(), new.encode())
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)


PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc00000030101"
    "00c9fe92ef0000000049454e44ae426082"
)
"""A picture of one pixel (PNG)."""


def _shared_strings(*items: str) -> dict[str, str]:
    return {"xl/sharedStrings.xml": f'<sst xmlns="{MAIN}">{"".join(f"<si>{item}</si>" for item in items)}</sst>'}


def _with_shared(index: int, items: Sequence[str], path: Path) -> None:
    """Write the rows with D2 as a shared string of that index."""
    data = rows_xml().replace(cell_xml("D2", "Criterion 1"), f'<c r="D2" t="s"><v>{index}</v></c>')
    write_package(path, sheet_xml(data), parts=_shared_strings(*items))


# Texts and cells


def string_over_32767(path: Path) -> None:
    data = rows_xml([HEADER, ("T001", "p", "a", "x" * 32_768, 1), ("T002", "p", "a", "y" * 100_003, 1)])
    write_package(path, sheet_xml(data))


def richtext_space_only_run(path: Path) -> None:
    space = '<r><rPr><b/></rPr><t>Criterion</t></r><r><t xml:space="preserve"> </t></r><r><rPr><i/></rPr><t>1</t></r>'
    _with_shared(0, [space], path)


def shared_string_index_out_of_range(path: Path) -> None:
    _with_shared(9, ["<t>Criterion 1</t>"], path)


def rows_out_of_order_dup_cells(path: Path) -> None:
    """The rows stand as 3, 1, 4, 2; C2 and D2 have changed places; F2 is there twice, its last value the right one."""
    rows = [rows_xml([row], first=number) for number, row in enumerate(ROWS, start=1)]
    c2, d2, f2 = (cell_xml(*it) for it in (("C2", "Answer 1"), ("D2", "Criterion 1"), ("F2", "note 1")))
    rows[1] = rows[1].replace(c2 + d2, d2 + c2).replace(f2, cell_xml("F2", "older") + f2)
    write_package(path, sheet_xml(rows[2] + rows[0] + rows[3] + rows[1]))


def no_cell_refs(path: Path) -> None:
    data = "".join(f'<row r="{n}">{"".join(cell_xml("", v) for v in row)}</row>' for n, row in enumerate(ROWS, 1))
    write_package(path, sheet_xml(data))


def prefixed_namespace(path: Path) -> None:
    data = rows_xml()
    for tag in ("row", "c", "v", "is", "t"):
        data = data.replace(f"<{tag} ", f"<x:{tag} ").replace(f"<{tag}>", f"<x:{tag}>")
        data = data.replace(f"</{tag}>", f"</x:{tag}>")
    sheet = f'<x:worksheet xmlns:x="{MAIN}"><x:sheetData>{data}</x:sheetData></x:worksheet>'
    workbook = (
        f'<x:workbook xmlns:x="{MAIN}" xmlns:rel="{OFFICE}"><x:sheets><x:sheet name="Rubric" sheetId="1" '
        'rel:id="rId1"/></x:sheets></x:workbook>'
    )
    write_package(path, sheet, parts={"xl/workbook.xml": workbook})


def utf16_sheet_xml(path: Path) -> None:
    write_package(path, ('<?xml version="1.0" encoding="UTF-16"?>' + sheet_xml()).encode("utf-16"))


def backslash_names(path: Path) -> None:
    write_package(path, rename=lambda name: name.replace("/", "\\"))


# Extents


def last_column_used(path: Path) -> None:
    write_package(path, sheet_xml(rows_xml().replace("</row>", cell_xml("XFD1", "far") + "</row>", 1)))


def whole_column_formats(path: Path) -> None:
    def change(workbook: Any, sheet: Any) -> None:
        sheet.set_column(0, 16_383, 12, workbook.add_format({"bg_color": "#FFFFEE", "num_format": "0.00"}))

    write_workbook(path, change)


def dimension_too_big(path: Path) -> None:
    write_package(path, sheet_xml(before='<dimension ref="A1:XFD1048576"/>'))


def phantom_row_1048576(path: Path) -> None:
    write_package(
        path, sheet_xml(rows_xml() + '<row r="1048576" ht="15" customHeight="1"><c r="A1048576" s="0"/></row>')
    )


def phantom_row_of_empty_text(path: Path) -> None:
    """The last row of the sheet holds an empty text, which nobody sees."""
    write_package(path, sheet_xml(rows_xml() + '<row r="1048576"><c r="XFD1048576" t="str"><v></v></c></row>'))


# Damage


def zip_not_xlsx(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as package:
        package.writestr(zipfile.ZipInfo("hello.txt"), "hello")


def lock_file(path: Path) -> None:
    path.with_name("~$" + path.name).write_bytes(b"\x03Ada" + b" " * 52 + b"\x03\x00A\x00d\x00a" + b"\x20\x00" * 51)


def missing_sheet_part(path: Path) -> None:
    write_package(path, parts={SHEET_PART: None})


def bad_styles_value(path: Path) -> None:
    styles = (
        f'<styleSheet xmlns="{MAIN}"><numFmts count="x"><numFmt numFmtId="abc" formatCode="0.0"/></numFmts><fonts '
        'count="1"><font><sz val="big"/><family val="99"/></font></fonts><fills count="-1"><fill><patternFill '
        'patternType="sparkly"/></fill></fills><borders><border><left style="wavy"/></border></borders><cellXfs '
        'count="1"><xf numFmtId="one" fontId="7" fillId="z"/></cellXfs></styleSheet>'
    )
    write_package(path, sheet_xml(rows_xml().replace('r="E2"', 'r="E2" s="0"')), parts={"xl/styles.xml": styles})


def missing_styles(path: Path) -> None:
    """E2 has a style, which may make it a date, and the styles are not there."""
    write_package(path, sheet_xml(rows_xml().replace('r="E2"', 'r="E2" s="1"')))


def sheet_twice(path: Path) -> None:
    twice = "</sheets>", '<sheet name="Rubric" sheetId="2" r:id="rId1"/></sheets>'
    write_package(path, parts={"xl/workbook.xml": PARTS["xl/workbook.xml"].replace(*twice)})


def unknown_encoding(path: Path) -> None:
    write_package(path, parts={"xl/workbook.xml": '<?xml version="1.0" encoding="UTF-99"?>' + PARTS["xl/workbook.xml"]})


def ids_shown_with_zeros(path: Path) -> None:
    """The ids are the number 123, a text, and the number 7, in the number format 00000."""

    def change(workbook: Any, sheet: Any) -> None:
        zeros = workbook.add_format({"num_format": "00000"})
        sheet.write_number("A2", 123, zeros)
        sheet.write_number("A4", 7, zeros)

    write_workbook(path, change)


def rubric_libreoffice(path: Path) -> None:
    """The rows as an OpenDocument file (.ods), with a million blank rows below them as LibreOffice writes."""

    def cell(value: object) -> str:
        kind = f'float" office:value="{value}' if isinstance(value, int) else "string"
        return f'<table:table-cell office:value-type="{kind}"><text:p>{value}</text:p></table:table-cell>'

    names = (("office", "office"), ("table", "table"), ("text", "text"))
    spaces = " ".join(f'xmlns:{key}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for key, name in names)
    rows = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in ROWS)
    blank = '<table:table-row table:number-rows-repeated="1048572"><table:table-cell/></table:table-row>'
    with zipfile.ZipFile(path.with_suffix(".ods"), "w") as package:
        package.writestr(zipfile.ZipInfo("mimetype"), "application/vnd.oasis.opendocument.spreadsheet")
        manifest = '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
        package.writestr(zipfile.ZipInfo("META-INF/manifest.xml"), manifest)
        package.writestr(
            zipfile.ZipInfo("content.xml"),
            f"<office:document-content {spaces}><office:body><office:spreadsheet>"
            f'<table:table table:name="Rubric">{rows}{blank}</table:table></office:spreadsheet></office:body>'
            "</office:document-content>",
        )


# Headers


def headers_numeric_float(path: Path) -> None:
    """A tiered table whose levels are the numbers 25, 50.5 and 100."""
    write_package(path, sheet_xml(rows_xml([("id", 25.0, 50.5, 100), ("Q1", "a", "b", "c"), ("Q2", None, "d", None)])))


def headers_percent_date_bool_error(path: Path) -> None:
    """A tiered table whose headers are 50 %, a date, TRUE and #N/A."""

    def change(workbook: Any, sheet: Any) -> None:
        tiers = workbook.add_worksheet("Tiers")
        tiers.write_row(0, 0, ["id"])
        tiers.write_number(0, 1, 0.5, workbook.add_format({"num_format": "0%"}))
        tiers.write_number(0, 2, 45_000, workbook.add_format({"num_format": "yyyy-mm-dd"}))
        tiers.write_boolean(0, 3, True)
        tiers.write_formula(0, 4, "=NA()", None, "#N/A")
        tiers.write_row(1, 0, ["Q1", "a", "b", "c", "d"])

    write_workbook(path, change)


def header_two_rows_merged(path: Path) -> None:
    """`Task ID` merged over rows 1 and 2, `Levels` over B1:C1 with 50 and 100 below it."""
    data = rows_xml([("Task ID", "Levels"), (None, 50, 100), ("Q1", "a", "b"), ("Q2", None, "c")])
    merges = '<mergeCells count="2"><mergeCell ref="A1:A2"/><mergeCell ref="B1:C1"/></mergeCells>'
    write_package(path, sheet_xml(data, after=merges))


def pandas_multiindex_header(path: Path) -> None:
    """What `to_excel` makes of a MultiIndex: two header rows, the index's name in a third."""
    rows = [(None, "Task", None, "Rubric", None), (None, "ID", "Prompt", "Criterion", "Points"), (None,)]
    body = [(0, "T001", "Prompt 1", "Criterion 1", 2), (1, "T002", "Prompt 2", "Criterion 2", 3)]
    merges = '<mergeCells count="2"><mergeCell ref="B1:C1"/><mergeCell ref="D1:E1"/></mergeCells>'
    write_package(path, sheet_xml(rows_xml([*rows, *body]), after=merges))


# Text tables


def _text(encoding: str, text: str) -> Write:
    def write(path: Path) -> None:
        path.with_suffix(".csv").write_bytes(text.encode(encoding))

    return write


_CHINESE = (
    "编号,问题,评分标准,分值\r\n00123,患者发热怎么办,提到对乙酰氨基酚的剂量,2\r\nT002,何时转诊,说明转诊的条件,3\r\n"
)
_TABLE = "id,question,criterion,points\r\n00123,Why?,a,2\r\nT002,How?,b,3\r\n"

# Features


def notes_legacy_rich(path: Path) -> None:
    write_workbook(path, lambda _, sheet: sheet.write_comment("D2", "a note", {"x_scale": 3, "visible": True}))
    rich = '<r><rPr><b/><sz val="12"/></rPr><t>a</t></r><r><t xml:space="preserve"> note</t></r>'
    with zipfile.ZipFile(path) as package:
        text = package.read("xl/comments1.xml").decode()
    change_part(path, "xl/comments1.xml", text[text.index("<text>") : text.index("</text>")], f"<text>{rich}")


def image_header_background(path: Path) -> None:
    def change(_: Any, sheet: Any) -> None:
        sheet.set_header("&L&G", {"image_left": "a.png", "image_data_left": BytesIO(PIXEL)})
        sheet.set_background(BytesIO(PIXEL))

    write_workbook(path, change)


def wps_dispimg(path: Path) -> None:
    formula = '<c r="G2" t="str"><f>_xlfn.DISPIMG("ID_0A",1)</f><v>=DISPIMG("ID_0A",1)</v></c></row>'
    data = rows_xml().replace("</row>", "</row>\0", 1).replace("</row>", formula, 2).replace(formula, "</row>", 1)
    images = '<etc:cellImages xmlns:etc="http://www.wps.cn/officeDocument/2017/etCustomData"/>'
    write_package(path, sheet_xml(data.replace("\0", "")), parts={"xl/cellimages.xml": images})


def table_totals_calc(path: Path) -> None:
    """The rows, and a table B8:E11 with a totals row, headers that look like numbers and a calculated column."""

    def change(_: Any, sheet: Any) -> None:
        columns = [{"header": "x"}, {"header": "25"}, {"header": "50", "formula": "=[@25]*2"}, {"header": "n"}]
        columns[1]["total_function"] = "sum"
        sheet.add_table("H3:K7", {"columns": columns, "total_row": True, "data": [["a", 1, 2, 3]] * 3})

    write_workbook(path, change)


def rare_sheet_elements(path: Path) -> None:
    phonetic = '<is><t>Criterion 1</t><rPh sb="0" eb="3"><t>クライテリオン</t></rPh><phoneticPr fontId="1"/></is>'
    data = rows_xml().replace('<is><t xml:space="preserve">Criterion 1</t></is>', phonetic)
    after = (
        '<scenarios current="0"><scenario name="best" count="1"><inputCells r="E2" val="9"/></scenario></scenarios>'
        '<phoneticPr fontId="1"/><cellWatches><cellWatch r="E2"/></cellWatches>'
    )
    write_package(path, sheet_xml(data, after=after))


def macro(path: Path) -> None:
    """The rows with the content type, the name and a part of a workbook with macros."""
    main = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
    types = PARTS["[Content_Types].xml"].replace(main, "application/vnd.ms-excel.sheet.macroEnabled.main+xml")
    project = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 not a real project"
    write_package(path.with_suffix(".xlsm"), parts={"[Content_Types].xml": types, "xl/vbaProject.bin": project})


def formulas_arrays(path: Path) -> None:
    """E2 is an array formula, E3 a dynamic one, E4 belongs to a shared formula; all have stored results."""
    data = rows_xml()
    for cell, formula, value in (
        ("E2", '<f t="array" ref="E2">SUM(1+1)</f>', 2),
        ("E3", '<f t="array" ref="E3">_xlfn._xlws.FILTER(3,1)</f>', 3),
        ("E4", '<f t="shared" si="0"/>', 4),
    ):
        data = data.replace(f'<c r="{cell}">', f'<c r="{cell}">{formula}')
        assert formula in data, value
    write_package(path, sheet_xml(data))


def calc_manual_iterative(path: Path) -> None:
    """Manual calculation, and E2 is a formula whose stored result 999 is out of date: that is what Excel shows."""

    def change(workbook: Any, sheet: Any) -> None:
        workbook.set_calc_mode("manual")
        sheet.write_formula("E2", "=1+1", None, 999)

    write_workbook(path, change)


def condfmt_x14(path: Path) -> None:
    options = {"type": "data_bar", "data_bar_2010": True}
    write_workbook(path, lambda _, sheet: sheet.conditional_format("E2:E4", options))


def datavalidation_x14_crosssheet(path: Path) -> None:
    main = "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"
    formula = "<x14:formula1><xm:f>Lists!$A$1:$A$3</xm:f></x14:formula1>"
    rule = f'<x14:dataValidation type="list">{formula}</x14:dataValidation>'
    extension = (
        f'<extLst><ext uri="{{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}}" xmlns:x14="{main}" '
        'xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main"><x14:dataValidations count="1">'
        f"{rule}</x14:dataValidations></ext></extLst>"
    )
    write_package(path, sheet_xml(after=extension))


def slicer_table(path: Path) -> None:
    main = "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"
    slicer = f'<slicers xmlns="{main}"><slicer name="s"/></slicers>'
    write_workbook(path, lambda _, sheet: sheet.add_table("A1:F4", {"columns": [{"header": name} for name in HEADER]}))
    with zipfile.ZipFile(path, "a") as package:
        package.writestr(zipfile.ZipInfo("xl/slicers/slicer1.xml"), slicer)


def protected_sheet(path: Path) -> None:
    write_workbook(path, lambda _, sheet: sheet.protect("secret"))


def charts_chartex(path: Path) -> None:
    """A waterfall chart's part and a chart sheet in front of the rubric."""

    def change(workbook: Any, _: Any) -> None:
        chart = workbook.add_chart({"type": "column"})
        chart.add_series({"values": "=Rubric!$E$2:$E$4"})
        chartsheet = workbook.add_chartsheet("Chart")
        chartsheet.set_chart(chart)
        chartsheet.set_first_sheet()

    write_workbook(path, change)
    with zipfile.ZipFile(path, "a") as package:
        package.writestr(zipfile.ZipInfo("xl/charts/chartEx1.xml"), "<cx:chartSpace xmlns:cx='urn:x'/>")


def formulas_whole_rows(path: Path) -> None:
    def change(workbook: Any, _: Any) -> None:
        workbook.add_worksheet("Sums").write_formula("A1", "=SUM(Rubric!2:2)", None, 2)

    write_workbook(path, change)


def dates_1904(path: Path) -> None:
    """G2 is the serial 1 of the calendar that begins in 1904."""

    def change(workbook: Any, sheet: Any) -> None:
        sheet.write_string("G1", "Reviewed")
        sheet.write_number("G2", 1, workbook.add_format({"num_format": "yyyy-mm-dd"}))

    write_workbook(path, change)
    change_part(path, "xl/workbook.xml", "<workbookPr ", '<workbookPr date1904="1" ')


READ: Mapping[str, Write] = {
    write.__name__: write
    for write in (
        *(richtext_space_only_run, rows_out_of_order_dup_cells, no_cell_refs, prefixed_namespace, utf16_sheet_xml),
        *(backslash_names, last_column_used, whole_column_formats, dimension_too_big, phantom_row_1048576),
        *(phantom_row_of_empty_text, bad_styles_value, notes_legacy_rich, image_header_background, wps_dispimg),
        *(table_totals_calc, rare_sheet_elements, macro, formulas_arrays, condfmt_x14, datavalidation_x14_crosssheet),
        *(slicer_table, protected_sheet, charts_chartex, formulas_whole_rows, dates_1904),
    )
}
"""Files that must give exactly `ROWS`."""

TEXTS: Mapping[str, Write] = {
    "utf16_tab": _text("utf-16", _TABLE.replace(",", "\t")),
    "gb18030": _text("gb18030", _CHINESE),
    "sep_line": _text("utf-8", "sep=;\r\n" + _TABLE.replace(",", ";")),
    "utf8_bom": _text("utf-8-sig", _TABLE),
    "mixed_line_ends": _text("utf-8", _TABLE.replace("\r\n", "\n", 1)),
}
"""Text tables with the ids 00123 and T002 and the points 2 and 3."""
