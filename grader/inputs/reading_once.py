"""Keeps what has been read for whoever reads the same next; for a while only, and reads nothing itself."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import Any, TypeVar

from grader.inputs.sheet import Sheet

T = TypeVar("T")


class _Kept:
    """Sheets that can be gone through again; each is read when it is first asked for."""

    is_broken = False
    """Whether reading one has failed: to go on would be to leave out what follows."""

    def __init__(self, unread: Iterator[Sheet]) -> None:
        self._unread = unread
        self._read: list[Sheet] = []

    def __iter__(self) -> Iterator[Sheet]:
        for index in count():
            if index == len(self._read):
                try:
                    self._read.append(next(self._unread))
                except StopIteration:
                    return
                except BaseException:
                    self.is_broken = True
                    raise
            yield self._read[index]


_KEPT: ContextVar[dict[Hashable, Any] | None] = ContextVar("what has been read", default=None)


@contextmanager
def reading_once() -> Iterator[None]:
    """Have everything read once while the context lasts, however often it is opened: by the checks, then to grade."""
    token = _KEPT.set({})
    try:
        yield
    finally:
        _KEPT.reset(token)


def kept(place: Hashable, read: Callable[[], T]) -> T:
    """Return what `read` returns, kept for whoever asks for the same `place`, which says all that decides it."""
    known = _KEPT.get()
    if known is None:
        return read()
    if place not in known:
        known[place] = read()
    value: T = known[place]
    return value


def kept_sheets(place: Hashable, read: Callable[[], Iterator[Sheet]]) -> Iterator[Sheet]:
    """Return the sheets of `place`, read as far as they are wanted; else as `kept`."""
    known = _KEPT.get()
    if known is None:
        return read()
    if place not in known or known[place].is_broken:
        known[place] = _Kept(read())
    return iter(known[place])


def hand_on(place: Hashable, value: object) -> None:
    """Leave what was read at `place` to the next who asks for it, and to nobody after that."""
    known = _KEPT.get()
    if known is not None:
        known[place] = value


def handed_on(place: Hashable) -> Any:
    """Return what was left at `place`, or `None`."""
    return (_KEPT.get() or {}).pop(place, None)
