from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from grader.outputs.graded_workbook.entry_values import Unclear, parse_entered_score
from grader.outputs.graded_workbook.review_formulas import typed_score
from grader.outputs.graded_workbook.write import WrittenWorkbook
from grader.records import Grade

Write = Callable[..., WrittenWorkbook]
Make = Callable[..., Grade]

SOFFICE = shutil.which("soffice")
ALWAYS_RECALCULATE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item></oor:items>"""

pytestmark = pytest.mark.skipif(SOFFICE is None, reason="LibreOffice is not installed")


def recalculated(path: Path, tmp_path: Path) -> Path:
    """Open and save a workbook in LibreOffice, which computes every formula anew."""
    profile = tmp_path / "profile"
    (profile / "user").mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(ALWAYS_RECALCULATE)
    command = [str(SOFFICE), f"-env:UserInstallation={profile.as_uri()}", "--headless", "--convert-to", "xlsx"]
    subprocess.run([*command, "--outdir", str(tmp_path), str(path)], check=True, capture_output=True, timeout=120)
    return tmp_path / path.name


def figures(path: Path) -> dict[str, object]:
    """Return the values of all cells on our sheets, empty text and nothing being the same."""
    book = openpyxl.load_workbook(path, data_only=True)
    cells = (cell for name in ("Review", "Summary") for row in book[name].iter_rows() for cell in row)
    return {
        f"{cell.parent.title}!{cell.coordinate}": round(cell.value, 9) if isinstance(cell.value, float) else cell.value
        for cell in cells
        if cell.value not in (None, "")
    }


def test_the_values_written_are_those_that_libreoffice_computes(
    write: Write, grade: Make, criteria_path: Path, tmp_path: Path
) -> None:
    scores: dict[str, list[float | None]] = {
        "gpt*": [0, 25, None, 100],
        "GPT*": [100, 50, 75, 60],
        "~x": [None, 50, 50, 50],
    }
    grades = [
        grade(str(number), system, score, group=f"g{number % 2}")
        for system, series in scores.items()
        for number, score in enumerate(series)
    ]
    path = write(grades, criteria_path).path
    book = openpyxl.load_workbook(path)
    sheet = book["Review"]
    column = [cell.value for cell in sheet[1]].index("Expert score") + 1
    for row, score in ((2, 75), (3, 25), (4, 50), (13, 0)):
        sheet.cell(row, column).value = score
    book.save(path)  # without any values of formulas, so that LibreOffice has to compute them
    computed = figures(recalculated(path, tmp_path / "computed"))

    written = figures(write(grades, criteria_path).path)

    # The leaderboard is sorted as it was first written; ranks and figures are compared by system.
    assert {key: value for key, value in written.items() if key.startswith("Review")} == {
        key: value for key, value in computed.items() if key.startswith("Review")
    }
    assert by_system(written) == by_system(computed)
    assert {len(rows) for rows in by_system(computed).values()} == {4}


def by_system(cells: dict[str, object]) -> dict[str, list[list[object]]]:
    """Return the rows of figures on Summary under each system's name."""
    rows: dict[str, list[list[object]]] = {}
    numbers = sorted({int(key.split("!")[1].lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")) for key in cells if "Summary" in key})
    for number in numbers:
        name = cells.get(f"Summary!A{number}")
        if name in ("gpt*", "GPT*", "~x"):
            rows.setdefault(str(name), []).append([cells.get(f"Summary!{letter}{number}") for letter in "BCDEFGHIJKL"])
    return rows


def test_scores_typed_as_text_are_read_as_grader_review_reads_them(tmp_path: Path) -> None:
    typed = [
        "62,5",
        "62.5",
        "７５",
        "50",
        " 50 ",
        "１２，５",
        ".5",
        "0,125",
        "007",
        "1.000",
        "1,000",
        "1e2",
        "5%",
        "5 0",
    ]
    typed += ["1,2,3", "so so", "1/2", "(5)", "."]
    book = openpyxl.Workbook()
    for row, text in enumerate(typed, start=1):
        book.worksheets[0].cell(row, 1).value = text
        book.worksheets[0].cell(row, 2).value = f"={typed_score(f'$A{row}', _UNREAD)}"
    book.save(tmp_path / "typed.xlsx")

    (sheet,) = openpyxl.load_workbook(recalculated(tmp_path / "typed.xlsx", tmp_path / "computed"), data_only=True)

    assert {text: sheet.cell(row, 2).value for row, text in enumerate(typed, start=1)} == {
        text: read(text) for text in typed
    }


_UNREAD = '"?"'


def read(text: str) -> float | str | None:
    try:
        return parse_entered_score(text)
    except Unclear:
        return "?"
