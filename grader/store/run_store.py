"""The store of one run: a SQLite file with every call and every grade; what resume, rescore and review read.

One process writes at a time, and a reply counts once it is committed. Nothing else knows that it is SQLite.
"""

from __future__ import annotations

import os
import socket
import sqlite3
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from grader.errors import RunError
from grader.records import CallTotals, Override, Reply, StoredCall, StoredGrade, StoredItem
from grader.store.fresh_start import start_anew
from grader.store.rows import (
    as_override,
    as_reply,
    as_stored_item,
    call_row,
    grade_row,
    item_row,
    now,
    override_row,
)
from grader.store.sqlite_file import open_read_only, told
from grader.store.stored_grades import StoredGrades, last_reply

SCHEMA_VERSION = 2
FILE_NAME = "run.db"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS call (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, is_finished INTEGER NOT NULL, created TEXT NOT NULL, model TEXT NOT NULL,
    system TEXT NOT NULL, item_id TEXT NOT NULL, sample INTEGER NOT NULL, ask INTEGER NOT NULL,
    text TEXT NOT NULL, finish_reason TEXT, refusal TEXT, prompt_tokens INTEGER, completion_tokens INTEGER,
    cost_usd REAL, seconds REAL NOT NULL, attempts INTEGER NOT NULL, error TEXT
);
CREATE INDEX IF NOT EXISTS call_key ON call (key, is_finished);
CREATE TABLE IF NOT EXISTS grade (
    position INTEGER PRIMARY KEY, system TEXT NOT NULL, item_id TEXT NOT NULL, sample INTEGER NOT NULL,
    rubric TEXT NOT NULL, model TEXT NOT NULL, item TEXT NOT NULL, verdict TEXT NOT NULL, call_keys TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS item (position INTEGER PRIMARY KEY, content TEXT NOT NULL, reply_keys TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS override (
    id INTEGER PRIMARY KEY, stored TEXT NOT NULL, reviewer TEXT NOT NULL, entered TEXT NOT NULL,
    system TEXT NOT NULL, item_id TEXT NOT NULL, sample INTEGER NOT NULL, level REAL, number INTEGER,
    is_blind INTEGER NOT NULL, score REAL, met INTEGER, comment TEXT NOT NULL, text_hash TEXT NOT NULL, source TEXT
);
"""


class RunStore:
    """The open store of the run in `run_dir`; use it as a context manager.

    Raises:
        RunError: the folder cannot be written, another process has it, it is damaged, or of a newer version.
    """

    def __init__(self, run_dir: Path, *, fresh: bool = False) -> None:
        self.path = run_dir / FILE_NAME
        self.kept_override_count = 0
        """What experts had entered before a fresh start, and is still here."""
        self.set_aside: Path | None = None
        """Where the file of before a fresh start is, if it cannot be told what experts had entered in it."""
        self._lock = _lock(run_dir)
        try:
            if fresh:
                self.kept_override_count, self.set_aside = start_anew(self.path, SCHEMA_VERSION)
            self._open()
        except BaseException:
            self._lock.release()
            raise

    def _open(self) -> None:
        with ExitStack() as opened:
            self._reader = opened.enter_context(closing(self._connect()))
            self._writer = opened.enter_context(closing(self._connect()))
            self._prepare()
            opened.pop_all()

    def __enter__(self) -> RunStore:
        return self

    def __exit__(self, *_: object) -> None:
        self._reader.close()
        self._writer.close()
        self._lock.release()

    @property
    def run_id(self) -> str:
        """The run's id, made when its store was."""
        return self.meta("run_id")

    def meta(self, name: str) -> str:
        """Return one of the run's own facts, or an empty text."""
        with told(self.path):
            row = self._reader.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else ""

    def set_meta(self, name: str, value: str) -> None:
        """Keep one of the run's own facts."""
        with told(self.path), self._writer:
            self._writer.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def find_reply(self, key: str) -> Reply | None:
        """Return the reply of a finished call, or `None` where there is none."""
        with told(self.path):
            row = self._reader.execute(
                "SELECT * FROM call WHERE key = ? AND is_finished = 1 ORDER BY id DESC LIMIT 1", (key,)
            ).fetchone()
        return as_reply(row) if row else None

    def begin(self) -> None:
        """Forget the grades of an earlier go, whose calls stay: they are graded anew from what is stored."""
        with told(self.path), self._writer:
            self._writer.execute("DELETE FROM grade")
            self._writer.execute("DELETE FROM item")

    def write(self, rows: Sequence[StoredCall | StoredGrade | StoredItem]) -> None:
        """Commit `rows` at once; may be called from one other thread.

        Raises:
            RunError: the disk is full, the file cannot be written, or it was deleted: SQLite would write on, in vain.
        """
        if not self.path.exists():
            raise RunError(
                f"{self.path} was deleted or moved while it was written",
                hint="Put it back if it was moved, and run the same command again.",
            )
        with told(self.path), self._writer:
            self._writer.executemany(_INSERT_CALL, [call_row(row) for row in rows if isinstance(row, StoredCall)])
            grades = [row for row in rows if isinstance(row, StoredGrade)]
            self._writer.executemany(_INSERT_GRADE, [grade_row(stored) for stored in grades])
            self._writer.executemany(_SETTLE_CALL, [(key,) for stored in grades for key in _settled_keys(stored)])
            items = [row for row in rows if isinstance(row, StoredItem)]
            self._writer.executemany(_INSERT_ITEM, [item_row(stored) for stored in items])
            self._writer.executemany(_SETTLE_CALL, [(key,) for stored in items for key in stored.settled_keys])

    def add_overrides(self, overrides: Sequence[Override]) -> None:
        """Commit what experts entered, all of it or nothing; what is there already is never changed.

        Raises:
            RunError: the disk is full, or the file cannot be written.
        """
        with told(self.path), self._writer:
            self._writer.executemany(_INSERT_OVERRIDE, [override_row(override) for override in overrides])

    def overrides(self) -> list[Override]:
        """Return everything that experts ever entered, in the order in which it was stored: the last one counts."""
        with told(self.path):
            return [as_override(row) for row in self._reader.execute("SELECT * FROM override ORDER BY id")]

    def totals(self) -> CallTotals:
        """Return what all calls of the run, in every go, took; failed ones and re-asks included."""
        with told(self.path):
            row = self._reader.execute(TOTALS).fetchone()
        return CallTotals(**dict(row))

    def totals_by_system(self) -> dict[str, CallTotals]:
        """Return the same for each system."""
        with told(self.path):
            rows = self._reader.execute(f"SELECT system, {_SUMS} FROM call GROUP BY system").fetchall()
        return {row["system"]: CallTotals(**{name: row[name] for name in row.keys()[1:]}) for row in rows}

    def item_count(self) -> int:
        """Return how many items of a benchmark are finished."""
        with told(self.path):
            return int(self._reader.execute("SELECT count(*) FROM item").fetchone()[0])

    def items(self) -> Iterator[tuple[StoredItem, dict[str, Reply]]]:
        """Yield the finished items of a benchmark in its order, with the replies that they name by key."""
        with told(self.path):
            for row in self._reader.execute("SELECT * FROM item ORDER BY position"):
                stored = as_stored_item(row)
                yield stored, {key: last_reply(self._reader, key) for key in stored.reply_keys}

    def grades(self) -> StoredGrades:
        """Return the grades of the run in its order, with their replies; each look at them reads the store."""
        return StoredGrades(self.path, self._reader)

    def _connect(self) -> sqlite3.Connection:
        with told(self.path):
            connection = sqlite3.connect(self.path, check_same_thread=False, timeout=30)
            try:
                connection.row_factory = sqlite3.Row
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
            except sqlite3.Error:
                connection.close()
                raise
        return connection

    def _prepare(self) -> None:
        with told(self.path), self._writer:
            version = self._writer.execute("PRAGMA user_version").fetchone()[0]
            if version > SCHEMA_VERSION:
                raise RunError(
                    f"{self.path} was written by a newer grader",
                    hint="Update grader, or start another run with --out or --fresh.",
                )
            self._writer.executescript(_SCHEMA)
            self._writer.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            self._writer.executemany(
                "INSERT OR IGNORE INTO meta VALUES (?, ?)",
                [("run_id", f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:6]}"), ("created", now())],
            )
            self._writer.execute(
                "INSERT OR REPLACE INTO meta VALUES ('owner', ?)",
                (f"process {os.getpid()} on {socket.gethostname()}, since {now()}",),
            )


def open_run(path: Path) -> RunStore:
    """Return the open store of an earlier run, named by its folder or by a file in it.

    Raises:
        RunError: there is no run; else as `RunStore` does.
    """
    run_dir = path.parent if path.is_file() else path
    if not (run_dir / FILE_NAME).is_file():
        raise RunError(
            f"{run_dir} is not the folder of a run: there is no {FILE_NAME} in it", hint="Name a run's --out."
        )
    return RunStore(run_dir)


_SETTLE_CALL = "UPDATE call SET is_finished = 1 WHERE key = ? AND error IS NULL"
_SUMS = """count(*) AS calls, coalesce(sum(attempts), 0) AS attempts,
    coalesce(sum(prompt_tokens), 0) AS prompt_tokens, coalesce(sum(completion_tokens), 0) AS completion_tokens,
    sum(cost_usd) AS cost_usd, coalesce(sum(error IS NULL AND cost_usd IS NULL), 0) AS unpriced
"""
TOTALS = f"SELECT {_SUMS} FROM call"
_INSERT_CALL = f"INSERT INTO call VALUES (NULL{', ?' * 17})"
_INSERT_ITEM = "INSERT OR REPLACE INTO item VALUES (?, ?, ?)"
_INSERT_OVERRIDE = f"INSERT INTO override VALUES (NULL{', ?' * 14})"
_INSERT_GRADE = f"INSERT OR REPLACE INTO grade VALUES (?{', ?' * 8})"


def _lock(run_dir: Path) -> FileLock:
    """Lock the run's folder for this process, or say who has it."""
    try:
        run_dir.mkdir(parents=True, exist_ok=True)
        lock = FileLock(run_dir / "run.lock")
        lock.acquire(timeout=0)
    except Timeout as error:
        raise RunError(
            f"{run_dir} is in use by another grader ({_owner(run_dir)})",
            hint="Wait until it has finished, or choose another folder with --out.",
        ) from error
    except OSError as error:
        raise RunError(
            f"{run_dir} cannot be written: {error.strerror or error}", hint="Choose another --out."
        ) from error
    return lock


def _owner(run_dir: Path) -> str:
    try:
        with closing(open_read_only(run_dir / FILE_NAME)) as connection:
            return str(connection.execute("SELECT value FROM meta WHERE name = 'owner'").fetchone()[0])
    except (sqlite3.Error, TypeError):
        return "which has just begun"


def _settled_keys(stored: StoredGrade) -> tuple[str, ...]:
    """Return the calls behind a score that was reached by asking again: an empty first reply need not come again."""
    replies = stored.grade.replies
    return tuple(reply.key for reply in replies) if len(replies) > 1 and stored.grade.verdict.score is not None else ()
