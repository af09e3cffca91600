"""What can go wrong with a run's SQLite file, told as what to do; knows nothing of what is in it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from grader.errors import RunError


class told:
    """Turns SQLite's errors into a `RunError` that says what to do."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, sqlite3.Error):
            raise RunError(f"{self._path}: {_explained(error)}", hint=_remedy(error)) from error


def _explained(error: sqlite3.Error) -> str:
    return f"the run's store cannot be used: {error}"


def _remedy(error: sqlite3.Error) -> str:
    text = str(error)
    if "full" in text or "disk I/O" in text:
        return "Free some disk space and run the same command again: everything committed so far is kept."
    if "readonly" in text or "unable to open" in text:
        return "The folder cannot be written; choose another with --out."
    return "If the file is damaged, start anew with --fresh, or choose another folder with --out."


def open_read_only(path: Path) -> sqlite3.Connection:
    """Return a connection to the file at `path` that cannot change it."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
