"""Puts a finished workbook in its place, whole or not at all, beside one that is open or must be kept; makes none."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import TypeVar

from grader.errors import RunError

Outcome = TypeVar("Outcome")

_HINT = "Free some disk space or choose another --out, then run the same command again."


def save_beside(target: Path, write: Callable[[Path], Outcome]) -> tuple[Path, Outcome]:
    """Let `write` make a file beside `target`, then put it there, or under the next free name where that is open.

    Returns:
        Where the workbook is, and what `write` returned.

    Raises:
        RunError: the folder cannot be written to, or the disk is full; what stood at `target` stays.
    """
    beside = target.with_name(f".{target.stem}.{os.getpid()}.part{target.suffix}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        outcome = write(beside)
        _sync(beside)
        return _put_in_place(beside, target), outcome
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


def _put_in_place(beside: Path, target: Path) -> Path:
    if not is_open_elsewhere(target):
        try:
            beside.replace(target)
            return target
        except PermissionError:
            if not target.exists():  # the folder refuses, not an open file
                raise
    free = next_free_name(target)
    beside.replace(free)
    return free


def _numbered(path: Path) -> Iterator[Path]:
    return (path.with_name(f"{path.stem} ({number}){path.suffix}") for number in count(2))


def _sync(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())
