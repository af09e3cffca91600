from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from openpyxl import load_workbook

from grader.cli.main import cli

Grade = Callable[..., Result]


@pytest.fixture
def run(grade: Grade, answers_path: Path, tmp_path: Path) -> Path:
    """A run of two systems by the offline judge."""
    other = tmp_path / "soyuz.jsonl"
    lines = answers_path.read_text("utf-8").splitlines()
    texts = [json.dumps({**json.loads(line), "answer": "No idea."}) for line in lines]
    other.write_text("\n".join(texts), encoding="utf-8")
    assert grade("--answers", other).exit_code == 0
    return tmp_path / "run"


def compare(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["compare", *map(str, arguments)])


def test_a_table_and_two_files(run: Path) -> None:
    done = compare(run)
    assert done.exit_code == 0, done.output
    for words in (
        "systems compared",
        "not told apart from",
        "win/tie/loss",
        "p (Holm)",
        "compare.json",
        "compare.xlsx",
    ):
        assert words in done.stdout
    pair = json.loads((run / "compare.json").read_text("utf-8"))["pairs"][0]
    assert (pair["first"], pair["second"], pair["difference"]["n"]) == ("apollo", "soyuz", 3)
    assert load_workbook(run / "compare.xlsx").sheetnames == ["Compare"]


def test_two_runs_go_beside_the_first(run: Path, grade: Grade, tmp_path: Path) -> None:
    assert grade("--out", tmp_path / "again").exit_code == 0
    done = compare(run, tmp_path / "again", "--by", "system", "--system", "apollo")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "compare-run-again" / "compare.xlsx").is_file()
    assert "apollo (again)" in done.stdout


def test_another_folder_and_nothing_said(run: Path, tmp_path: Path) -> None:
    done = compare(run, "--out", tmp_path / "new" / "one", "--quiet", "--judge-only")
    assert (done.exit_code, done.output) == (0, "")
    assert json.loads((tmp_path / "new" / "one" / "compare.json").read_text("utf-8"))["scores"] == "judge"


def test_where_items_have_no_score_the_code_is_three(grade: Grade, answers_path: Path, tmp_path: Path) -> None:
    replies = tmp_path / "replies.jsonl"
    record = {"id": "1", "reply": "<analysis>a</analysis>\n<score>50</score>"}
    texts = [{**record, "id": str(number)} if number < 3 else {"id": "3", "reply": "no score"} for number in (1, 2, 3)]
    replies.write_text("\n".join(map(json.dumps, texts)), encoding="utf-8")
    other = tmp_path / "soyuz.jsonl"
    other.write_text(answers_path.read_text("utf-8"), encoding="utf-8")
    grade("--answers", other, "--model", f"replay:{replies}", "--reasks", "0")
    done = compare(tmp_path / "run")
    assert done.exit_code == 3, done.output
    assert "INCOMPLETE: apollo: 1 of 3 items have no score" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["nowhere"], 2, "does not exist"),
        (["."], 1, "is not the folder of a run"),
        (["run", "--system", "vostok"], 2, "There are apollo, soyuz"),
        (["run", "--by", "judge"], 2, "no system has been judged in two runs"),
        (["run", "--margin", "0"], 2, "--margin"),
        (["run", "run"], 2, "named twice"),
        ([], 2, "Missing argument"),
    ],
)
def test_what_cannot_be_done_says_what_to_do(run: Path, arguments: list[str], code: int, words: str) -> None:
    done = compare(*arguments)
    assert done.exit_code == code, done.output
    assert words in done.stderr
