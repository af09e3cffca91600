"""Digests stand in workbooks that are with experts: they must stay what they were, however the cells are read."""

from __future__ import annotations

import pytest

from grader.outputs.graded_workbook.ooxml import CONTENT_TYPES, MAIN, PACKAGE_RELATIONS, RELATIONS
from grader.outputs.graded_workbook.package import Package, Unpatchable
from grader.outputs.graded_workbook.removal.cell_digest import cell_digests, parse_digests, render_digests
from grader.outputs.graded_workbook.removal.recognising import find_ours

WRITTEN = "theirs:57a9485bb7f5dfc0 columns:183b26cae3f76247 review:1050cb6ba6a210a5"
"""As an earlier grader has written them for the workbook below."""

SHEETS = ("Criteria", "Review", "Notes")
PARTS = [f"xl/worksheets/sheet{number}.xml" for number in (1, 2, 3)]
SHARED = ("id", "criterion", "Names the dose", "A &amp; B", "not used")
ROWS = {
    "Criteria": [
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c>{C1}<c r="D1" t="s"><v>3</v></c></row>',
        '<row r="3"><c r="A3"><v>1</v></c><c r="B3" t="s"><v>2</v></c><c r="C3"><v>50.0</v></c><c r="D3"/></row>',
        '<row r="4"><c r="A4"><v>2</v></c><c r="B4" t="s"><v>3</v></c><c r="C4"><f>A4&amp;1</f><v>21</v></c></row>',
    ],
    "Review": [
        '<row r="1">{A1}{B1}{C1}{D1}</row>',
        '<row r="2"><c r="A2"><v>7</v></c><c r="B2"><v>8</v></c><c r="C2"><v>75</v></c>'
        '<c r="D2"><f>1</f><v>2</v></c></row>',
        '<row r="3"><c r="A3"><v>9</v></c><c r="C3" t="inlineStr"><is><t>75 &lt;or so&gt; </t></is></c></row>',
    ],
    "Notes": ['<row r="2"><c r="B2" t="inlineStr"><is><t>Line one\nline two</t></is></c></row>'],
}
HEADERS = {
    "Criteria": {"C1": "alpha score"},
    "Review": {"A1": "Key", "B1": "Text hash", "C1": "Expert score", "D1": "Final"},
    "Notes": {},
}


def workbook(before: str = "", rows: dict[str, list[str]] = ROWS) -> Package:
    """Return a graded workbook of three sheets; `before` stands before the rows of each."""
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{CONTENT_TYPES}"><Default Extension="xml" ContentType="a/b"/></Types>',
        "_rels/.rels": relations({"rId1": ("officeDocument", "xl/workbook.xml")}),
        "xl/_rels/workbook.xml.rels": relations(
            {
                **{f"rId{number}": ("worksheet", f"worksheets/sheet{number}.xml") for number in (1, 2, 3)},
                "rId4": ("sharedStrings", "sharedStrings.xml"),
            }
        ),
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>'
        + "".join(f'<sheet name="{name}" sheetId="{n}" r:id="rId{n}"/>' for n, name in enumerate(SHEETS, 1))
        + '</sheets><definedNames><definedName name="_grader_columns">Criteria!$C$1:$C$1</definedName>'
        '<definedName name="_grader_review">Review!$A$1</definedName></definedNames></workbook>',
        "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}">{"".join(f"<si><t>{each}</t></si>" for each in SHARED)}</sst>',
    }
    for part, name in zip(PARTS, SHEETS, strict=True):
        text = "".join(rows[name])
        for cell, header in HEADERS[name].items():
            text = text.replace(f"{{{cell}}}", f'<c r="{cell}" t="inlineStr"><is><t>{header}</t></is></c>')
        parts[part] = f'<worksheet xmlns="{MAIN}">{before}<sheetData>{text}</sheetData></worksheet>'
    return Package({name: text.encode() for name, text in parts.items()})


def relations(targets: dict[str, tuple[str, str]]) -> str:
    entries = "".join(
        f'<Relationship Id="{id}" Type="{RELATIONS}/{kind}" Target="{target}"/>'
        for id, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{PACKAGE_RELATIONS}">{entries}</Relationships>'


def digests(package: Package) -> dict[str, str]:
    return cell_digests(package, find_ours(package))


@pytest.mark.parametrize("before", ["", "<!-- so that the rows are parsed -->"])
def test_digests_are_those_of_earlier_graders(before: str) -> None:
    assert render_digests(digests(workbook(before))) == WRITTEN
    assert digests(workbook(before)) == parse_digests(WRITTEN)


def test_a_sheet_that_is_being_changed_counts_as_it_is_now() -> None:
    package = workbook()
    (cell,) = package.touch(PARTS[2]).iter(f"{{{MAIN}}}c")
    cell.set("r", "C2")
    assert digests(package) == parse_digests(WRITTEN)

    (text,) = cell.iter(f"{{{MAIN}}}t")
    text.text = "Line one"

    assert {kind for kind, digest in digests(package).items() if digest != parse_digests(WRITTEN)[kind]} == {"theirs"}


@pytest.mark.parametrize(
    ("sheet", "old", "new", "changed"),
    [
        ("Criteria", "<v>50.0</v>", "<v>50</v>", set()),
        ("Criteria", "<v>50.0</v>", "<v>51</v>", {"columns"}),
        ("Criteria", '<c r="A4"><v>2</v>', '<c r="A4"><v>3</v>', {"theirs"}),
        ("Criteria", '<c r="B3" t="s"><v>2</v>', '<c r="B3" t="s"><v>4</v>', {"theirs"}),
        ("Criteria", '<c r="D3"/>', '<c r="D3"><v>1</v></c>', {"theirs"}),
        ("Criteria", "<v>21</v>", "<v>22</v>", set()),
        ("Criteria", "<f>A4&amp;1</f>", "", {"columns"}),
        ("Review", '<c r="C2"><v>75</v>', '<c r="C2"><v>25</v>', set()),
        ("Review", "<v>8</v>", "<v>8.5</v>", {"review"}),
        ("Notes", "Line one\n", "Line one \r\n", set()),
        ("Notes", "Line one", "Line 1", {"theirs"}),
    ],
)
def test_what_changes_a_digest(sheet: str, old: str, new: str, changed: set[str]) -> None:
    assert any(old in row for row in ROWS[sheet])
    after = digests(workbook(rows={**ROWS, sheet: [row.replace(old, new) for row in ROWS[sheet]]}))

    assert {kind for kind, digest in parse_digests(WRITTEN).items() if after[kind] != digest} == changed


def test_sorted_rows_have_the_same_digests() -> None:
    rows = {**ROWS, "Review": [ROWS["Review"][0], *reversed(ROWS["Review"][1:])]}

    assert digests(workbook(rows=rows)) == parse_digests(WRITTEN)


@pytest.mark.parametrize("name", [PARTS[0], "xl/sharedStrings.xml"])
def test_a_part_that_is_broken_is_named(name: str) -> None:
    package = workbook()
    broken = Package({**package.original, name: package.original[name].replace(b"</", b"<x/><", 1)})

    with pytest.raises(Unpatchable, match=f"its part {name} is not well-formed XML"):
        digests(broken)
