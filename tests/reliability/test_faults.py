"""Whole runs against a provider that fails, counted on the server, by either transport (RELIABILITY 8, 9)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from click.testing import CliRunner, Result
from faulty_provider import Faults, FaultyProvider
from provider import Provider, Request, Scripted

from grader.cli.main import cli
from grader.judging import calls
from grader.judging.direct_judge import DirectJudge
from grader.judging.limits import FIRST_SECONDS

pytestmark = pytest.mark.no_cover

ITEMS = 120
BUDGET = 1.15
"""Requests that may be made, as a multiple of what the faults alone make necessary."""
FIRST_CALLS = 4
BOTH = pytest.mark.parametrize("transport", ["litellm", "direct"])


@pytest.fixture(scope="module")
def _one_faulty() -> Iterator[FaultyProvider]:
    provider = FaultyProvider()
    yield provider
    provider.close()


@pytest.fixture
def faulty(_one_faulty: FaultyProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FaultyProvider:
    """The provider, beside a folder with 120 items to grade."""
    _one_faulty.reset()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-nobody-at-all")
    monkeypatch.setattr(calls, "_FIRST_DELAY_SECONDS", 0.05)
    with xlsxwriter.Workbook("criteria.xlsx") as workbook:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, ["id", 25, 50, 100])
        for number in range(1, ITEMS + 1):
            sheet.write_row(number, 0, [number, "(1) name it", "(1) explain it", "(1) prove it"])
    rows = [{"id": n, "question": "Why?", "answer": f"Answer {n}. Because."} for n in range(1, ITEMS + 1)]
    Path("system.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return _one_faulty


def grade(provider: Provider, transport: str, *arguments: object) -> Result:
    words = ["score", "--criteria", "criteria.xlsx", "--answers", "system.jsonl", "--out", "run", "--quiet"]
    judge = ["--model", "openai/gpt-4o", "--api-base", provider.base_url, "--transport", transport]
    return CliRunner().invoke(cli, [*words, *judge, *map(str, arguments)])


def read_results() -> dict[int, dict[str, Any]]:
    rows = [json.loads(line) for line in Path("run/results.jsonl").read_text("utf-8").splitlines()]
    return {int(row["id"]): row for row in rows}


def steady(seconds: float) -> Faults:
    return Faults(share=0, seed=1, seconds=seconds, stall_seconds=0)


@BOTH
def test_with_faults_of_all_kinds_every_item_is_right_within_the_budget(faulty: FaultyProvider, transport: str) -> None:
    script = Faults(share=0.3, seed=5, seconds=0.01, stall_seconds=0.8, retry_after_seconds=0.1)
    faulty.script = script
    done = grade(faulty, transport, "--timeout", 0.5)
    assert done.exit_code in (0, 3), done.output
    results = read_results()
    assert [number for number in range(1, ITEMS + 1) if not script.is_right(results.get(number), number)] == []
    assert len(script.counts) >= 12, "faults of nearly all kinds came up"
    assert script.needed(ITEMS) >= 1.2 * ITEMS
    assert len(faulty.history) <= BUDGET * script.needed(ITEMS)


@BOTH
def test_while_a_retry_after_runs_nobody_calls(faulty: FaultyProvider, transport: str) -> None:
    answers, seconds, refused = steady(0.02), 0.6, list[float]()

    def script(request: Request) -> Scripted:
        if len(faulty.history) == 40:
            refused.append(request.at)
            return Scripted(status=429, headers={"Retry-After": str(seconds)})
        return answers(request)

    faulty.script = script
    assert grade(faulty, transport, "--concurrency", 10).exit_code == 0
    (since,) = refused
    on_their_way = 0.15  # those whose turn had come before the refusal was read
    assert [at for at in times(faulty) if since + on_their_way < at < since + seconds] == []
    assert [at for at in times(faulty) if at >= since + seconds]
    assert len(faulty.history) == ITEMS + 1


@BOTH
def test_who_waits_holds_no_place(faulty: FaultyProvider, transport: str) -> None:
    answers, busy = steady(0.01), set[str]()
    seconds = {"direct": 1.2, "litellm": 4.0}[transport]  # longer than all the items take

    def script(request: Request) -> Scripted:
        if len(busy) < 12 and request.prompt not in busy:
            busy.add(request.prompt)
            return Scripted(status=503, headers={"Retry-After": str(seconds)})
        return answers(request)

    faulty.script = script
    assert grade(faulty, transport, "--concurrency", 4).exit_code == 0
    first = times(faulty)[0]
    assert sum(at < first + seconds for at in times(faulty)) >= ITEMS  # each item once, though 12 wait for 4 places
    assert len(faulty.history) == ITEMS + 12


@BOTH
@pytest.mark.parametrize("status", [401, 404])
def test_a_wrong_key_or_model_is_told_by_a_few_refusals(
    faulty: FaultyProvider, transport: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DirectJudge, "first_seconds", FIRST_SECONDS)  # a machine that is busy may refuse late
    faulty.script = lambda _: Scripted(status=status)
    done = grade(faulty, transport, "--concurrency", 50)
    assert done.exit_code == 1
    assert str(status) in str(done.exception) + done.output
    assert len(faulty.history) <= FIRST_CALLS


def times(provider: Provider) -> list[float]:
    return sorted(request.at for request in provider.history)
