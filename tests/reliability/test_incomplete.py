"""A run says how much of what was planned has a score, and why the rest has none, for each system (RELIABILITY 1)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from click.testing import CliRunner, Result
from openpyxl import load_workbook
from provider import Provider, Request, Scripted

from grader.cli.main import cli

pytestmark = pytest.mark.no_cover

QUESTIONS = 20
SYSTEMS = ("apollo", "gemini")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with 20 questions that two systems have answered."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-nobody-at-all")
    with xlsxwriter.Workbook("criteria.xlsx") as workbook:
        sheet = workbook.add_worksheet()
        for number, row in enumerate([["id", 25, 50], *([n, "(1) a", "(1) b"] for n in range(1, QUESTIONS + 1))]):
            sheet.write_row(number, 0, row)
    for system in SYSTEMS:
        rows = [{"id": n, "answer": f"{system} says {n}."} for n in range(1, QUESTIONS + 1)]
        Path(f"{system}.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")


def grade(provider: Provider, *arguments: str) -> Result:
    answers = [word for system in SYSTEMS for word in ("--answers", f"{system}.jsonl")]
    judge = ["--model", "openai/gpt-4o", "--api-base", provider.base_url, "--transport", "direct"]
    words = ["score", "--criteria", "criteria.xlsx", *answers, "--out", "run", *judge, "--reasks", "0", *arguments]
    return CliRunner().invoke(cli, words)


def unreadable(provider: Provider, last: int) -> None:
    """Have the judge say nothing of use about gemini's answers up to number `last`."""

    def script(request: Request) -> Scripted:
        found = re.search(r"gemini says (\d+)\.", request.prompt)
        return Scripted(text="Hm." if found and int(found[1]) <= last else "<score>50</score>")

    provider.script = script


def read_summary() -> dict[str, Any]:
    summary: dict[str, Any] = json.loads(Path("run/summary.json").read_text("utf-8"))
    return summary


def says_incomplete() -> bool:
    """Whether the workbook's Summary does."""
    rows = load_workbook("run/graded.xlsx", data_only=True)["Summary"].iter_rows(max_row=8, values_only=True)
    return any("INCOMPLETE" in str(value) for row in rows for value in row)


@pytest.mark.parametrize(("last", "is_incomplete"), [(1, False), (2, False), (3, True)])
def test_any_item_without_a_score_makes_the_exit_code_3_and_more_than_5_in_100_the_run_incomplete(
    provider: Provider, last: int, is_incomplete: bool
) -> None:
    unreadable(provider, last)
    done = grade(provider)
    assert done.exit_code == 3
    assert f"{last} of 40 items have no score" in done.stderr
    assert ("INCOMPLETE" in done.stderr, says_incomplete()) == (is_incomplete, is_incomplete)
    assert read_summary()["is_complete"] is not is_incomplete


def test_each_system_says_what_was_planned_and_scored_and_what_became_of_the_rest(provider: Provider) -> None:
    unreadable(provider, 3)
    grade(provider)
    summary = read_summary()
    assert summary["items"] == {"planned": 40, "scored": 37, "unscored": 3}
    assert {each["system"]: (each["planned"], each["n"], each["unscored"]) for each in summary["systems"]} == {
        "apollo": (20, 20, 0),
        "gemini": (20, 17, 3),
    }
    statuses = {each["system"]: each["statuses"] for each in summary["systems"]}
    assert statuses == {"apollo": {"ok": 20}, "gemini": {"ok": 17, "parse_error": 3}}
    ((reason, count),) = summary["unscored_reasons"].items()
    assert (reason.partition(":")[0], count) == ("parse_error", 3)
    assert f"3 × {reason}" in grade(provider).stderr


def test_what_was_never_reached_counts_as_planned_and_says_so(provider: Provider) -> None:
    grade(provider, "--max-cost", "0.1", "--price", "0,1000", "--max-tokens", "20")  # a call costs 2 cents
    summary = read_summary()
    assert 0 < summary["items"]["scored"] < 40
    for each in summary["systems"]:
        assert (each["planned"], each["unscored"], each["statuses"]["skipped"]) == (20, 20 - each["n"], 20 - each["n"])
    missing = summary["items"]["unscored"]
    assert summary["unscored_reasons"] == {"skipped: not reached: the run stopped before it": missing}
