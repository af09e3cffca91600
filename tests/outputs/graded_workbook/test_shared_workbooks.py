from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from python_calamine import CalamineWorkbook

from grader.outputs.graded_workbook.write import WrittenWorkbook
from grader.records import Grade

Write = Callable[..., WrittenWorkbook]
Make = Callable[..., Grade]

FOLDER = Path(__file__).parents[3].parent / "shared" / "workbooks"
FEATURES = sorted(path.name for path in (FOLDER / "features").glob("*.xls*"))
ODD = [
    "absolute_targets.xlsx",
    "chartsheet_first.xlsx",
    "inline_strings_no_styles.xlsx",
    "many_sheets_names.xlsx",
    "no_cell_or_row_refs.xlsx",
    "odd_core_props.xlsx",
    "rubric_libreoffice.xlsx",
    "stored_uncompressed.xlsx",
    "utf8_bom_and_comment.xlsx",
]
HOSTILE = sorted(path.name for path in (FOLDER / "hostile").glob("*.xlsx"))
MAY_CHANGE = {
    "[Content_Types].xml",
    "_rels/.rels",
    "docProps/custom.xml",
    "xl/workbook.xml",
    "xl/_rels/workbook.xml.rels",
    "xl/styles.xml",
    "xl/calcChain.xml",
}

pytestmark = pytest.mark.skipif(not FEATURES, reason="the shared test workbooks are not on this machine")


def parts(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.no_cover
@pytest.mark.filterwarnings("ignore::UserWarning:openpyxl")  # of what openpyxl itself cannot keep
@pytest.mark.parametrize("name", [*(f"features/{each}" for each in FEATURES), *(f"inputs/{each}" for each in ODD)])
def test_nothing_of_the_experts_is_lost(write: Write, grade: Make, name: str) -> None:
    source = FOLDER / name

    written = write([grade("1"), grade("2", score=None)], source)
    before, after = parts(source), parts(written.path)
    book = openpyxl.load_workbook(written.path)
    review = next(each for each in reversed(book.sheetnames) if each.startswith("Review"))

    assert not [note for note in written.notes if "our sheets only" in note]
    assert {part for part, data in before.items() if after.get(part) != data} <= MAY_CHANGE
    assert len(CalamineWorkbook.from_path(written.path).get_sheet_by_name(review).to_python()) == 3
    theirs = len(CalamineWorkbook.from_path(source).sheet_names)
    assert CalamineWorkbook.from_path(written.path).sheet_names[theirs] == review


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_workbooks_do_no_harm(write: Write, grade: Make, name: str) -> None:
    written = write([grade()], FOLDER / "hostile" / name)

    with zipfile.ZipFile(written.path) as archive:
        assert archive.testzip() is None
        assert b"DOCTYPE" not in b"".join(archive.read(each) for each in archive.namelist())
