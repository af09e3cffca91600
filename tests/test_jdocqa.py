"""The JDocQA case: empty predictions that a judge with an unclear prompt gave 5 of 5 (RUBRICS, common rule 3)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from click.testing import CliRunner
from provider import Provider, Scripted

from grader.cli.main import cli


@pytest.fixture
def predictions(shared: Path) -> list[dict[str, Any]]:
    path = shared / "data" / "jdocqa" / "empty-predictions.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture
def command(predictions: list[dict[str, Any]], tmp_path: Path, provider: Provider) -> list[str]:
    """What a user types: the questions in a workbook, the predictions in a file of their own."""
    workbook = openpyxl.Workbook()
    sheet = workbook.worksheets[0]
    sheet.append(["id", "question", "reference"])
    for row in predictions:
        sheet.append([row["id"], row["question"], row["reference"]])
    workbook.save(tmp_path / "jdocqa.xlsx")
    lines = [json.dumps({"id": row["id"], "prediction": row["prediction"]}) for row in predictions]
    (tmp_path / "empty.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return [
        *("score", "--criteria", str(tmp_path / "jdocqa.xlsx"), "--answers", str(tmp_path / "empty.jsonl")),
        *("--rubric", "likert", "--model", "openai/gpt-4o", "--api-base", provider.base_url),
        *("--out", str(tmp_path / "run"), "--no-progress"),
    ]


def test_empty_predictions_get_the_lowest_score_by_rule(
    command: list[str],
    predictions: list[dict[str, Any]],
    provider: Provider,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "unused")
    done = CliRunner().invoke(cli, command)
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in (tmp_path / "run" / "results.jsonl").read_text("utf-8").splitlines()]
    assert [row["score"] for row in rows] == [row["expected_score"] for row in predictions] == [1, 1, 1]
    assert all(row["flags"] == ["empty_answer"] for row in rows)
    assert not provider.history


def test_sent_all_the_same_the_prompt_leaves_no_doubt_which_block_is_judged(
    command: list[str], predictions: list[dict[str, Any]], provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "unused")
    provider.script = lambda _: Scripted(text="The answer is empty.\nScore: 1")
    done = CliRunner().invoke(cli, [*command, "--judge-empty"])
    assert done.exit_code == 0, done.output
    users = {asked.body["messages"][1]["content"] for asked in provider.history}
    assert len(users) == 3
    system = provider.history[0].body["messages"][0]["content"]
    assert "An empty answer is very bad, whatever the reference says. Never rate the reference" in system
    assert "Only the text in the answer block is graded" in system
    for row in predictions:
        user = next(user for user in users if row["reference"] in user)
        (nonce,) = set(re.findall(r"<answer-(\w+)>", user))
        expected = f"The answer to rate:\n<answer-{nonce}>\n(empty)\n</answer-{nonce}>"
        assert expected in user
        assert user.count(row["reference"]) == 1
        reference = f"not to be rated:\n<reference-{nonce}>\n{row['reference']}\n</reference-{nonce}>"
        assert user.index(reference) < user.index(expected)  # the answer is the last block
        assert "<" not in user[user.index(expected) + len(expected) :]
