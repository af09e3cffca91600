"""Reads a run's grades and replies from its open SQLite file, one at a time; writes nothing."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import orjson

from grader.records import Grade, Reply, StoredGrade
from grader.store.rows import as_grade, as_reply
from grader.store.sqlite_file import told

_SETTLED = """SELECT (SELECT count(*) FROM grade), (
    SELECT count(*) FROM grade, json_each(grade.call_keys) AS asked
    WHERE NOT EXISTS (SELECT 1 FROM call WHERE key = asked.value AND is_finished)
)"""
_STATE = (
    "SELECT * FROM grade ORDER BY position",
    "SELECT count(*), max(id), sum(is_finished) FROM call",
    "SELECT count(*), max(id) FROM override",
)


class StoredGrades(Collection[Grade]):
    """The grades in a store, read one at a time as they are gone through, so that they need no memory."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path, self._connection = path, connection
        self._held: list[StoredGrade] | None = None

    def __len__(self) -> int:
        with told(self._path):
            return int(self._connection.execute("SELECT count(*) FROM grade").fetchone()[0])

    def __iter__(self) -> Iterator[Grade]:
        return (stored.grade for stored in self.stored())

    def hold(self, most: int) -> None:
        """Keep the grades in memory from now on where there are at most so many: reading one takes 40 µs each time."""
        if len(self) <= most:
            self._held = list(self._read(self._last_replies().__getitem__))

    def is_settled(self, count: int) -> bool:
        """Return whether so many grades are there and no call behind them would be made again."""
        with told(self._path):
            there, open_count = self._connection.execute(_SETTLED).fetchone()
        return bool(there == count and not open_count)

    def state(self) -> str:
        """Return a digest of the grades, the calls and the experts' entries: the same as long as none has changed."""
        digest = hashlib.sha256()
        with told(self._path):
            for query in _STATE:
                for row in self._connection.execute(query):
                    digest.update(orjson.dumps(tuple(row)))
        return digest.hexdigest()

    def stored(self) -> Iterator[StoredGrade]:
        """Yield the grades with their places, which have gaps where a run was stopped."""
        if self._held is not None:
            yield from self._held
            return
        yield from self._read(lambda key: last_reply(self._connection, key))

    def _read(self, find_reply: Callable[[str], Reply]) -> Iterator[StoredGrade]:
        with told(self._path):
            for row in self._connection.execute("SELECT * FROM grade ORDER BY position"):
                yield StoredGrade(position=row["position"], grade=as_grade(row, find_reply))

    def _last_replies(self) -> dict[str, Reply]:
        """Return for each key what `last_reply` does: one query instead of one for each key."""
        with told(self._path):
            rows: dict[str, Any] = {}
            for row in self._connection.execute("SELECT * FROM call ORDER BY id"):
                before = rows.get(row["key"])
                if before is None or row["is_finished"] >= before["is_finished"]:
                    rows[row["key"]] = row
        return {key: as_reply(row) for key, row in rows.items()}

    def __contains__(self, grade: object) -> bool:
        return any(grade == stored for stored in self)


def last_reply(connection: sqlite3.Connection, key: str) -> Reply:
    """Return the reply of the call with `key` that counts: a finished one, else the last."""
    row = connection.execute(
        "SELECT * FROM call WHERE key = ? ORDER BY is_finished DESC, id DESC LIMIT 1", (key,)
    ).fetchone()
    return as_reply(row)
