"""Looks into the store of a run without changing it, while another grader may be at work on it; locks nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from json import JSONDecodeError
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

from grader.errors import RunError
from grader.records import CallTotals, Override
from grader.store.rows import as_override
from grader.store.run_store import FILE_NAME, TOTALS
from grader.store.sqlite_file import open_read_only, told
from grader.store.stored_grades import StoredGrades


class RunReader:
    """What a run's store holds, as far as it has been written; made by `reading_run`."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    def meta(self, name: str) -> str:
        """Return one of the run's own facts, or an empty text."""
        with told(self.path):
            row = self._connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else ""

    def grades(self) -> StoredGrades:
        """Return the grades of the run in its order."""
        return StoredGrades(self.path, self._connection)

    def totals(self) -> CallTotals:
        """Return what all calls of the run, in every go, took; failed ones and re-asks included."""
        with told(self.path):
            return CallTotals(**dict(self._connection.execute(TOTALS).fetchone()))

    def item_count(self) -> int:
        """Return how many items of a benchmark are finished."""
        with told(self.path):
            return int(self._connection.execute("SELECT count(*) FROM item").fetchone()[0])

    def overrides(self) -> list[Override]:
        """Return everything that experts ever entered; nothing where the store is of before there were entries."""
        has_table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'override'"
        with told(self.path):
            if not self._connection.execute(has_table).fetchone():
                return []
            return [as_override(row) for row in self._connection.execute("SELECT * FROM override ORDER BY id")]


@contextmanager
def reading_run(path: Path) -> Iterator[RunReader]:
    """Open the run named by its folder or by a file in it, as it is at this moment.

    Raises:
        RunError: there is no run, or its store is damaged.
    """
    run_dir = path.parent if path.is_file() else path
    store_path = run_dir / FILE_NAME
    if not store_path.is_file():
        raise RunError(
            f"{run_dir} is not the folder of a run: there is no {FILE_NAME} in it", hint="Name a run's --out."
        )
    try:
        with told(store_path), _connected(store_path) as connection:
            connection.row_factory = sqlite3.Row
            connection.execute("BEGIN")  # all that is read is of one moment
            yield RunReader(store_path, connection)
    except JSONDecodeError as error:
        raise RunError(
            f"{store_path}: the run's store is damaged: {error}",
            hint="Restore the file, or run the same score command with --fresh.",
        ) from error


@contextmanager
def _connected(path: Path) -> Iterator[sqlite3.Connection]:
    """Give a connection that reads; in a folder that cannot be written, to a copy, or to the file as it lies there.

    SQLite needs two files beside the store to read it, and only a connection that may write removes them again.
    """
    wal, shm = (path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))
    with ExitStack() as opened:
        connection = opened.enter_context(closing(_to_read(path, tidies=not wal.exists() and not shm.exists())))
        try:
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            connection = opened.enter_context(closing(_to_unwritable(path, wal, opened)))
        yield connection


def _to_read(path: Path, *, tidies: bool) -> sqlite3.Connection:
    if not tidies:
        return open_read_only(path)
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)
    connection.execute("PRAGMA query_only = ON")
    return connection


def _to_unwritable(path: Path, wal: Path, opened: ExitStack) -> sqlite3.Connection:
    """Return a connection to the file itself, or, where a killed run left something to be read with it, to a copy."""
    if not wal.is_file() or not wal.stat().st_size:
        return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    folder = Path(opened.enter_context(TemporaryDirectory(prefix="grader-")))
    for each in (path, wal):
        copyfile(each, folder / each.name)
    return sqlite3.connect(folder / path.name)
