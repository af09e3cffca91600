"""What `grader score` does with a workbook that was graded before: only what changed is judged, entries stay."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from click.testing import CliRunner, Result
from openpyxl import load_workbook
from provider import Provider, Request, Scripted

from grader.cli.main import cli

Grade = Callable[..., Result]

LAYOUTS: dict[str, tuple[Sequence[object], ...]] = {
    "tiered": (
        ("id", "question", "answer", 25, 50),
        ("1", "What moon?", "The far side.", "(1) name the moon", "(1) name the far side"),
        ("2", "What rocket?", "Saturn V", "(1) name the rocket", "(1) name its stages"),
    ),
    "points": (
        ("id", "question", "answer", "criterion", "points"),
        ("1", "What moon?", "The far side.", "name the moon", 1),
        ("1", "", "", "name the far side", 2),
        ("2", "What rocket?", "Saturn V", "name the rocket", 3),
    ),
    "likert": (
        ("id", "question", "answer", "reference"),
        ("1", "What moon?", "The far side.", "The far side of the moon."),
        ("2", "What rocket?", "Saturn V", "A Saturn V."),
    ),
}


def type_score(path: Path, row: int, score: float) -> None:
    book = load_workbook(path)
    names = [cell.value for cell in book["Review"][1]]
    book["Review"].cell(row, names.index("Expert score") + 1).value = score
    book.save(path)


def review(path: Path) -> dict[tuple[Any, Any], dict[Any, Any]]:
    """Return the rows of Review by system and id."""
    rows = load_workbook(path)["Review"].iter_rows(values_only=True)
    header = next(rows)
    found = (dict(zip(header, row, strict=True)) for row in rows)
    return {(row["System"], row["ID"]): row for row in found}


def low(request: Request) -> Scripted:
    return Scripted(text="<analysis>x</analysis><score>0</score>")


def test_only_changed_rows_and_new_systems_are_judged_and_entries_stay(
    remote: Grade, provider: Provider, criteria_path: Path, tmp_path: Path
) -> None:
    provider.script = low
    graded = tmp_path / "run" / "graded.xlsx"
    assert remote().exit_code == 0
    type_score(graded, 2, 25)
    type_score(graded, 3, 100)

    book = load_workbook(criteria_path)
    book["Criteria"]["D3"] = "(1) give its name and its three stages"
    book.save(criteria_path)
    (tmp_path / "gemini.jsonl").write_text('{"id": "1", "answer": "A rock."}\n{"id": "2", "answer": "A ship."}\n')
    provider.history.clear()
    done = remote("--answers", tmp_path / "gemini.jsonl")
    rows = review(graded)

    assert done.exit_code in (0, 3), done.output
    asked = sorted("rock." in each.prompt or "ship." in each.prompt for each in provider.history)
    assert asked == [False, True, True]
    assert rows["apollo", "1"]["Expert score"] == 25
    assert rows["apollo", "2"]["Expert score"] is None
    assert rows["apollo", "2"]["Stale entry"].startswith("Expert score 100 (the question")
    assert not graded.with_name("graded (2).xlsx").exists()


@pytest.mark.parametrize("options", [(), ("--sheet", "Criteria")])
def test_a_graded_workbook_as_criteria_asks_nothing_anew(
    remote: Grade, provider: Provider, tmp_path: Path, options: Sequence[str]
) -> None:
    provider.script = low
    remote()
    criteria = (tmp_path / "run" / "graded.xlsx").rename(tmp_path / "second.xlsx")
    type_score(criteria, 2, 50)
    provider.history.clear()

    done = remote(*options, criteria=criteria)

    assert done.exit_code == 0, done.output
    assert provider.history == []
    assert load_workbook(tmp_path / "run" / "graded.xlsx").sheetnames[:2] == ["Criteria", "Review"]
    assert review(tmp_path / "run" / "graded.xlsx")["apollo", "1"]["Expert score"] == 50


@pytest.mark.no_cover
@pytest.mark.parametrize("sheet", [(), ("--sheet", "Criteria")])
@pytest.mark.parametrize("rubric", LAYOUTS)
def test_answers_in_the_workbook_are_read_beside_our_columns(tmp_path: Path, rubric: str, sheet: Sequence[str]) -> None:
    source = tmp_path / "mine.xlsx"
    with xlsxwriter.Workbook(str(source)) as book:
        page = book.add_worksheet("Criteria")
        for number, row in enumerate(LAYOUTS[rubric]):
            page.write_row(number, 0, row)

    def score(criteria: Path, name: str) -> list[list[Any]]:
        out = tmp_path / name
        command = ["score", "--criteria", criteria, "--rubric", rubric, "--model", "offline", "--out", out, *sheet]
        done = CliRunner().invoke(cli, [str(word) for word in command])
        assert done.exit_code == 0, done.output
        lines = map(json.loads, (out / "results.jsonl").read_text("utf-8").splitlines())
        return [[line[field] for field in ("system", "id", "answer", "question", "score")] for line in lines]

    first = score(source, "one")
    type_score(tmp_path / "one" / "graded.xlsx", 2, 1)
    again = score(tmp_path / "one" / "graded.xlsx", "two")

    assert first == again
    assert [row[0] for row in first] == ["mine", "mine"]
    assert review(tmp_path / "two" / "graded.xlsx")["mine", "1"]["Expert score"] == 1
    one, two = (load_workbook(tmp_path / name / "graded.xlsx")["Criteria"] for name in ("one", "two"))
    assert [cell.value for cell in one[1]] == [cell.value for cell in two[1]]
