"""Empties a run's store for a fresh start, apart from what experts have entered; opens no store for use."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path


def start_anew(path: Path, newest_version: int) -> tuple[int, Path | None]:
    """Forget calls, grades and the run's own facts in one commit; the experts' entries stay.

    Returns:
        How many entries of experts are still there; and where the file is now, if it cannot be told what is in it.
    """
    override_count, set_aside = 0, None
    try:
        override_count = _keep_overrides_only(path, newest_version) if path.exists() else 0
    except sqlite3.DatabaseError:
        set_aside = _free_name(path)
        path.replace(set_aside)
    if not override_count:
        _discard(path)
    return override_count, set_aside


def _keep_overrides_only(path: Path, newest_version: int) -> int:
    """Empty every other table if there are any, and return how many there are.

    Raises:
        sqlite3.DatabaseError: the file is damaged, or of a newer grader, which may keep them in another way.
    """
    with closing(sqlite3.connect(path, timeout=30)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        if connection.execute("PRAGMA user_version").fetchone()[0] > newest_version:
            raise sqlite3.DatabaseError("of a newer grader")
        if "override" not in names:  # of a grader from before there were any
            return 0
        override_count = int(connection.execute("SELECT count(*) FROM override").fetchone()[0])
        if override_count:
            with connection:
                for name in set(names) & {"meta", "call", "grade", "item"}:
                    connection.execute(f"DELETE FROM {name}")
            connection.execute("VACUUM")
    return override_count


def _free_name(path: Path) -> Path:
    names = (path.with_name(f"{path.stem} (earlier {number}){path.suffix}") for number in count(1))
    return next(name for name in names if not name.exists())


def _discard(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
