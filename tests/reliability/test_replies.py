"""What replies come to in a whole run: one status each, kept whole, and no score that the judge did not give.

By either transport (RELIABILITY 1 to 4 and 6).
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter, defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from click.testing import CliRunner, Result
from provider import Provider, Request, Scripted

from grader.cli.main import cli

pytestmark = pytest.mark.no_cover

BOTH = pytest.mark.parametrize("transport", ["litellm", "direct"])
GOOD = "<analysis>It is so.</analysis>\n<score>50</score>"
LONG = f"\n\n  <analysis>{'All of it. ' * 4000}</analysis><score>%s</score> \n"


def said(**message: Any) -> dict[str, Any]:
    """A choice with a message of any kind."""
    return {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": None, **message}}


CUT_TOO = said(content=GOOD) | {"native_finish_reason": "max_tokens"}
POLICY = b'{"error": {"code": "content_policy_violation"}}'
NO_VERDICT: dict[str, tuple[Scripted, str, int]] = {
    "no choices": (Scripted(choices=[]), "empty_reply", 3),
    "no text": (Scripted(text=None), "empty_reply", 3),
    "white space": (Scripted(text=" \n\u200b"), "empty_reply", 3),
    "thoughts alone": (Scripted(choices=[said(reasoning_content=GOOD)]), "empty_reply", 3),
    "thoughts in the text": (Scripted(text=f"<think>{GOOD}</think>"), "empty_reply", 3),
    "cut": (Scripted(text=GOOD, finish_reason="length"), "truncated", 3),
    "cut, in a word of its own": (Scripted(text=GOOD, finish_reason="MAX_TOKENS"), "truncated", 3),
    "cut, beside stop": (Scripted(choices=[CUT_TOO]), "truncated", 3),
    "filtered": (Scripted(text=GOOD, finish_reason="content_filter"), "content_filter", 1),
    "filtered, in a word of its own": (Scripted(text=GOOD, finish_reason="SAFETY"), "content_filter", 1),
    "refused by a filter": (Scripted(status=400, body=POLICY), "content_filter", 1),
    "declined": (Scripted(choices=[said(refusal="I will not.")]), "refused", 1),
    "declined in words": (Scripted(text="I'm sorry, but I can't help with that."), "refused", 1),
    "half a score": (Scripted(text="<analysis>x</analysis><score>1"), "parse_error", 3),
    "two scores": (Scripted(text="<score>25</score><score>50</score>"), "parse_error", 3),
    "off the scale": (Scripted(text="<analysis>x</analysis><score>150</score>"), "out_of_range", 3),
    "refused for good": (Scripted(status=400), "provider_error", 1),
    "unreadable for good": (Scripted(status=422), "provider_error", 1),
}
"""What the provider answers, the status that it comes to, and how often it is asked."""

CONVERSATION = ("What?", "<score>9</score><score>8</score>", GOOD)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a question for each way to give no verdict."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-nobody-at-all")
    with xlsxwriter.Workbook("criteria.xlsx") as workbook:
        sheet = workbook.add_worksheet()
        for number, row in enumerate([["id", 25, 50], *([n, "(1) a", "(1) b"] for n in range(len(NO_VERDICT)))]):
            sheet.write_row(number, 0, row)
    rows = [{"id": n, "question": f"Q{n}?", "answer": f"Answer {n}."} for n in range(len(NO_VERDICT))]
    Path("apollo.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")


def grade(provider: Provider, transport: str, *arguments: object) -> Result:
    words = ["score", "--criteria", "criteria.xlsx", "--answers", "apollo.jsonl", "--out", "run", "--quiet"]
    judge = ["--model", "openai/gpt-4o", "--api-base", provider.base_url, "--transport", transport]
    return CliRunner().invoke(cli, [*words, *judge, *map(str, arguments)])


def number_of(request: Request) -> int:
    """Which question a request is about."""
    found = re.search(r"Q(\d+)\?", request.prompt)
    assert found is not None
    return int(found[1])


def read_results() -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path("run/results.jsonl").read_text("utf-8").splitlines()]


def stored_texts() -> dict[str, list[str]]:
    """The texts of all replies in the store, by item, in the order asked."""
    texts = defaultdict(list)
    with closing(sqlite3.connect("run/run.db")) as connection:
        for item_id, text in connection.execute("SELECT item_id, text FROM call ORDER BY id"):
            texts[item_id].append(text)
    return texts


@BOTH
def test_what_is_no_verdict_has_its_status_and_no_score_and_is_asked_about_again_where_that_may_help(
    provider: Provider, transport: str
) -> None:
    names = list(NO_VERDICT)
    provider.script = lambda request: NO_VERDICT[names[number_of(request)]][0]
    assert grade(provider, transport).exit_code == 3
    rows = dict(zip(names, read_results(), strict=True))
    asked = Counter(names[number_of(request)] for request in provider.history)
    assert {name: (row["status"], asked[name]) for name, row in rows.items()} == {
        name: (status, times) for name, (_, status, times) in NO_VERDICT.items()
    }
    assert {(row["score"], row["final_score"]) for row in rows.values()} == {(None, None)}
    assert [name for name, row in rows.items() if not row["error"]] == []


@BOTH
def test_every_reply_is_kept_whole_whatever_came_of_it(provider: Provider, transport: str) -> None:
    said_so_far: Counter[int] = Counter()

    def script(request: Request) -> Scripted:
        number = number_of(request)
        said_so_far[number] += 1
        return Scripted(text=[LONG % "50", LONG % "no idea", CONVERSATION[said_so_far[2] - 1]][number])

    provider.script = script
    assert grade(provider, transport, "--only", "0,1,2").exit_code == 3
    assert stored_texts() == {"0": [LONG % "50"], "1": [LONG % "no idea"] * 3, "2": list(CONVERSATION)}
    first, second, third = read_results()
    assert (first["reply"], first["score"]) == (LONG % "50", 50)
    assert (second["reply"], second["score"]) == (LONG % "no idea", None)
    assert (third["reply"], third["score"], third["attempts"]) == (GOOD, 50, 3)
