"""Writes a file beside its target and puts it in place only when it is whole; never leaves half a file."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from grader.errors import RunError


@contextmanager
def writing(path: Path) -> Iterator[TextIO]:
    """Open a text file that takes the place of `path` once it has been written without error.

    What UTF-8 cannot hold, such as half of an emoji in a judge's reply, becomes a question mark.

    Raises:
        RunError: the folder cannot be written or the disk is full; what stood at `path` stays.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with beside.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        raise RunError(
            f"{path} cannot be written: {error.strerror or error}",
            hint="Free some disk space or choose another --out, then run the same command again.",
        ) from error
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()
