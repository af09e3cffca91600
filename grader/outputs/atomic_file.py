"""Writes a file beside its target, reads it back, and puts it in place only when it is whole; never leaves half a file.

For text and small files; workbooks are checked for what they hold by `graded_workbook.saving` and its lint.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from grader.errors import RunError

_CHUNK_BYTES = 1 << 20


@contextmanager
def writing(path: Path) -> Iterator[TextIO]:
    """Open a text file that takes the place of `path` once it has been written, and read back, without error.

    What UTF-8 cannot hold, such as half of an emoji in a judge's reply, becomes a question mark.

    Raises:
        RunError: the folder cannot be written, the disk is full or loses what it is given; what stood at `path` stays.
    """
    try:
        with _beside(path) as (beside, file):
            text = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="\n")
            yield text
            text.flush()
            _check(beside, file)
            text.close()
            beside.replace(path)
    except OSError as error:
        raise RunError(
            f"{path} cannot be written: {error.strerror or error}",
            hint="Free some disk space or choose another --out, then run the same command again.",
        ) from error


def write_new_file(path: Path, content: bytes) -> None:
    """Write a file that must not be there yet, whole or not at all.

    Raises:
        OSError: it cannot be written; a `FileExistsError` where it is there, even if it came in the meantime.
    """
    with _beside(path) as (beside, file):
        file.write(content)
        file.flush()
        _check(beside, file)
        try:
            path.hardlink_to(beside)
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            if path.exists():
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
            file.close()
            beside.replace(path)


class _Tallied(io.FileIO):
    """A file that adds up what it was given, to be compared with what it holds."""

    checksum = 0

    def write(self, data: Any) -> int:
        """Write as much of `data` as the system takes, and add that to the sum."""
        count = super().write(data)
        self.checksum = zlib.crc32(memoryview(data)[:count], self.checksum)
        return count


@contextmanager
def _beside(path: Path) -> Iterator[tuple[Path, io.BufferedWriter[_Tallied]]]:
    """Open a file in the folder of `path`, which is gone afterwards unless it was given another name."""
    beside = path.with_name(f".{path.name[:100]}.{os.getpid()}.part")
    try:
        with io.BufferedWriter(_Tallied(beside, "w")) as file:
            yield beside, file
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()


def _check(beside: Path, file: io.BufferedWriter[_Tallied]) -> None:
    """Bring the file to the disk and read it back."""
    file.flush()
    os.fsync(file.fileno())
    found = 0
    with beside.open("rb") as again:
        while chunk := again.read(_CHUNK_BYTES):
            found = zlib.crc32(chunk, found)
    if found != file.raw.checksum:
        raise OSError(errno.EIO, "what was written could not be read back unchanged")
