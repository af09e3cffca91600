from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import xlsxwriter

from grader.outputs.graded_workbook.lint import package_problems, sheet_problems
from grader.outputs.graded_workbook.merge.notes import NO_NOTES, merge_notes
from grader.outputs.graded_workbook.opening import open_donor
from grader.outputs.graded_workbook.package import Package, Unpatchable

PART = "xl/worksheets/sheet1.xml"


def package(change: Callable[[Any], object]) -> Package:
    data = BytesIO()
    with xlsxwriter.Workbook(data, {"in_memory": True}) as book:
        change(book.add_worksheet("Rubric"))
    return open_donor(data)


def ours(*cells: str) -> Package:
    return package(
        lambda sheet: [sheet.write_comment(cell, f"Score in {cell}", {"author": "grader"}) for cell in cells]
    )


def merged(target: Package, donor: Package, path: Path) -> Any:
    assert merge_notes(target, donor, PART, PART) == ()
    target.save(path)
    after = Package(_read(path))
    assert not package_problems(after)
    assert not list(sheet_problems(after, PART))
    return openpyxl.load_workbook(path)["Rubric"]


def _read(path: Path) -> Mapping[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_notes_join_those_that_are_there(tmp_path: Path) -> None:
    target = package(lambda sheet: sheet.write_comment("B2", "Mine", {"author": "Expert"}))

    sheet = merged(target, ours("G2", "G3"), tmp_path / "out.xlsx")

    assert {cell: (sheet[cell].comment.text, sheet[cell].comment.author) for cell in ("B2", "G3")} == {
        "B2": ("Mine", "Expert"),
        "G3": ("Score in G3", "grader"),
    }


@pytest.mark.parametrize(
    "change",
    [
        lambda sheet: None,
        lambda sheet: sheet.insert_button("M2", {"caption": "Go"}),
        lambda sheet: sheet.set_header("&L&G", {"image_left": "p.png", "image_data_left": picture()}),
    ],
)
def test_notes_are_made_where_there_are_none(change: Callable[[Any], object], tmp_path: Path) -> None:
    target = package(change)
    before = {name: target.data(name) for name in target.names() if name.endswith(".vml")}

    sheet = merged(target, ours("G2"), tmp_path / "out.xlsx")

    assert sheet["G2"].comment.text == "Score in G2"
    for name, data in before.items():
        start, shapes = target.data(name)[:40], data.split(b"<v:shape ")[1:]
        assert start == data[:40]
        assert all(shape.removesuffix(b"</xml>") in target.data(name) for shape in shapes)


def picture() -> BytesIO:
    from struct import pack
    from zlib import compress, crc32

    chunks = [(b"IHDR", pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)), (b"IDAT", compress(b"\0\0\0\0")), (b"IEND", b"")]
    body = (pack(">I", len(data)) + kind + data + pack(">I", crc32(kind + data)) for kind, data in chunks)
    return BytesIO(b"\x89PNG\r\n\x1a\n" + b"".join(body))


def test_more_boxes_than_a_block_has_numbers_for_are_counted_on(tmp_path: Path) -> None:
    target = package(lambda sheet: sheet.write_comment("B2", "Mine"))

    merged(target, ours(*(f"G{row}" for row in range(2, 1_100))), tmp_path / "out.xlsx")

    assert b'data="1,2"' in target.data("xl/drawings/vmlDrawing1.vml")


def test_a_drawing_that_cannot_be_read_costs_the_notes_and_nothing_else() -> None:
    target = package(lambda sheet: sheet.write_comment("B2", "Mine"))
    target.replace("xl/drawings/vmlDrawing1.vml", "<xml>ü</xml>".encode("utf-16"))

    assert merge_notes(target, ours("G2"), PART, PART) == (NO_NOTES,)
    assert b"Score" not in target.data("xl/comments1.xml")


def test_a_note_is_never_replaced() -> None:
    target = package(lambda sheet: sheet.write_comment("G2", "Mine"))

    with pytest.raises(Unpatchable, match="G2 has a note already"):
        merge_notes(target, ours("G2"), PART, PART)


def test_without_notes_nothing_is_touched() -> None:
    target = package(lambda sheet: None)

    assert merge_notes(target, package(lambda sheet: None), PART, PART) == ()
    assert not target.changed_names
