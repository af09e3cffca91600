from __future__ import annotations

import csv
import json
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from click.testing import CliRunner, Result

from grader.cli.main import cli
from grader.errors import GraderError, JudgeError
from grader.inputs.rubric_file import read_rubric
from grader.judging.judges import open_judge
from grader.plugins import all_entry_points
from grader.records import JudgeSettings
from grader.scoring.registry import find_rule

EXAMPLE = Path(__file__).parents[1] / "examples" / "grader-example-plugin"
Score = Callable[..., Result]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The example package, installed as pip would: its module and the record of its entry points on the path."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    site = tmp_path / "site"
    record = site / "grader_example_plugin-0.1.0.dist-info"
    record.mkdir(parents=True)
    (record / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 0.1.0\n")
    sections = [
        "\n".join([f"[{group}]", *(f"{name} = {target}" for name, target in entries.items())])
        for group, entries in project["entry-points"].items()
    ]
    (record / "entry_points.txt").write_text("\n\n".join(sections) + "\n")
    module = site / "grader_example_plugin.py"
    module.write_text((EXAMPLE / module.name).read_text("utf-8"), encoding="utf-8")
    monkeypatch.syspath_prepend(site)
    for found in (find_rule, all_entry_points):
        found.cache_clear()
    yield module
    for found in (find_rule, all_entry_points):
        found.cache_clear()
    sys.modules.pop("grader_example_plugin", None)


@pytest.fixture
def score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Score:
    """Grade two answers, one of them long, by the example's rubric with its judge."""
    monkeypatch.chdir(tmp_path)
    with xlsxwriter.Workbook("criteria.xlsx") as workbook:
        sheet = workbook.add_worksheet("Criteria")
        for number, row in enumerate([["id", "question", "reference"], [1, "Q1?", "R"], [2, "Q2?", "R"]]):
            sheet.write_row(number, 0, row)
    answers = [{"id": 1, "answer": "short"}, {"id": 2, "answer": "long " * 101}]
    Path("apollo.jsonl").write_text("\n".join(map(json.dumps, answers)))

    def run(*arguments: str) -> Result:
        files = ["--criteria", "criteria.xlsx", "--answers", "apollo.jsonl", "--out", "run"]
        return CliRunner().invoke(cli, ["score", *files, "--rubric", str(EXAMPLE / "concise.yaml"), *arguments])

    return run


def results() -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path("run/results.jsonl").read_text("utf-8").splitlines()]


def test_rule_judge_and_exporter_are_used(installed: Path, score: Score) -> None:
    done = score("--model", "always:4")
    assert done.exit_code == 0, done.output
    assert [(row["score"], row["flags"], row["model"]) for row in results()] == [
        (4, [], "always:4"),
        (3, ["too_long"], "always:4"),
    ]
    with Path("run/scores.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["system", "id", "score"], ["apollo", "1", "4.0"], ["apollo", "2", "3.0"]]
    assert str(Path("run/scores.csv")) in done.stdout


def test_rescore_exports_too(installed: Path, score: Score) -> None:
    score("--model", "always:4")
    Path("run/scores.csv").unlink()
    assert CliRunner().invoke(cli, ["rescore", "run"]).exit_code == 0
    assert Path("run/scores.csv").is_file()


def test_an_exporter_that_fails_is_a_note(installed: Path, score: Score) -> None:
    broken = installed.read_text("utf-8").replace(
        "    path = run_dir", "    raise OSError('no room')\n    path = run_dir"
    )
    installed.write_text(broken, encoding="utf-8")
    done = score("--model", "always:4")
    assert done.exit_code == 0, done.output
    assert "the exporter “scores-csv” failed: OSError: no room" in done.stderr
    assert len(results()) == 2


def test_a_package_that_cannot_be_imported(installed: Path, score: Score) -> None:
    installed.write_text("raise ImportError('no such library')\n")
    done = score("--model", "offline")
    assert done.exit_code == 1
    assert "“concise” of the package grader-example-plugin cannot be loaded" in done.stderr
    assert "Traceback" not in done.output
    done = score("--model", "offline", "--rubric", "likert")
    assert "“scores-csv” of the package grader-example-plugin cannot be loaded" in done.stderr
    assert Path("run/results.jsonl").is_file()


def test_a_judge_is_found_by_its_name_alone_or_before_a_colon(installed: Path) -> None:
    rubric, _ = read_rubric("likert")
    assert open_judge(JudgeSettings(model="always:2"), rubric).model == "always:2"
    with pytest.raises(JudgeError, match="always:4"):
        open_judge(JudgeSettings(model="always"), rubric)


def test_without_the_package_its_rule_is_unknown(score: Score) -> None:
    done = score("--model", "offline")
    assert done.exit_code == 2
    assert "there is no rule “concise”" in done.stderr
    assert GraderError.exit_code == 1
