"""Remembers in a run's store which files were written from what, so that none is written again for nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from grader.store.run_store import RunStore

_META_NAME = "written"
_KNOWN = "known_workbooks"
_UNREVIEWED = "unreviewed"


def written_from(store: RunStore, facts: Iterable[object]) -> str:
    """Return a digest of all that the files of a run say: what the store holds, and `facts` beside it."""
    return hashlib.sha256(json.dumps([store.grades().state(), *map(str, facts)]).encode()).hexdigest()


def remember_written(store: RunStore, source: str, paths: Sequence[Path]) -> None:
    """Keep in the store what files were written from (see `written_from`), and what they are like now."""
    files = {str(path): file_digest(path) for path in paths}
    store.set_meta(_META_NAME, json.dumps({"source": source, "files": files}))


def still_written(store: RunStore, source: str) -> list[Path]:
    """Return the files that were written from the same, if nobody has touched any of them; else none."""
    written = json.loads(store.meta(_META_NAME) or "{}")
    files = written.get("files", {}) if written.get("source") == source else {}
    paths = [Path(name) for name in files]
    is_same = all(path.is_file() and file_digest(path) == files[str(path)] for path in paths)
    return paths if is_same else []


def known_workbooks(store: RunStore) -> frozenset[str]:
    """Return the SHA-256 of workbooks beside graded.xlsx whose entries are in it, or in the store, already."""
    return frozenset(json.loads(store.meta(_KNOWN) or "[]"))


def remember_workbooks(store: RunStore, known: Iterable[str], *, unreviewed_count: int) -> None:
    """Keep what `known_workbooks` returns, and how many entries stand in graded.xlsx and not yet in the store."""
    store.set_meta(_KNOWN, json.dumps(sorted(known)))
    store.set_meta(_UNREVIEWED, str(unreviewed_count))


def unreviewed_count(store: RunStore) -> int:
    """Return how many entries stood in graded.xlsx, when it was written, that `grader review` has not read."""
    return int(store.meta(_UNREVIEWED) or 0)


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
