"""analysis.json of a graded run, and the sheet beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from openpyxl import load_workbook

from grader.cli.main import cli
from grader.outputs.analysis_json import write_analysis_json
from grader.statistics.item_analysis import item_analysis
from grader.statistics.item_analysis_records import AnalysedAnswer, CriterionText


def run(criteria_path: Path, answers_path: Path, out: Path, *more: str) -> Any:
    command = ["score", "--criteria", str(criteria_path), "--answers", str(answers_path), "--model", "offline"]
    done = CliRunner().invoke(cli, [*command, "--out", str(out), "--quiet", "--no-progress", *more])
    assert done.exit_code == 0, done.output
    return json.loads((out / "analysis.json").read_text("utf-8"))


@pytest.mark.parametrize(("rubric", "count"), [("tiered", 0), ("tiered-items", 6)])
def test_it_holds_criteria_where_the_rubric_has_verdicts(
    criteria_path: Path, answers_path: Path, tmp_path: Path, rubric: str, count: int
) -> None:
    record = run(criteria_path, answers_path, tmp_path / "run", "--rubric", rubric)
    assert (record["version"], record["confidence"]) == (1, 0.95)
    assert len(record["criteria"]) == count
    assert [each["item_id"] for each in record["questions"]] == ["1", "2", "3"]
    assert record["questions"][0]["item_rest"]["reason"] == "not computable: fewer than 3 systems"
    assert [each["system"] for each in record["scores"]] == [None, "apollo"]
    lines = (tmp_path / "run" / "analysis.json").read_text("utf-8").splitlines()
    assert sum('"item_id"' in line for line in lines) == count + 3, "a line for each criterion and each question"
    assert load_workbook(tmp_path / "run" / "graded.xlsx").sheetnames[-3:-1] == ["Analysis", "About"]


def test_the_sheet_waits_until_blind_rows_are_scored(criteria_path: Path, answers_path: Path, tmp_path: Path) -> None:
    run(criteria_path, answers_path, tmp_path / "run", "--blind", "1")
    assert "Analysis" not in load_workbook(tmp_path / "run" / "graded.xlsx").sheetnames


def test_half_of_an_emoji_in_a_criterion_becomes_a_question_mark(tmp_path: Path) -> None:
    answers = [AnalysedAnswer(system="a", item_id="1", score=1.0, length=1, met={(None, 1): True})]
    criteria = [CriterionText(item_id="1", place=(None, 1), text="smiles \ud83d")]
    write_analysis_json(tmp_path / "analysis.json", item_analysis(answers, criteria, scale=(0.0, 1.0)))
    (criterion,) = json.loads((tmp_path / "analysis.json").read_text("utf-8"))["criteria"]
    assert criterion["text"] == "smiles ?"
    assert criterion["met"]["n"] == 1
    assert list(criterion) == ["item_id", "level", "number", "text", "met", "item_rest", "findings"]
