"""Keeps long sequences in a temporary file where memory would grow with them; knows nothing of what they hold."""

from __future__ import annotations

import marshal
from array import array
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import IO, Any, Generic, TypeVar, overload

from grader.errors import RunError

T = TypeVar("T")
U = TypeVar("U")
K = TypeVar("K", bound=Hashable)

_HELD_BYTES = 4 * 2**20
_UNWRITTEN_BYTES = 2**18


class Spool:
    """A temporary file for what is too much to hold in memory, made when there first is too much.

    The file has no name and is gone with the process. Not for two threads at once.
    """

    def __init__(self, held_bytes: int = _HELD_BYTES) -> None:
        self._left = held_bytes
        self._file: IO[bytes] | None = None
        self._unwritten = bytearray()
        self._written = 0

    def has_room(self, size: int) -> bool:
        """Take `size` bytes of the memory for all sequences together; return `False` where so much is not left."""
        if size > self._left:
            return False
        self._left -= size
        return True

    def write(self, data: bytes) -> int:
        """Return the place at which `data` can be read.

        Raises:
            RunError: the folder of temporary files is full, or there is none.
        """
        start = self._written + len(self._unwritten)
        self._unwritten += data
        if len(self._unwritten) >= _UNWRITTEN_BYTES:
            self._flush()
        return start

    def read(self, start: int, length: int) -> bytes:
        """Return what was written at a place."""
        if start + length > self._written:
            self._flush()
        assert self._file is not None, "what is read has been written"
        self._file.seek(start)
        return self._file.read(length)

    def _flush(self) -> None:
        import tempfile  # most inputs need no file

        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - open as long as the spool is there
            self._file.seek(self._written)
            while self._unwritten:
                count = self._file.write(self._unwritten)
                self._written += count
                del self._unwritten[:count]
        except OSError as error:
            raise RunError(
                f"what was read does not fit into the folder of temporary files: {error.strerror}",
                hint=f"Free some space in {tempfile.tempdir or 'it'}, or name another folder: TMPDIR=FOLDER",
            ) from error

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()


@dataclass(frozen=True, slots=True)
class Form(Generic[T, K]):
    """How values of a kind are put into a file and taken out again."""

    pack: Callable[[T], tuple[Any, ...]]
    """Returns texts, numbers, tuples, lists and dicts only."""
    unpack: Callable[[Any], T]
    weigh: Callable[[T], int]
    """Returns about how many bytes of memory a value takes."""
    key: Callable[[T], K]
    """Returns what of a value stays in memory."""


class Spooled(Sequence[T], Generic[T, K]):
    """Values of a form, of which those beyond what a spool has room for are read from its file each time."""

    def __init__(self, form: Form[T, K], spool: Spool, values: Iterable[T] = ()) -> None:
        self._form, self._spool = form, spool
        self._held: list[T] = []
        self._starts, self._lengths = array("Q"), array("L")
        self._last: tuple[int, T] | None = None
        self.keys: list[K] = []
        """The key of each value, in their order."""
        for value in values:
            self.add(value)

    def add(self, value: T) -> None:
        """Add a value behind the others."""
        self.keys.append(self._form.key(value))
        if not self._starts and self._spool.has_room(self._form.weigh(value)):
            self._held.append(value)
            return
        data = marshal.dumps(self._form.pack(value))
        self._starts.append(self._spool.write(data))
        self._lengths.append(len(data))

    def __len__(self) -> int:
        return len(self.keys)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        position = range(len(self))[index]
        return self._held[position] if position < len(self._held) else self._read(position)

    def _read(self, position: int) -> T:
        if self._last is None or self._last[0] != position:  # the answers of many systems follow one question
            place = position - len(self._held)
            data = self._spool.read(self._starts[place], self._lengths[place])
            self._last = position, self._form.unpack(marshal.loads(data))
        return self._last[1]


class Mapped(Sequence[U], Generic[T, U]):
    """A sequence that is made of another one, each value when it is taken."""

    def __init__(self, values: Sequence[T], make: Callable[[T], U]) -> None:
        self._values, self._make = values, make

    def __len__(self) -> int:
        return len(self._values)

    @overload
    def __getitem__(self, index: int) -> U: ...
    @overload
    def __getitem__(self, index: slice) -> list[U]: ...
    def __getitem__(self, index: int | slice) -> U | list[U]:
        if isinstance(index, slice):
            return [self._make(value) for value in self._values[index]]
        return self._make(self._values[index])
