"""A disk that is full or cannot be written stops a run, which keeps what is committed and goes on (RELIABILITY 14)."""

from __future__ import annotations

import errno
import json
import os
import resource
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from click.testing import CliRunner, Result
from provider import Provider, Scripted

from grader.cli.main import cli
from grader.store.run_store import RunStore

pytestmark = pytest.mark.no_cover

ITEMS, CONCURRENCY = 120, 8
REPLY = f"<analysis>{'Long reasons. ' * 400}</analysis><score>50</score>"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: Provider) -> None:
    """A folder with 120 answers, and a judge that has much to say about each."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-nobody-at-all")
    with xlsxwriter.Workbook("criteria.xlsx") as workbook:
        sheet = workbook.add_worksheet()
        for number, row in enumerate([["id", 25, 50], *([n, "(1) a", "(1) b"] for n in range(1, ITEMS + 1))]):
            sheet.write_row(number, 0, row)
    rows = [{"id": n, "answer": f"Answer {n}."} for n in range(1, ITEMS + 1)]
    Path("apollo.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    provider.script = lambda _: Scripted(text=REPLY)


def grade(provider: Provider) -> Result:
    words = ["score", "--criteria", "criteria.xlsx", "--answers", "apollo.jsonl", "--out", "run", "--quiet"]
    judge = ["--model", "openai/gpt-4o", "--api-base", provider.base_url, "--transport", "direct"]
    return CliRunner().invoke(cli, [*words, *judge, "--concurrency", str(CONCURRENCY)])


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Refuse to let any file grow beyond `size` bytes, as a full disk would."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def nothing_written_after(rows: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have the store's file be read-only once it holds so many calls, as a disk is that was mounted anew."""
    write = RunStore.write

    def written(store: RunStore, new: Any) -> None:
        if store.totals().calls >= rows:
            store._writer.execute("PRAGMA query_only = ON")
        write(store, new)

    with monkeypatch.context() as patch:
        patch.setattr(RunStore, "write", written)
        yield


def stored() -> int:
    with closing(sqlite3.connect("run/run.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return int(
            connection.execute("SELECT count(*) FROM call WHERE is_finished AND text = ?", (REPLY,)).fetchone()[0]
        )


@pytest.mark.parametrize(
    ("fault", "says"),
    [("full", "disk space"), ("read-only", "The folder cannot be written; choose another with --out")],
)
def test_the_run_stops_keeps_what_is_committed_and_goes_on(
    provider: Provider, monkeypatch: pytest.MonkeyPatch, fault: str, says: str
) -> None:
    with files_of_at_most(700_000) if fault == "full" else nothing_written_after(30, monkeypatch):
        done = grade(provider)
    assert (done.exit_code, says in done.stderr, "run.db" in done.stderr) == (1, True, True)
    asked, kept = len(provider.history), stored()
    assert 10 <= kept < ITEMS
    assert asked <= kept + 2 * CONCURRENCY, "it stops at once"
    assert grade(provider).exit_code == 0
    assert len(provider.history) == asked + ITEMS - kept
    assert len(Path("run/results.jsonl").read_text("utf-8").splitlines()) == ITEMS


@pytest.mark.parametrize("refusal", [errno.EROFS, errno.EACCES])
def test_a_folder_that_cannot_be_written_is_told_before_any_call(
    provider: Provider, monkeypatch: pytest.MonkeyPatch, refusal: int
) -> None:
    opened = os.open

    def refused(path: Any, flags: int, *more: Any, **options: Any) -> int:
        if "run.lock" in os.fspath(path):
            raise OSError(refusal, os.strerror(refusal), path)
        return opened(path, flags, *more, **options)

    monkeypatch.setattr(os, "open", refused)
    done = grade(provider)
    assert done.exit_code == 1
    assert f"run cannot be written: {os.strerror(refusal)}" in done.stderr
    assert "--out" in done.stderr
    assert provider.history == []
