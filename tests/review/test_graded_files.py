from __future__ import annotations

import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
import xlsxwriter
from openpyxl import Workbook

from grader.errors import InputError
from grader.review.graded_files import read_graded_file

HEADER = ["Key", "Text hash", "ID", "System", "Judge score", "Expert score", "Expert comment"]


def graded(path: Path, name: str = "Review") -> Path:
    book = Workbook()
    book.active.title = "Mine"  # type: ignore[union-attr]  # a new workbook has a sheet
    sheet = book.create_sheet(name)
    sheet.append(HEADER)
    sheet.append(["k", "h", "1", "s", 5, 3, "c"])
    sheet.append(["l", "h", "2", "s", 5, "=1+1", ""])
    book.properties.lastModifiedBy = "  Anna\n Meier "
    book.save(path)
    return path


def test_what_is_in_it(tmp_path: Path) -> None:
    path = graded(tmp_path / "g.xlsx")
    file = read_graded_file(path)
    assert (file.saved_by, file.run_id, [row.key for row in file.rows]) == ("Anna Meier", "", ["k", "l"])
    assert file.saved.startswith(f"{datetime.now(UTC):%Y-}") and file.saved.endswith("Z")
    assert "no stored result" in file.faults[("Review", 2, 5)]
    assert file.ref("Review", 1, 5).cell == "F2"


def test_the_sheet_may_be_renamed_or_hidden(tmp_path: Path) -> None:
    path = graded(tmp_path / "g.xlsx", "Bewertung")
    assert len(read_graded_file(path).rows) == 2


def test_a_workbook_that_does_not_say_who_or_when(tmp_path: Path) -> None:
    path, bare = graded(tmp_path / "g.xlsx"), tmp_path / "bare.xlsx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(bare, "w") as new:
        for name in old.namelist():
            if not name.startswith("docProps"):
                new.writestr(name, old.read(name))
    file = read_graded_file(bare)
    when = datetime.fromtimestamp(bare.stat().st_mtime, UTC)
    assert (file.saved_by, file.saved) == ("", f"{when:%Y-%m-%dT%H:%M:%SZ}")


def test_the_run_it_is_of(tmp_path: Path) -> None:
    path = tmp_path / "g.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        book.set_custom_property("grader Run", "run-7")
        book.add_worksheet("Review").write_row(0, 0, [*HEADER])
        book.get_worksheet_by_name("Review").write_row(1, 0, ["k", "h", "1", "s", 5, 3, "c"])
    assert read_graded_file(path).run_id == "run-7"


def test_a_sheet_of_the_experts_that_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    path, odd = graded(tmp_path / "g.xlsx"), tmp_path / "odd.xlsx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(odd, "w") as new:
        for name in old.namelist():
            broken = b"<worksheet><sheetData>"
            new.writestr(name, broken if name == "xl/worksheets/sheet1.xml" else old.read(name))
    assert len(read_graded_file(odd).rows) == 2
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(odd, "w") as new:
        for name in old.namelist():
            new.writestr(name, broken if name == "xl/worksheets/sheet2.xml" else old.read(name))
    with pytest.raises(InputError, match="damaged"):
        read_graded_file(odd)


def test_a_workbook_that_would_hurt_is_refused(tmp_path: Path) -> None:
    path = graded(tmp_path / "g.xlsx")
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as package:
        package.writestr("xl/bomb.xml", b"<a>" + b" " * 50_000_000)
    with pytest.raises(InputError, match="unsafe"):
        read_graded_file(path)
