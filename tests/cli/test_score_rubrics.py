"""Rubrics that experts write in Excel, from the workbook to the prompt that a provider receives."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from click.testing import CliRunner, Result
from provider import Provider, Scripted

from grader.cli.main import cli

Score = Callable[..., Result]
LIKERT = Scripted(text="Gründe.\nScore: 4")


@pytest.fixture
def score(provider: Provider) -> Score:
    """Run `grader score` on a workbook alone, with a model behind the loopback provider."""

    def run(path: Path, *arguments: str) -> Result:
        model = ("--model", "openai/gpt-4o", "--api-base", provider.base_url)
        command = ["score", "--criteria", str(path), "--out", "run", "--no-progress", *model, *arguments]
        return CliRunner().invoke(cli, command)

    return run


def new_workbook(
    name: str, rows: Sequence[Mapping[str, Any]], settings: Mapping[str, str] | None = None, path: str = "my.xlsx"
) -> Path:
    """Make a workbook as an expert does: init, rows in place of the examples, some settings."""
    done = CliRunner().invoke(cli, ["init", "--rubric", name, path])
    assert done.exit_code == 0, done.output
    workbook = openpyxl.load_workbook(path)
    sheet = workbook["Criteria"]
    columns = {str(cell.value): number for number, cell in enumerate(sheet[1], start=1)}
    for number, row in enumerate(rows, start=sheet.max_row + 1):
        for header, value in row.items():
            sheet.cell(number, columns[header], value)
    rubric = workbook["Rubric"]
    for label, value in (settings or {}).items():
        place = next(row for row in range(1, 60) if rubric.cell(row, 1).value == label)
        rubric.cell(place, 2, value)
    workbook.save(path)
    return Path(path)


def results() -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path("run/results.jsonl").read_text("utf-8").splitlines()]


QUESTION = {"id": "Q1", "question": "Why?", "reference": "Because.", "answer": "So it is."}


@pytest.mark.parametrize(
    ("instructions", "language"),
    [
        ("回答は「です・ます」調で書かれているか確認してください。\n数値の単位にも注意。", "日本語"),
        ("请检查答案是否使用了正确的术语（例如“光刻”）。", "简体中文"),
        ("Achte auf Maßeinheiten: 5 µm ≠ 5 mm – größer heißt nicht besser.", "Deutsch"),
    ],
)
def test_instructions_in_any_language_reach_the_judge_unharmed(
    score: Score, provider: Provider, instructions: str, language: str
) -> None:
    provider.script = lambda _: LIKERT
    settings = {"Instructions to the judge": instructions, "Language of the reasons": language}
    done = score(new_workbook("likert", [QUESTION], settings))
    assert done.exit_code == 0, done.output
    assert [row["score"] for row in results()] == [4]
    (asked,) = provider.history
    assert instructions in asked.prompt
    assert f"Write your reasons in this language: {language}." in asked.prompt
    assert "rubric: likert, from the sheet Rubric" in done.output
    assert "template's examples" in done.output
    assert "there are also" not in done.output


def test_words_for_a_dimension_reach_the_judge(score: Score, provider: Provider) -> None:
    provider.script = lambda _: Scripted(text="Accuracy: 9\nComprehensiveness: 9\nContext Precision: 9\nFinal: 0.9")
    row = {"id": "Q1", "question": "Why?", "context": "c", "context role": "supplementary", "answer": "a"}
    path = new_workbook("relevance", [row])
    workbook = openpyxl.load_workbook(path)
    rubric = workbook["Rubric"]
    place = next(row for row in range(1, 60) if rubric.cell(row, 1).value == "accuracy")
    rubric.cell(place, 4, "Stimmt es?")
    first = next(row for row in range(1, 60) if rubric.cell(row, 1).value == "Bands of") + 1
    for number in range(first, first + 6):
        rubric.cell(number, 1, "accuracy")
    workbook.save(path)
    assert score(path).exit_code == 0
    assert "- Accuracy: Stimmt es?" in provider.history[0].prompt
    assert "For Accuracy they mean:\n- 9–10: Complete" in provider.history[0].prompt
    assert "The context is a supplement" in provider.history[0].prompt


def test_points_are_graded_without_an_answers_file(score: Score, provider: Provider) -> None:
    met = [{"item": 1, "met": True, "evidence": "So"}, {"item": 2, "met": False, "evidence": ""}]
    provider.script = lambda _: Scripted(text=json.dumps({"items": met}))
    rows = [
        {"id": "Q1", "question": "Why?", "criterion": "a", "points": 3, "answer": "So it is."},
        {"id": "Q1", "criterion": "b", "points": 1},
    ]
    assert score(new_workbook("points", rows)).exit_code == 0
    assert [(row["score"], row["system"]) for row in results()] == [(75, "my")]


def test_a_named_rubric_beats_the_sheet_and_says_so(score: Score, provider: Provider) -> None:
    provider.script = lambda _: Scripted(text='{"is_judged_correct": true, "reasoning": "x"}')
    path = new_workbook("likert", [QUESTION], {"Instructions to the judge": "Be kind."})
    done = score(path, "--rubric", "accuracy", "--strictness", "strict")
    assert done.exit_code == 0, done.output
    assert "rubric: accuracy, as named; the sheet Rubric is of another type and not used (likert)" in done.output
    assert "Be strict" in provider.history[0].prompt
    assert "Be kind" not in provider.history[0].prompt
    provider.script = lambda _: LIKERT
    done = score(path, "--rubric", "likert", "--fresh")
    assert "rubric: likert, as named, with what the sheet Rubric says of it" in done.output
    assert "Be kind" in provider.history[1].prompt


def test_a_questions_own_strictness_comes_first(score: Score, provider: Provider) -> None:
    provider.script = lambda _: Scripted(text='{"is_judged_correct": false, "reasoning": "x"}')
    rows = [{**QUESTION, "strictness": "lenient"}, {**QUESTION, "id": "Q2"}]
    assert score(new_workbook("accuracy", rows), "--strictness", "strict").exit_code == 0
    told = sorted("Be lenient" in asked.prompt for asked in provider.history)
    assert told == [False, True]


def test_what_a_role_decides_for_the_whole_run(score: Score, provider: Provider) -> None:
    provider.script = lambda _: Scripted(text="Accuracy: 9\nComprehensiveness: 9\nContext Precision: 9\nFinal: 0.9")
    row = {"id": "Q1", "question": "Why?", "context": "c", "answer": "a"}
    assert score(new_workbook("relevance", [row]), "--context-role", "supplementary").exit_code == 0
    assert "The context is a supplement" in provider.history[0].prompt


@pytest.mark.parametrize(
    ("name", "row", "arguments", "says"),
    [
        ("likert", {"id": 1, "question": "q", "answer": "a"}, [], "the rubric likert needs a reference, and no"),
        ("likert", QUESTION, ["--strictness", "strict"], "the rubric likert has no strictness"),
        ("accuracy", {**QUESTION, "strictness": "very"}, [], "the strictness of a question is not allowed"),
        ("accuracy", QUESTION, ["--strictness", "very"], "'very' is not one of"),
    ],
)
def test_what_cannot_be_judged_is_said_before_any_call(
    score: Score, provider: Provider, name: str, row: Mapping[str, Any], arguments: list[str], says: str
) -> None:
    done = score(new_workbook(name, [row]), *arguments)
    assert done.exit_code == 2
    assert says in done.output
    assert not provider.history


def test_a_workbook_without_a_rubric_sheet_needs_a_name(score: Score) -> None:
    workbook = openpyxl.Workbook()
    for line in (["id", "question", "answer"], [1, "q", "a"]):
        workbook.worksheets[0].append(line)
    workbook.save("plain.xlsx")
    done = score(Path("plain.xlsx"))
    assert done.exit_code == 2
    assert "--rubric accuracy, checklist, integrity, likert, relevance" in done.output


def test_criteria_without_any_question_are_graded_and_said(score: Score, provider: Provider) -> None:
    provider.script = lambda _: Scripted(text='{"items": [{"item": 1, "met": true, "evidence": "a"}]}')
    done = score(new_workbook("points", [{"id": 1, "criterion": "x", "answer": "a"}]))
    assert done.exit_code == 0, done.output
    assert "no file has the questions' text" in done.output
