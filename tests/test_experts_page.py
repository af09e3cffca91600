"""Tells the story of docs/experts.md for real, LibreOffice in the middle, and compares it with what the page says."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from openpyxl import load_workbook

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "experts.md").read_text("utf-8")
PICTURE = re.compile(r"!\[[^\]]+\]\((.+?\.png)\)")
SOFFICE = shutil.which("soffice")

needs_libreoffice = pytest.mark.skipif(SOFFICE is None, reason="LibreOffice is not installed")


@pytest.fixture(scope="module")
def story() -> Iterator[ModuleType]:
    """The story's module, which lies beside the page and is no part of the package."""
    spec = importlib.util.spec_from_file_location("experts_story", DOCS / "experts_story.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def told(story: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return story.tell(tmp_path_factory.mktemp("story"), SOFFICE)


def quotes() -> list[str]:
    """Return what the page quotes from the program, each as one line."""
    return [" ".join(quote.replace(">", " ").split()) for quote in re.findall(r"(?:^>.*\n)+", PAGE, re.M)]


def table() -> dict[str, list[str]]:
    """Return the page's means by system."""
    rows = re.findall(r"^\| (\S+) \| ([\d.| ]+) \|$", PAGE, re.M)
    return {system: figures.split(" | ") for system, figures in rows}


def means(output: str) -> dict[str, list[str]]:
    """Return what `grader review` printed as judge and final mean by system."""
    return {row[0]: row[1:3] for row in map(str.split, output.splitlines()) if len(row) == 8 and row[4] == "to"}


def review_row(story: ModuleType, workbook: Path, about: str) -> dict[str, Any]:
    sheet = load_workbook(workbook, data_only=True)["Review"]
    values = [cell.value for cell in sheet[story.row_number(sheet, about)]]
    return dict(zip(story.header(sheet), values, strict=True))


@needs_libreoffice
def test_what_the_program_says_is_what_the_page_quotes(told: Any) -> None:
    said = " ".join(" ".join(told.said.values()).split())
    assert len(quotes()) == 3
    for quote in quotes():
        assert quote in said, quote


@needs_libreoffice
def test_the_means_of_each_step(told: Any) -> None:
    anna, both = means(told.said["anna"]), means(told.said["ben"])
    summary = json.loads((told.again.parent / "summary.json").read_text("utf-8"))
    again = {row["system"]: f"{row['final']['mean']:.2f}" for row in summary["systems"]}
    assert table() == {system: [*anna[system], both[system][1], again[system]] for system in again}


@needs_libreoffice
def test_blind_rows_show_nothing_until_they_are_read_back(story: ModuleType, told: Any) -> None:
    for workbook, is_masked in ((told.graded, True), (told.anna, True), (told.after_anna, False)):
        book = load_workbook(workbook)
        review, criteria = book["Review"], book["Criteria"]
        cells = [
            review.cell(story.row_number(review, "8 careful-7b"), story.header(review).index(column) + 1)
            for column in ("Judge score", "Verdict", "Judge analysis")
        ] + [
            criteria.cell(9, story.header(criteria).index(f"careful-7b {what}") + 1)
            for what in ("score", "verdict", "analysis")
        ]
        assert str(criteria["A9"].value) == "8"
        for cell in cells:
            assert ("blind" in cell.number_format) is is_masked
            # LibreOffice shows a text with line ends whatever its number format says.
            assert not is_masked or "\n" not in str(cell.value)


@needs_libreoffice
def test_entries_count_then_differ_then_go_stale(story: ModuleType, told: Any) -> None:
    anna, both, again = (
        review_row(story, path, "14 verbose-13b") for path in (told.after_anna, told.after_both, told.again)
    )
    assert (anna["Final"], both["Final"], both["Needs review"]) == (25, 12.5, "experts differ")
    assert all(name in both["Expert comment"] for name in ("Anna:", "Ben:"))
    assert (again["Final"], again["Expert score"], again["Expert comment"]) == (50, None, None)
    assert all(words in again["Stale entry"] for words in ("Anna: 25", "Ben: 0"))
    assert [review_row(story, path, "2 verbose-13b")["Final"] for path in (told.after_anna, told.after_both)] == [0, 50]
    assert review_row(story, told.again, "2 quick-7b")["Expert score"] == 25


@needs_libreoffice
def test_only_what_changed_is_judged_again(told: Any) -> None:
    with sqlite3.connect(told.again.parent / "run.db") as connection:
        (calls,) = connection.execute("SELECT count(*) FROM call").fetchone()
    connection.close()
    now, first, then = re.findall(r"(\d+) verdicts in all,\s+(\d+) the first time and (\d+) now", PAGE)[0]
    assert (calls, int(first) + int(then)) == (int(now), int(now))


@needs_libreoffice
def test_the_sheets_are_those_of_the_page(told: Any) -> None:
    listed = re.findall(r"^\| \*\*(\w+)\*\* \|", PAGE, re.M)
    sheets = [sheet.title for sheet in load_workbook(told.after_both).worksheets if sheet.sheet_state == "visible"]
    assert sheets[-len(listed) :] == listed


@needs_libreoffice
def test_a_criteria_workbook_to_fill_in_is_made(told: Any) -> None:
    assert told.started.is_file()
    assert "0 errors" in told.said["check"]


def test_the_pages_pictures_are_there_and_small() -> None:
    shown = {DOCS / name for name in PICTURE.findall(PAGE)}
    assert len(shown) > 5
    for path in [*shown, DOCS / "graded-workbook.png"]:
        assert path.stat().st_size <= 150_000, path.name
    others = set((DOCS / "pictures").glob("report-*.png"))
    assert set((DOCS / "pictures").glob("*.png")) - others == shown
