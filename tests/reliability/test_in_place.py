"""A file is put in its place once it is on the disk and was read back, workbooks cell by cell (RELIABILITY 15)."""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from openpyxl import load_workbook

from grader.cli.main import cli
from grader.outputs.graded_workbook.package import Package

pytestmark = pytest.mark.no_cover

TEXT_FILES = {"results.jsonl", "summary.json", "analysis.json", "skipped.log"}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, criteria_path: Path, answers_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def grade(*arguments: str) -> Result:
    words = ["score", "--criteria", "criteria.xlsx", "--answers", "apollo.jsonl", "--out", "run", "--model", "offline"]
    return CliRunner().invoke(cli, [*words, *arguments])


class Disk:
    """Notes which files were brought to the disk, and which were put in place that were not, or not since."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.placed: set[str] = set()
        self.placed_too_soon: list[str] = []
        self._on_disk: dict[int, int] = {}
        self._fsync, self._replace = os.fsync, Path.replace
        monkeypatch.setattr(os, "fsync", self._brought)
        monkeypatch.setattr(Path, "replace", lambda source, target: self._put(source, Path(target)))

    def _brought(self, file: int) -> None:
        self._fsync(file)
        status = os.fstat(file)
        self._on_disk[status.st_ino] = status.st_size

    def _put(self, source: Path, target: Path) -> Path:
        status = source.stat()
        if self._on_disk.get(status.st_ino) != status.st_size:
            self.placed_too_soon.append(target.name)
        self.placed.add(target.name)
        return self._replace(source, target)


def test_every_file_of_a_run_is_on_the_disk_before_it_has_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(monkeypatch)
    assert grade().exit_code == 0
    assert disk.placed == {"graded.xlsx", *TEXT_FILES}
    assert grade("--limit", "1").exit_code == 0
    workbook = load_workbook("run/graded.xlsx")
    workbook["Review"]["A9"] = "what would be lost"
    workbook.save("run/graded.xlsx")
    workbook["Review"].delete_cols(1)
    workbook.save("run/graded.xlsx")  # its entries can no longer be told, so that it has to be kept
    assert grade().exit_code == 0
    assert "graded (earlier 1).xlsx" in disk.placed
    assert disk.placed_too_soon == []


def spoil_first_copy(monkeypatch: pytest.MonkeyPatch, part: str, old: bytes, new: bytes) -> None:
    """Have the first workbook that is saved hold something else in one of its parts, as a failing disk might."""
    save, is_spoilt = Package.save, False

    def saved(package: Package, target: Path) -> None:
        nonlocal is_spoilt
        save(package, target)
        if not is_spoilt:
            is_spoilt = True
            with zipfile.ZipFile(target) as before:
                parts = {name: before.read(name) for name in before.namelist()}
            assert parts[part].count(old) == 1
            with zipfile.ZipFile(target, "w") as after:
                for name, data in parts.items():
                    after.writestr(name, data.replace(old, new) if name == part else data)

    monkeypatch.setattr(Package, "save", saved)


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        ("xl/worksheets/sheet1.xml", b'<c r="A3"><v>2</v></c>', b'<c r="A3"><v>7</v></c>'),  # a cell beside ours
        ("xl/worksheets/sheet1.xml", b'<c r="A3"><v>2</v></c>', b""),
        ("xl/theme/theme1.xml", b"Cambria", b"Candara"),  # a part that is none of our business
        (
            "xl/_rels/workbook.xml.rels",
            b'"worksheets/sheet2.xml"',
            b'"worksheets/sheet9.xml"',
        ),  # what Excel would repair
    ],
)
def test_a_workbook_that_does_not_hold_what_it_should_is_never_put_in_place(
    monkeypatch: pytest.MonkeyPatch, part: str, old: bytes, new: bytes
) -> None:
    spoil_first_copy(monkeypatch, part, old, new)
    done = grade()
    assert done.exit_code == 0
    assert "did not pass our check" in done.stderr
    with zipfile.ZipFile("run/graded.xlsx") as package:
        assert old in package.read(part)
    assert [cell.value for cell in load_workbook("run/graded.xlsx")["Criteria"]["A"]] == ["id", 1, 2, 3]
    assert not list(Path("run").glob(".*part*"))


def test_the_criteria_workbook_is_only_read() -> None:
    shutil.copy2("criteria.xlsx", "before.xlsx")
    Path("criteria.xlsx").chmod(0o400)
    assert grade().exit_code == 0
    assert Path("criteria.xlsx").read_bytes() == Path("before.xlsx").read_bytes()
    assert Path("criteria.xlsx").stat().st_mtime_ns == Path("before.xlsx").stat().st_mtime_ns
