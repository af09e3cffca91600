"""What a run costs is what the provider served, and never more than it may (RELIABILITY 10), counted on the server."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from click.testing import CliRunner, Result
from provider import Provider, Request, Scripted

from grader.cli.main import cli

pytestmark = pytest.mark.no_cover

BOTH = pytest.mark.parametrize("transport", ["litellm", "direct"])
ITEMS = 40


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with 40 answers to grade."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-nobody-at-all")
    monkeypatch.setattr("grader.judging.calls._FIRST_DELAY_SECONDS", 0.01)
    with xlsxwriter.Workbook("criteria.xlsx") as workbook:
        sheet = workbook.add_worksheet()
        for number, row in enumerate([["id", 25, 50], *([n, "(1) a", "(1) b"] for n in range(1, ITEMS + 1))]):
            sheet.write_row(number, 0, row)
    rows = [{"id": n, "answer": f"Answer {n}. Because."} for n in range(1, ITEMS + 1)]
    Path("apollo.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")


class Till:
    """Answers by `say`, and adds up what that costs at a dollar for each million tokens in, two for each out."""

    def __init__(self, provider: Provider, say: Any) -> None:
        self.prompt_tokens = self.completion_tokens = 0
        self._say = say
        provider.script = self._answer

    def _answer(self, request: Request) -> Scripted:
        scripted: Scripted = self._say(request)
        if scripted.status == 200:
            self.prompt_tokens += scripted.prompt_tokens
            self.completion_tokens += scripted.completion_tokens
        return scripted

    @property
    def usd(self) -> float:
        return self.prompt_tokens * 1e-6 + self.completion_tokens * 2e-6


def grade(provider: Provider, *arguments: object) -> Result:
    words = ["score", "--criteria", "criteria.xlsx", "--answers", "apollo.jsonl", "--out", "run", "--quiet"]
    judge = ["--model", "openai/my-own", "--api-base", provider.base_url, "--price", "1,2"]
    return CliRunner().invoke(cli, [*words, *judge, *map(str, arguments)])


def read_summary() -> dict[str, Any]:
    summary: dict[str, Any] = json.loads(Path("run/summary.json").read_text("utf-8"))
    return summary


@BOTH
def test_tokens_and_cost_of_every_call_add_up_asks_again_and_failures_included(
    provider: Provider, transport: str
) -> None:
    numbers = count()

    def mixed(_: Request) -> Scripted:
        number = next(numbers)
        if number % 7 == 3:
            return Scripted(status=500 + number % 4)
        text = {0: "No idea.", 1: None}.get(number % 5, "<score>50</score>")
        reason = "length" if number % 11 == 4 else "stop"
        return Scripted(text=text, finish_reason=reason, prompt_tokens=1000 + number, completion_tokens=10 + number)

    till = Till(provider, mixed)
    assert grade(provider, "--transport", transport, "--reasks", 3).exit_code in (0, 3)
    summary = read_summary()
    assert summary["usage"] == {"prompt_tokens": till.prompt_tokens, "completion_tokens": till.completion_tokens}
    assert summary["cost_usd"] == pytest.approx(till.usd)
    assert summary["systems"][0]["cost_usd"] == pytest.approx(till.usd)
    rows = [json.loads(line) for line in Path("run/results.jsonl").read_text("utf-8").splitlines()]
    assert sum(row["cost_usd"] for row in rows) == pytest.approx(till.usd)
    assert sum(row["attempts"] for row in rows) == len(provider.history) > 1.3 * ITEMS


def dearest(request: Request) -> Scripted:
    """A reply of as many tokens as it may have, to a prompt in which each byte is one."""
    return Scripted(
        finish_reason="length",
        seconds=0.02,
        prompt_tokens=sum(len(message["content"].encode()) for message in request.body["messages"]),
        completion_tokens=request.body["max_tokens"],
    )


@pytest.mark.parametrize("longest", [1, 5000])
def test_a_cap_holds_where_every_call_costs_as_much_as_it_can_asks_again_with_twice_the_tokens_too(
    provider: Provider, longest: int
) -> None:
    till = Till(provider, dearest)
    options = ("--transport", "direct", "--max-tokens", longest, "--concurrency", 8)
    assert grade(provider, *options).exit_code == 3
    whole = till.usd
    for share in (0.5, 0.9):
        till = Till(provider, dearest)
        done = grade(provider, *options, "--max-cost", share * whole, "--fresh")
        assert done.exit_code == 3
        assert "Run the same command with a higher --max-cost to go on" in done.stderr
        assert 0.7 * share * whole < till.usd <= share * whole


def test_a_call_that_may_cost_a_single_token_more_than_the_cap_is_not_made(provider: Provider) -> None:
    till = Till(provider, dearest)
    options = ("--transport", "direct", "--max-tokens", 10, "--reasks", 0, "--only", 1)
    grade(provider, *options)
    assert len(provider.history) == 1
    grade(provider, *options, "--fresh", "--max-cost", till.usd - 1e-6)
    assert len(provider.history) == 1


def test_a_cap_is_for_all_goes_and_a_higher_one_goes_on_where_it_ended(provider: Provider) -> None:
    def say(request: Request) -> Scripted:
        return Scripted(prompt_tokens=0, completion_tokens=request.body["max_tokens"])

    till = Till(provider, say)
    cap = ("--transport", "direct", "--price", "0,2", "--max-tokens", 1000, "--reasks", 0, "--max-cost")
    assert grade(provider, *cap, 0.021).exit_code == 3
    assert len(provider.history) == 10
    assert read_summary()["items"] == {"planned": ITEMS, "scored": 10, "unscored": 30}
    grade(provider, *cap, 0.031)
    assert len(provider.history) == 15
    assert grade(provider, *cap, 1).exit_code == 0
    assert len(provider.history) == ITEMS
    assert till.usd == pytest.approx(0.08)
    assert read_summary()["cost_usd"] == pytest.approx(0.08)


ODD_USAGES: dict[str, Any] = {
    "missing": None,
    "null": {"prompt_tokens": None, "completion_tokens": None},
    "zero": {"prompt_tokens": 0, "completion_tokens": 0},
    "negative": {"prompt_tokens": -500, "completion_tokens": -50},
    "half": {"prompt_tokens": 500},
}


@BOTH
@pytest.mark.parametrize("name", ODD_USAGES)
def test_a_cap_holds_where_replies_do_not_say_what_they_used_and_for_all_goes(
    provider: Provider, transport: str, name: str
) -> None:
    def say(request: Request) -> Scripted:
        return replace(dearest(request), finish_reason="stop", more={"usage": ODD_USAGES[name]})

    till = Till(provider, say)
    cap = ("--transport", transport, "--max-tokens", 50, "--reasks", 0, "--max-cost")
    assert grade(provider, *cap, 0.01).exit_code == 3
    served, summary = len(provider.history), read_summary()
    assert 0 < till.usd <= 0.01
    assert 0.01 >= summary["cost_usd"] >= till.usd
    assert summary["items"]["scored"] == served < ITEMS
    grade(provider, *cap, 0.01)
    assert len(provider.history) == served
    grade(provider, *cap, 0.02)
    assert served < len(provider.history) and till.usd <= 0.02


@BOTH
def test_what_failed_answers_say_that_they_used_counts_too(provider: Provider, transport: str) -> None:
    numbers = count()
    used = {"usage": {"prompt_tokens": 900, "completion_tokens": 30}}
    kinds: tuple[dict[str, Any], ...] = (
        {"status": 500, "more": used},
        {"more": {**used, "error": {"message": "upstream", "type": "server_error"}}},
        {"status": 400, "more": {**used, "error": {"message": "bad", "code": "content_filter"}}},
        {},
    )
    failures = []

    def mixed(_: Request) -> Scripted:
        kind = kinds[next(numbers) % len(kinds)]
        failures.append(bool(kind))
        return Scripted(text="<score>50</score>", **kind)

    provider.script = mixed
    assert grade(provider, "--transport", transport, "--max-retries", 6).exit_code in (0, 3)
    failed, served = sum(failures), len(failures) - sum(failures)
    summary = read_summary()
    assert summary["usage"] == {
        "prompt_tokens": 900 * failed + 100 * served,
        "completion_tokens": 30 * failed + 20 * served,
    }
    assert summary["cost_usd"] == pytest.approx((960 * failed + 140 * served) / 1e6)
    assert summary["items"]["scored"] == served
