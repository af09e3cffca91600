"""Puts a finished workbook in its place, whole or not at all, beside one that is open or must be kept; makes none."""

from __future__ import annotations

import filecmp
import os
import re
import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import TypeVar

from grader.errors import RunError

Outcome = TypeVar("Outcome")

_HINT = "Free some disk space or choose another --out, then run the same command again."


def _none(path: Path) -> bool:
    return False


def _nothing(path: Path) -> None:
    pass


def save_beside(
    target: Path,
    write: Callable[[Path], Outcome],
    *,
    is_fixed: bool = False,
    before_replacing: Callable[[Path], object] = _nothing,
    may_replace: Callable[[Path], bool] = _none,
) -> tuple[Path, Outcome]:
    """Let `write` make a file beside `target`, then put it there, or under the next free name where that is open.

    Args:
        target: Where the file goes.
        write: Makes the file at the path that it is given.
        is_fixed: Whether what stands at `target` must stay there under its name.
        before_replacing: Is called once with `target`, when a file there is about to be replaced.
        may_replace: Whether a file with a number in its name, which is not free then, may be replaced all the same.

    Returns:
        Where the workbook is, and what `write` returned.

    Raises:
        RunError: the folder cannot be written to, or the disk is full; what stood at `target` stays.
    """
    beside = _hidden(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        outcome = write(beside)
        _sync(beside)
        if not is_fixed and not is_open_elsewhere(target):
            if target.exists():
                before_replacing(target)
            if _replaced(beside, target):
                return target, outcome
        return _put_beside(beside, target, may_replace), outcome
    except OSError as error:
        raise RunError(f"{target} cannot be written: {error.strerror or error}", hint=_HINT) from error
    finally:
        beside.unlink(missing_ok=True)


def is_open_elsewhere(path: Path) -> bool:
    """Return whether Excel or LibreOffice says, by a file beside it, that it has `path` open."""
    return any(path.with_name(lock).exists() for lock in (f"~${path.name}", f".~lock.{path.name}#"))


def next_free_name(path: Path) -> Path:
    """Return `graded (2).xlsx`, or the first number that is not taken."""
    return next(candidate for candidate in _numbered(path) if not candidate.exists())


def numbered_files(path: Path) -> list[Path]:
    """Return the files `graded (2).xlsx`, `graded (3).xlsx` … beside `path`, the one that was saved last at the end."""
    name = re.compile(rf"{re.escape(path.stem)} \(\d+\){re.escape(path.suffix)}")
    found = path.parent.iterdir() if path.parent.is_dir() else ()
    files = [each for each in found if name.fullmatch(each.name) and each.is_file()]
    return sorted(files, key=lambda each: (each.stat().st_mtime_ns, each.name))


def keep_earlier(path: Path) -> Path:
    """Keep what stands at `path` as `graded (earlier 1).xlsx`, or under the first such number that is not taken.

    It is copied and not renamed, so that a stop at any moment leaves a file under both names or under the old one,
    and a copy that such a stop has left is taken for this one.
    """
    names = (path.with_name(f"{path.stem} (earlier {number}){path.suffix}") for number in count(1))
    kept = next(name for name in names if not name.exists() or filecmp.cmp(name, path, shallow=False))
    if not kept.exists():
        beside = _hidden(kept)
        try:
            shutil.copy2(path, beside)
            _sync(beside)
            beside.replace(kept)
        finally:
            beside.unlink(missing_ok=True)
    return kept


def _replaced(beside: Path, target: Path) -> bool:
    try:
        beside.replace(target)
    except PermissionError:
        if not target.exists():  # the folder refuses, not an open file
            raise
        return False
    return True


def _put_beside(beside: Path, target: Path, may_replace: Callable[[Path], bool]) -> Path:
    for name in _numbered(target):
        is_free = not name.exists() or (not is_open_elsewhere(name) and may_replace(name))
        if is_free and _replaced(beside, name):
            return name
    raise AssertionError("there is always a next number")


def _numbered(path: Path) -> Iterator[Path]:
    return (path.with_name(f"{path.stem} ({number}){path.suffix}") for number in count(2))


def _hidden(path: Path) -> Path:
    return path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")


def _sync(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())
