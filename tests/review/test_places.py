from __future__ import annotations

from pathlib import Path

import pytest

from grader.errors import InputError
from grader.review.places import check_out


def said(out: Path, folder: Path) -> str:
    return check_out(
        out, graded=[folder / "anna.xlsx", folder / "graded.xlsx"], criteria_path=folder / "c.xlsx", run_dir=folder
    )


@pytest.mark.parametrize("name", ["results.jsonl", "run.db", "x", "c.xlsx", "anna.xlsx", "file/x.xlsx", "dir.xlsx"])
def test_what_must_stay_as_it_is(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "dir.xlsx").mkdir()
    with pytest.raises(InputError):
        said(tmp_path / name, tmp_path)


def test_other_places(tmp_path: Path) -> None:
    assert said(tmp_path / "new.xlsx", tmp_path) == said(tmp_path / "graded.xlsx", tmp_path) == ""
    assert "is made" in said(tmp_path / "new" / "folder" / "x.XLSM", tmp_path)
