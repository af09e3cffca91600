"""The main job on the real workbook: four systems, judged by GPT-4o's recorded replies over HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from openpyxl import load_workbook
from provider import Provider, Request, Scripted

from grader.cli.main import cli
from grader.inputs.rubric_file import read_rubric
from grader.planning import Plan, prepare
from grader.planning import Request as GradeRequest
from grader.prompting.render import PromptRenderer
from grader.records import NONCE_PLACEHOLDER

MEANS = {"gpt-4o": 83.71, "llava_v1.6": 72.46, "RAG-EDA.top4": 49.12, "visrag": 20.42}
"""As published with the benchmark."""


@pytest.fixture
def arguments(ord_mmbench: Path, tmp_path: Path) -> list[str]:
    """What a user types to grade the four systems."""
    answers = [word for system in MEANS for word in ("--answers", str(ord_mmbench / "answers" / f"{system}.jsonl"))]
    return [
        *("score", "--criteria", str(ord_mmbench / "ORD-MMBench-Scoring-criteria.xlsx"), *answers),
        *("--questions", str(ord_mmbench / "questions.jsonl"), "--group-by", "type", "--out", str(tmp_path / "run")),
    ]


def recorded(ord_mmbench: Path) -> Callable[[Request], Scripted]:
    """Return a script that replies to each prompt what GPT-4o is recorded to have replied."""
    rubric, template_path = read_rubric("tiered")
    renderer = PromptRenderer(rubric, template_path)
    replies: dict[str, str] = {}
    for item in _plan(ord_mmbench).items:
        judgements = json.loads((ord_mmbench / "gpt-4o-judgements" / f"{item.system}.json").read_text("utf-8"))
        said = judgements[item.id]
        reply = f"<analysis>{said['analysis']}</analysis>\n<score>{said['score']}</score>"
        prompt = renderer.render(item).messages[1]["content"]
        assert replies.setdefault(prompt, reply) == reply
        replies[prompt] = reply

    def script(request: Request) -> Scripted:
        prompt = re.sub(r"(?<=-)[0-9a-f]{8}(?=>)", NONCE_PLACEHOLDER, request.body["messages"][1]["content"])
        return Scripted(text=replies[prompt])

    return script


def _plan(ord_mmbench: Path) -> Plan:
    answers = tuple(ord_mmbench / "answers" / f"{system}.jsonl" for system in MEANS)
    return prepare(
        GradeRequest(
            criteria_path=ord_mmbench / "ORD-MMBench-Scoring-criteria.xlsx",
            answers_paths=answers,
            questions_path=ord_mmbench / "questions.jsonl",
            group_by="type",
        )
    )


def test_recorded_replies_give_the_published_means(
    ord_mmbench: Path, arguments: list[str], provider: Provider, tmp_path: Path
) -> None:
    provider.script = recorded(ord_mmbench)
    done = CliRunner().invoke(cli, [*arguments, "--model", "openai/gpt-4o", "--api-base", provider.base_url])
    assert done.exit_code == 0, done.output
    summary = json.loads((tmp_path / "run" / "summary.json").read_text("utf-8"))
    assert {row["system"]: f"{row['mean']:.2f}" for row in summary["systems"]} == {
        system: f"{mean:.2f}" for system, mean in MEANS.items()
    }
    assert set(summary["systems"][0]["groups"]) == {"Error Traceback", "Layout", "Functionality", "GUI"}
    rows = _rows(tmp_path)
    assert len(rows) == 480
    unreachable = [(row["system"], row["id"], row["score"]) for row in rows if "unreachable_score" in row["flags"]]
    assert unreachable == [("gpt-4o", "1", 20), ("RAG-EDA.top4", "6", 20), ("llava_v1.6", "33", 20)]
    assert len(provider.history) == 480 + len(unreachable)


@pytest.mark.no_cover
def test_the_graded_workbook_holds_the_experts_sheet_and_ours(
    ord_mmbench: Path, arguments: list[str], tmp_path: Path
) -> None:
    done = CliRunner().invoke(cli, [*arguments, "--model", "offline"])
    assert done.exit_code == 0, done.output
    graded = load_workbook(tmp_path / "run" / "graded.xlsx")
    assert graded.sheetnames[:5] == ["Sheet1", "Review", "Summary", "Analysis", "About"]
    source = load_workbook(ord_mmbench / "ORD-MMBench-Scoring-criteria.xlsx")["Sheet1"]
    for theirs, ours in zip(
        source.iter_rows(values_only=True), graded["Sheet1"].iter_rows(values_only=True), strict=True
    ):
        assert ours[:4] == theirs  # the results of four systems stand behind
        assert len(ours) == 4 + 4 * 3
    assert graded["Review"].max_row == 481


def _rows(tmp_path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (tmp_path / "run" / "results.jsonl").read_text("utf-8").splitlines()]
