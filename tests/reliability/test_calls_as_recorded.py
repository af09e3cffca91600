"""What a run records of its calls is what the provider was sent and what it said (RELIABILITY 5, 6, 13)."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from provider import Provider, Scripted

from grader.cli.main import cli

pytestmark = pytest.mark.no_cover

BOTH = pytest.mark.parametrize("transport", ["litellm", "direct"])
BROKEN = 'I would say 60, or {"score": 6'
"""A reply that carries no verdict."""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, criteria_path: Path, answers_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-nobody-at-all")


def grade(provider: Provider, *arguments: object) -> Result:
    words = ["score", "--criteria", "criteria.xlsx", "--answers", "apollo.jsonl", "--out", "run", "--quiet"]
    judge = ["--model", "openai/gpt-4o", "--api-base", provider.base_url]
    return CliRunner().invoke(cli, [*words, *judge, *map(str, arguments)])


def read_summary() -> dict[str, Any]:
    summary: dict[str, Any] = json.loads(Path("run/summary.json").read_text("utf-8"))
    return summary


def read_calls(columns: str) -> list[Any]:
    with closing(sqlite3.connect("run/run.db")) as connection:
        return connection.execute(f"SELECT {columns} FROM call").fetchall()


@BOTH
@pytest.mark.parametrize("model", ["openai/gpt-4o", "openai/o3-mini"])
def test_what_was_wanted_and_what_was_sent_stand_in_the_summary(provider: Provider, transport: str, model: str) -> None:
    wanted = ("--model", model, "--temperature", "0.5", "--max-tokens", "777")
    assert grade(provider, *wanted, "--transport", transport).exit_code == 0
    body, summary = provider.history[0].body, read_summary()
    takes_temperature = model == "openai/gpt-4o"
    assert summary["options"]["temperature"] == 0.5
    assert summary["options"]["max_tokens"] == 777
    assert (
        body.get("temperature") == summary["sent_parameters"].get("temperature") == (0.5 if takes_temperature else None)
    )
    assert body.get("max_tokens", body.get("max_completion_tokens")) == summary["sent_parameters"]["max_tokens"] == 777
    assert summary["unsent_parameters"] == [*([] if takes_temperature else ["temperature"]), "response_format"]
    assert all("response_format" not in request.body for request in provider.history)


@BOTH
def test_a_reply_that_cannot_count_is_kept_whole(provider: Provider, transport: str) -> None:
    provider.script = lambda _: Scripted(text=BROKEN, finish_reason="length")
    assert grade(provider, "--transport", transport).exit_code == 3
    assert read_calls("text, finish_reason") == [(BROKEN, "length")] * len(provider.history)
    rows = [json.loads(line) for line in Path("run/results.jsonl").read_text("utf-8").splitlines()]
    assert [row["reply"] for row in rows] == [BROKEN] * 3


@BOTH
@pytest.mark.parametrize(
    "change",
    [
        ("--api-base", "another address"),
        ("--temperature", "0.25"),
        ("--max-tokens", "777"),
        ("--model", "openai/gpt-4.1"),
        ("--samples", "2"),
    ],
    ids=lambda change: change[0],
)
def test_a_call_that_differs_in_anything_sent_is_another(
    provider: Provider, transport: str, change: tuple[str, str]
) -> None:
    grade(provider, "--transport", transport)
    sent = len(provider.history)
    grade(provider, "--transport", transport)
    assert len(provider.history) == sent
    value = provider.base_url.removesuffix("/v1") + "/other/v1" if change[1] == "another address" else change[1]
    assert grade(provider, "--transport", transport, change[0], value).exit_code == 0
    assert len(provider.history) == 2 * sent


def test_one_transport_goes_on_with_what_the_other_was_told(provider: Provider) -> None:
    grade(provider, "--transport", "direct")
    sent = len(provider.history)
    assert grade(provider, "--transport", "litellm").exit_code == 0
    assert len(provider.history) == sent


@BOTH
def test_another_key_is_no_other_call(provider: Provider, transport: str, monkeypatch: pytest.MonkeyPatch) -> None:
    grade(provider, "--transport", transport)
    sent = len(provider.history)
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-somebody-else")
    assert grade(provider, "--transport", transport, "--timeout", "60", "--concurrency", "3").exit_code == 0
    assert len(provider.history) == sent


@BOTH
def test_what_a_call_that_was_cut_off_may_have_cost_counts_in_the_next_go(provider: Provider, transport: str) -> None:
    provider.script = lambda _: Scripted(seconds=1.0)
    cap = ("--transport", transport, "--price", "1000,1000", "--max-tokens", "100", "--max-retries", "0")
    grade(provider, *cap, "--max-cost", "10", "--timeout", "0.2")
    timed_out = len(provider.history)
    ((spent,),) = read_calls("sum(cost_usd)")
    assert spent >= timed_out * 0.1  # at 1,000 dollars for a million tokens, 100 of them in the reply
    provider.script = lambda _: Scripted()
    done = grade(provider, *cap, "--max-cost", spent)
    assert len(provider.history) == timed_out
    assert done.exit_code in (1, 3)
    assert "--max-cost" in done.stderr
