"""Every workbook of features, its criteria graded: nothing of the expert's may be lost, moved or changed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from python_calamine import CalamineWorkbook

from grader.outputs.graded_workbook.lint import package_problems, read_written, sheet_problems
from grader.outputs.graded_workbook.write import WrittenWorkbook

FOLDER = Path(__file__).parents[4].parent / "shared" / "workbooks"
FEATURES = sorted(f"features/{path.name}" for path in (FOLDER / "features").glob("*.xls*"))
INPUTS = [
    "header_row4_merged_title",
    "headers_numeric_int",
    "inline_strings_no_styles",
    "merged_data_cells",
    "no_cell_or_row_refs",
    "rich_inline_and_phonetic",
    "right_side_content",
    "rows_hidden_filtered_grouped",
    "rubric_libreoffice",
    "strings_edge",
    "utf8_bom_and_comment",
]
OURS = re.compile(r"(alpha|beta) (score|verdict|analysis)")
ALWAYS = {
    "[Content_Types].xml",
    "_rels/.rels",
    "docProps/custom.xml",
    "xl/workbook.xml",
    "xl/_rels/workbook.xml.rels",
    "xl/styles.xml",
    "xl/calcChain.xml",
}
IN_PLACE = {
    "comments_threaded",
    "condfmt_classic",
    "customxml_props_label",
    "datavalidation_classic",
    "formulas_cached",
    "image_in_cell",
    "plain",
    "printersettings_bin",
    "richtext",
    "table_only",
}
"""Of the features: those beside whose criteria there is room."""

pytestmark = [
    pytest.mark.skipif(not FEATURES, reason="the shared test workbooks are not on this machine"),
    pytest.mark.filterwarnings("ignore::UserWarning:openpyxl"),  # of what openpyxl itself cannot keep
]


def cells_of(path: Path) -> dict[str, tuple[object, ...]]:
    """Return value and look of every cell of the expert's sheets."""
    book = openpyxl.load_workbook(path, rich_text=True)
    looks: dict[int, str] = {}  # by the number of the style, as there are far fewer of them than cells
    for cell in (cell for sheet in book.worksheets for row in sheet.iter_rows() for cell in row):
        if cell.style_id not in looks:
            looks[cell.style_id] = repr((cell.font, cell.fill, cell.border, cell.alignment, cell.protection))
    return {
        f"{sheet.title}!{cell.coordinate}": (
            repr(cell.value),
            cell.number_format,
            looks[cell.style_id],
            cell.hyperlink and cell.hyperlink.location,
        )
        for sheet in book.worksheets
        for row in sheet.iter_rows()
        for cell in row
    }


@pytest.mark.parametrize("name", [*FEATURES, *(f"inputs/{name}.xlsx" for name in INPUTS)])
def test_everything_of_the_experts_stays(
    annotate: Callable[..., WrittenWorkbook], parts_of: Callable[[Path], dict[str, bytes]], name: str
) -> None:
    source = FOLDER / name
    bytes_before = source.read_bytes()

    written = annotate(source)

    before, after = parts_of(source), parts_of(written.path)
    changed = {part for part, data in before.items() if after.get(part) != data} - ALWAYS
    refused = [note for note in written.notes if note.startswith("New sheets only: ")]
    assert source.read_bytes() == bytes_before
    assert not any("our sheets only" in note or "did not pass" in note for note in written.notes)
    assert before.keys() - after.keys() <= ALWAYS
    assert bool(refused) is (not changed)
    assert all(re.search(r"worksheets|tables|comments|vmlDrawing", part) for part in changed)
    if name.startswith("features/"):
        assert (Path(name).stem in IN_PLACE) is (not refused)
    theirs, now = cells_of(source), cells_of(written.path)
    assert {cell: now[cell] for cell, content in theirs.items() if content[0] != "None"} == {
        cell: content for cell, content in theirs.items() if content[0] != "None"
    }


@pytest.mark.no_cover
@pytest.mark.parametrize("name", sorted(IN_PLACE))
def test_the_columns_are_there_for_every_reader(annotate: Callable[..., WrittenWorkbook], name: str) -> None:
    written = annotate(FOLDER / "features" / f"{name}.xlsx")
    package = read_written(written.path)

    header, first, *rows = CalamineWorkbook.from_path(written.path).get_sheet_by_name("Rubric").to_python()
    ours = [column for column, text in enumerate(header) if OURS.fullmatch(str(text))]
    sheet: Any = openpyxl.load_workbook(written.path)["Rubric"]

    assert [header[column] for column in ours] == [
        f"{system} {kind}" for system in ("alpha", "beta") for kind in ("score", "verdict", "analysis")
    ]
    assert first[ours[0]] == 100
    assert {row[ours[1]] for row in rows} == {"met", "not met"}
    assert sheet.cell(2, ours[0] + 1).comment.text.startswith("100 on a scale of 0 to 100")
    assert not package_problems(package)
    assert not list(sheet_problems(package, package.sheets()["Rubric"]))


def test_filter_and_table_grow(annotate: Callable[..., WrittenWorkbook]) -> None:
    plain = openpyxl.load_workbook(annotate(FOLDER / "features" / "plain.xlsx").path)["Rubric"]
    table = openpyxl.load_workbook(annotate(FOLDER / "features" / "table_only.xlsx").path)["Rubric"]

    assert plain.auto_filter.ref == "A1:L16"
    (only,) = table.tables.values()
    assert only.ref == only.autoFilter.ref == "A1:L16"
    assert [column.name for column in only.tableColumns][-1] == "beta analysis"


@pytest.mark.no_cover
def test_the_real_benchmark_gets_twelve_columns(annotate: Callable[..., WrittenWorkbook], ord_mmbench: Path) -> None:
    source = ord_mmbench / "ORD-MMBench-Scoring-criteria.xlsx"
    systems = [path.stem for path in sorted((ord_mmbench / "answers").glob("*.jsonl"))]

    written = annotate(source, systems)
    sheet: Any = openpyxl.load_workbook(written.path).worksheets[0]

    assert not written.notes
    assert len(systems) == 4
    assert [sheet.cell(1, 5 + place * 3).value for place in range(4)] == [f"{system} score" for system in systems]
    assert sheet.max_column == 16
    assert sheet["F2"].value.splitlines()[0] == "100 (1): met"
    assert cells_of(source).items() <= cells_of(written.path).items()
