"""A run meets an open workbook, another run, and a store of a newer grader, as a user does (RELIABILITY 15, 16)."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from openpyxl import load_workbook

from grader.cli.main import cli
from grader.store.run_store import RunStore


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, criteria_path: Path, answers_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def grade(*arguments: str) -> Result:
    words = ["score", "--criteria", "criteria.xlsx", "--answers", "apollo.jsonl", "--out", "run", "--model", "offline"]
    return CliRunner().invoke(cli, [*words, *arguments])


def hold_open(monkeypatch: pytest.MonkeyPatch, held: Path) -> None:
    """Refuse to replace `held`, as Windows does while Excel has it open."""
    real = Path.replace

    def replace(self: Path, target: Path) -> Path:
        if Path(target).resolve() == held.resolve():
            raise PermissionError(13, "The process cannot access the file", str(target))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)


@pytest.mark.parametrize("is_told_by_lock_file", [True, False])
def test_an_open_workbook_stays_and_the_new_one_stands_beside_it_and_is_named(
    monkeypatch: pytest.MonkeyPatch, is_told_by_lock_file: bool
) -> None:
    assert grade().exit_code == 0
    before = Path("run/graded.xlsx").read_bytes()
    if is_told_by_lock_file:
        Path("run/~$graded.xlsx").write_bytes(b"")
    else:
        hold_open(monkeypatch, Path("run/graded.xlsx"))
    Path("apollo.jsonl").write_text(json.dumps({"id": 1, "answer": "the moon, the far side"}), "utf-8")
    done = grade()
    assert done.exit_code == 0, done.output
    assert "graded (2).xlsx" in done.output
    assert "Criteria" in load_workbook("run/graded (2).xlsx").sheetnames
    assert Path("run/graded.xlsx").read_bytes() == before
    assert not list(Path("run").glob("*.part*"))


def test_a_run_in_a_folder_that_another_has_is_refused_and_names_it() -> None:
    with RunStore(Path("run")):
        done = grade()
    assert done.exit_code == 1
    assert "process " in done.output
    assert not Path("run/graded.xlsx").exists()
    assert grade().exit_code == 0


@pytest.mark.parametrize("command", [["rescore", "run"], None], ids=["rescore", "score"])
def test_a_store_of_a_newer_grader_is_left_as_it_is(command: list[str] | None) -> None:
    assert grade().exit_code == 0
    with closing(sqlite3.connect("run/run.db")) as connection:
        connection.execute("PRAGMA user_version = 99")
        connection.commit()
    before = {path.name: path.read_bytes() for path in Path("run").iterdir() if path.suffix in (".jsonl", ".xlsx")}
    done = CliRunner().invoke(cli, command) if command else grade()
    assert done.exit_code == 1
    assert "newer grader" in done.output
    assert "--out" in done.output
    assert {name: Path("run", name).read_bytes() for name in before} == before
    with closing(sqlite3.connect("run/run.db")) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (99,)
