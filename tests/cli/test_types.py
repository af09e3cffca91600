"""Every rubric type from files to files: `grader score` against a provider on loopback, and with the offline judge."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from provider import Provider, Request, Scripted

from grader.inputs.recordings import read_recordings
from grader.planning import Request as Inputs
from grader.planning import prepare

Grade = Callable[..., Result]
Results = Callable[[], list[dict[str, Any]]]

GOLDEN = Path(__file__).parents[1] / "golden"
NAMES = sorted(path.parent.name for path in GOLDEN.glob("*/criteria.xlsx"))


@pytest.fixture
def folder(name: str) -> Path:
    return GOLDEN / name


@pytest.fixture
def arguments(folder: Path) -> dict[str, Path]:
    return {"criteria": folder / "criteria.xlsx", "answers": folder / "answers.jsonl"}


def replies(folder: Path) -> dict[str, str]:
    """The recorded replies by the question that the prompt shows."""
    inputs = Inputs(
        criteria_path=folder / "criteria.xlsx", answers_paths=(folder / "answers.jsonl",), rubric=folder.name
    )
    questions = {item.id: item.question for item in prepare(inputs).items}
    return {questions[each.item_id]: each.text for each in read_recordings(folder / "replies.jsonl")}


@pytest.mark.no_cover
@pytest.mark.parametrize("name", NAMES)
def test_over_http(
    remote: Grade,
    results: Results,
    provider: Provider,
    tmp_path: Path,
    name: str,
    folder: Path,
    arguments: dict[str, Path],
) -> None:
    recorded = replies(folder)

    def script(request: Request) -> Scripted:
        return Scripted(text=next(text for question, text in recorded.items() if question in request.prompt))

    provider.script = script
    done = remote("--rubric", name, "--reasks", "1", **arguments)
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    found = {row["id"]: {key: row[key] for key in ("status", "score", "flags")} for row in results()}
    assert found == {item_id: {key: each[key] for key in found[item_id]} for item_id, each in expected.items()}
    unscored = sum(each["score"] is None for each in expected.values())
    assert done.exit_code == (3 if unscored else 0), done.output
    asked = len(expected) - sum("empty_answer" in each["flags"] for each in expected.values())
    assert len(provider.history) == asked + unscored  # an unusable reply was asked about once more
    assert (tmp_path / "run" / "graded.xlsx").is_file()
    assert {row["rubric"] for row in results()} == {name}


@pytest.mark.parametrize("name", NAMES)
def test_offline(grade: Grade, results: Results, name: str, arguments: dict[str, Path]) -> None:
    done = grade("--rubric", name, **arguments)
    if name == "relevance":  # one item has nothing to go by: no context, no reference answer
        assert done.exit_code == 3
        assert "neither context nor reference" in done.stderr
    else:
        assert done.exit_code == 0, done.output
    judged = [row for row in results() if row["score"] is not None and "empty_answer" not in row["flags"]]
    assert len(judged) >= 4
    for row in judged:
        assert row["status"] == "ok", row
        assert "no LLM" in row["reply"] and "no LLM" in row["analysis"], row
        assert "evidence_not_found" not in row["flags"]
    scores = {row["id"]: row["score"] for row in judged}
    assert scores["1"] > scores["3"], "the first answer is the good one, the third is wrong"


@pytest.mark.parametrize(("strictness", "score"), [("lenient", 100), ("balanced", 100), ("strict", 0)])
def test_strictness(grade: Grade, results: Results, tmp_path: Path, strictness: str, score: int) -> None:
    criteria, answers = tmp_path / "valves.csv", tmp_path / "apprentice.csv"
    criteria.write_text(
        "id,question,reference\n1,Which valve first?,The inlet valve is closed first and slowly by hand\n"
    )
    answers.write_text("id,answer\n1,First the inlet valve is closed.\n")
    done = grade("--rubric", "accuracy", "--strictness", strictness, criteria=criteria, answers=answers)
    assert done.exit_code == 0, done.output
    assert results()[0]["score"] == score
