from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from grader.outputs.graded_workbook.lint import read_written
from grader.outputs.graded_workbook.marks import find_marks
from grader.outputs.graded_workbook.write import WrittenWorkbook

SOFFICE = shutil.which("soffice")

pytestmark = pytest.mark.skipif(SOFFICE is None, reason="LibreOffice is not installed")


@pytest.mark.filterwarnings("ignore::UserWarning:openpyxl")
def test_libreoffice_opens_and_saves_the_columns(
    annotate: Callable[..., WrittenWorkbook], shared: Path, tmp_path: Path
) -> None:
    written = annotate(shared / "workbooks" / "features" / "table_only.xlsx").path
    command = [str(SOFFICE), f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}", "--headless"]
    command += ["--convert-to", "xlsx", "--outdir", str(tmp_path / "saved"), str(written)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    saved = tmp_path / "saved" / written.name

    ours, theirs = openpyxl.load_workbook(written)["Rubric"], openpyxl.load_workbook(saved)["Rubric"]

    assert [[cell.value for cell in row] for row in theirs["A1:L16"]] == [
        [cell.value for cell in row] for row in ours["A1:L16"]
    ]
    assert [table.ref for table in theirs.tables.values()] == ["A1:L16"]
    assert theirs["G2"].comment is not None
    assert find_marks(read_written(saved)).columns == (("Rubric", "G1:L1"),)
