"""Runs every command of docs/benchmark.md, and compares what the page says with what the code does."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader.benchmark import esi
from grader.benchmark.settings import BenchmarkSettings
from grader.benchmark_records import SUB_SCORES, ItemStatus, SubScores
from grader.cli.main import cli

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "benchmark.md").read_text("utf-8")
COMMANDS = [shlex.split(block.replace("\\\n", " ")) for block in re.findall(r"```sh\ngrader (.*?)\n```", PAGE, re.S)]


def test_every_command_runs_and_gives_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    for words in COMMANDS:
        placed = [str(tmp_path / word) if word.startswith("Result/") else word for word in words]
        done = CliRunner().invoke(cli, placed)
        assert done.exit_code == 0, (words, done.output)
    said = re.findall(r"^\| (L\d) \| ([A-Z]+) \| (\d+) \| ([\d.]+) \| ([\d.]+) \|$", PAGE, re.M)
    found = [
        (dataset, prompt, *outcome(tmp_path / f"Result/lunar-surface/Summary_{dataset}_offline_{prompt}.json"))
        for dataset, prompt, *_ in said
    ]
    assert said == found
    assert len(said) == 9
    judged = tmp_path / "Result" / "lunar-judged"
    assert (judged / "graded.xlsx").is_file()
    assert outcome(judged / "Summary_L1_offline_COT.json") == found[1][2:]


def outcome(path: Path) -> tuple[str, str, str]:
    """Return n, ACC and ESI of a summary, as the page writes them."""
    averages = json.loads(path.read_text("utf-8"))["metrics_summary"]
    return str(averages["n"]), f"{averages['average_accuracy']:.2f}", f"{averages['average_esi']:.2f}"


def test_the_table_has_every_key_with_its_default() -> None:
    said = dict(re.findall(r"^\| `([A-Z_]+)` \| (.*?) \|", PAGE, re.M))
    assert said == {name: default(name) for name in BenchmarkSettings.model_fields}


def default(name: str) -> str:
    """Return a key's default as the page writes it."""
    field = BenchmarkSettings.model_fields[name]
    if field.is_required():
        return "(needed)"
    value = field.get_default(call_default_factory=True)
    if value in (None, "", (), {}):
        return ""
    return f"`{int(value) if isinstance(value, float) and value.is_integer() else value}`"


def test_the_example_by_hand_is_what_the_formulas_give() -> None:
    facts = esi.Facts(
        is_accurate=False,
        integrity_score=70,
        completion_tokens=1200,
        cleaned_answer="x" * 400,
        reference="x" * 100,
        prompt_version="COT",
        is_correctly_formatted=True,
    )
    scores = esi.sub_scores(facts, esi.Parameters())
    weights = BenchmarkSettings(
        WORKER_MODEL_IDS=("m",),
        ACCURACY_JUDGE_MODEL_ID="a",
        INTEGRITY_JUDGE_MODEL_ID="i",
        PROMPT_VERSIONS_TO_TEST=("COT",),
    ).weights
    (scored,) = re.findall(r"^\| score \| (.*) \|$", PAGE, re.M)
    (weighted,) = re.findall(r"^\| × weight \| (.*) \|$", PAGE, re.M)
    assert SubScores(**dict(zip(SUB_SCORES, map(float, scored.split(" | ")), strict=True))) == scores
    parts = [weights[name] * getattr(scores, name) for name in SUB_SCORES]
    assert list(map(float, weighted.split(" | "))) == pytest.approx(parts)
    assert f"ESI = {esi.esi(scores, weights):g}." in PAGE


def test_every_status_is_on_the_page() -> None:
    assert {status for status in ItemStatus if f"`{status}`" not in PAGE} == set()


def test_rules_that_the_page_names_are_there() -> None:
    for name in re.findall(r"`(llm-[a-z]+)`", PAGE):
        assert (ROOT / "rubrics" / "benchmark" / f"{name}.yaml").is_file(), name


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!http|#)([^)#]+)", PAGE):
        assert (ROOT / "docs" / target).exists(), target
