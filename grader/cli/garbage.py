"""Has Python look for garbage less often while a command works; frees nothing itself and changes no result."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_NEW_OBJECTS = 20_000
"""So many more objects than before make Python look; its own 700 cost grading a tenth of its CPU, and find little."""


@contextmanager
def rarely_collected() -> Iterator[None]:
    """Look rarely while the context lasts; it is as before afterwards."""
    thresholds = gc.get_threshold()
    gc.set_threshold(_NEW_OBJECTS, *thresholds[1:])
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*thresholds)


@contextmanager
def lasting() -> Iterator[None]:
    """Look not at all meanwhile, and leave what there is then out of every later look: it lasts as long as the command.

    It is for what is imported and read before the work begins, none of which is garbage.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
