from __future__ import annotations

import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import openpyxl
import xlsxwriter
from lxml import etree
from openpyxl.comments import Comment

from grader.outputs.graded_workbook.lint import package_problems
from grader.outputs.graded_workbook.merge.notes import merge_notes
from grader.outputs.graded_workbook.opening import open_donor
from grader.outputs.graded_workbook.package import Package

PART = "xl/worksheets/sheet1.xml"
VML = "{urn:schemas-microsoft-com:vml}"


def parts(path: Path) -> Mapping[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_notes_join_those_of_a_drawing_with_other_prefixes(tmp_path: Path) -> None:
    theirs, out = tmp_path / "theirs.xlsx", tmp_path / "out.xlsx"
    book = openpyxl.Workbook()
    book.worksheets[0]["B2"].comment = Comment("Mine", "Expert")
    book.save(theirs)
    donor = BytesIO()
    with xlsxwriter.Workbook(donor, {"in_memory": True}) as ours:
        ours.add_worksheet().write_comment("G2", "Score in G2", {"author": "grader"})
    target = Package(parts(theirs))

    assert merge_notes(target, open_donor(donor), PART, PART) == ()

    target.save(out)
    assert not package_problems(Package(parts(out)))
    sheet = openpyxl.load_workbook(out).worksheets[0]
    assert [sheet[cell].comment.text for cell in ("B2", "G2") if sheet[cell].comment] == ["Mine", "Score in G2"]
    (drawing,) = (data for name, data in parts(out).items() if name.endswith(".vml"))
    root = etree.fromstring(drawing)
    assert len(root.findall(f"{VML}shape")) == 2
    assert len(root.findall(f"{VML}shapetype")) == 1
