from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from openpyxl import load_workbook

from grader.cli.main import cli


def test_a_workbook_for_a_type(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["init", "--rubric", "points", "my.xlsx"])
    assert done.exit_code == 0, done.output
    assert "my.xlsx: fill in the sheet Criteria" in done.output
    assert load_workbook(tmp_path / "my.xlsx").sheetnames == ["Criteria", "Rubric", "How to"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--rubric", "pointz", "a.xlsx"], "Did you mean points?"),
        (["--rubric", "points", "a.csv"], "must end in .xlsx"),
        (["--rubric", "points", "nowhere/a.xlsx"], "there is no folder nowhere"),
        (["--rubric", "points", "there.xlsx"], "never overwritten"),
        (["a.xlsx"], "--rubric"),
    ],
)
def test_what_cannot_be_done(tmp_path: Path, arguments: list[str], says: str) -> None:
    (tmp_path / "there.xlsx").touch()
    done = CliRunner().invoke(cli, ["init", *arguments])
    assert done.exit_code == 2
    assert says in done.output
    assert not (tmp_path / "a.xlsx").exists()


def test_scoring_the_untouched_file_says_what_to_do() -> None:
    CliRunner().invoke(cli, ["init", "--rubric", "likert", "my.xlsx"])
    done = CliRunner().invoke(cli, ["score", "--criteria", "my.xlsx"])
    assert done.exit_code == 2
    assert "my.xlsx [Criteria!" in done.output
    assert "the table still holds only the examples" in done.output
