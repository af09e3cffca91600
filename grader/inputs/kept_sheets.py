"""Keeps sheets that have been read for whoever opens the same table next; for a while only, and reads none itself."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count

from grader.inputs.sheet import Sheet


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


_KEPT: ContextVar[dict[Hashable, _Kept] | None] = ContextVar("kept sheets", default=None)


@contextmanager
def reading_once() -> Iterator[None]:
    """Have every sheet read once while the context lasts, however often it is opened: by the checks, then to grade."""
    token = _KEPT.set({})
    try:
        yield
    finally:
        _KEPT.reset(token)


def kept_sheets(place: Hashable, read: Callable[[], Iterator[Sheet]]) -> Iterator[Sheet]:
    """Return the sheets of `place`, which says all that decides what `read` yields; read anew elsewhere."""
    kept = _KEPT.get()
    if kept is None:
        return read()
    if place not in kept or kept[place].is_broken:
        kept[place] = _Kept(read())
    return iter(kept[place])
