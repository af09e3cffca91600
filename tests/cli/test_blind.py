from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from click.testing import CliRunner, Result

from grader.cli.main import cli

Grade = Callable[..., Result]


def blind_keys(path: Path) -> list[object]:
    book = openpyxl.load_workbook(path)
    return (
        [row[0] for row in book["Blind"].iter_rows(min_row=2, values_only=True)] if "Blind" in book.sheetnames else []
    )


def test_blind_rows_are_as_many_as_wanted_and_the_run_keeps_their_number(grade: Grade, tmp_path: Path) -> None:
    grade("--blind", 2)
    path = tmp_path / "run" / "graded.xlsx"
    keys = blind_keys(path)

    assert len(keys) == 2
    assert json.loads((tmp_path / "run" / "summary.json").read_text("utf-8"))["options"]["blind"] == 2
    path.unlink()
    CliRunner().invoke(cli, ["rescore", str(tmp_path / "run")])
    assert blind_keys(path) == keys


def test_without_the_option_there_is_no_such_sheet(grade: Grade, tmp_path: Path) -> None:
    grade()

    assert blind_keys(tmp_path / "run" / "graded.xlsx") == []


def test_more_than_there_are_is_said(grade: Grade) -> None:
    result = grade("--blind", 50)

    assert "There are 3 rows to score blind, not 50: all of them are." in " ".join(result.output.split())


@pytest.mark.parametrize("number", [-1, "half"])
def test_a_number_is_wanted(grade: Grade, number: object) -> None:
    result = grade("--blind", number)

    assert result.exit_code == 2
    assert "--blind" in result.output
