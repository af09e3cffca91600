"""Imports what a command needs at its end while it waits for its first replies; runs none of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from threading import Timer

_FIRST_CALLS_SECONDS = 0.1
"""So long it takes to make the first calls, which would have to wait for what is imported beside them."""


@contextmanager
def importing_meanwhile(*modules: str) -> Iterator[None]:
    """Import `modules` in a thread once the first calls are made; those that it does not come to are left alone."""
    timer = Timer(_FIRST_CALLS_SECONDS, lambda: [import_module(name) for name in modules])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
