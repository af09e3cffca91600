"""Takes the streams out of an OLE file, in which an old workbook (.xls) lies; knows nothing of what is in them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence

_HEADER = 512
_ENTRY, _STREAM = 128, 2
_SMALL, _SMALL_SECTOR = 4096, 64
"""Streams of fewer bytes lie in sectors of their own size, inside the stream of the root entry."""
_HIGHEST = 0xFFFFFFFA
"""The highest number of a sector; those above say what else it is."""
_END = 0xFFFFFFFE
_PER_TABLE_SECTOR = 1 << 14
"""Bytes of a file for each sector of its table, at the least: a quarter of what one in the smaller size tells of."""


def read_streams(data: bytes) -> Iterator[bytes]:
    """Yield every stream ([MS-CFB] 2); `ValueError`, `IndexError` or `struct.error` where the file is damaged."""
    sector_size = {9: 512, 12: 4096}.get(struct.unpack_from("<H", data, 30)[0])
    if sector_size is None:
        raise ValueError("its sectors have a size that none has")
    directory_start, small_start, count = (struct.unpack_from("<I", data, place)[0] for place in (48, 60, 64))

    def sector(number: int) -> bytes:
        start = max(_HEADER, sector_size) + number * sector_size
        return data[start : start + sector_size]

    table = _numbers(b"".join(map(sector, _table_sectors(data, sector))))
    directory = _chain(directory_start, table, sector)
    entries = [directory[place : place + _ENTRY] for place in range(0, len(directory) - _ENTRY + 1, _ENTRY)]
    small_table = _numbers(_chain(small_start, table, sector)) if count else ()
    container = _chain(_start_and_size(entries[0])[0], table, sector) if count else b""
    streams = [_start_and_size(entry) for entry in entries if _is_stream(entry)]
    if sum(size for _, size in streams) > len(data):
        raise ValueError("its streams say that they are larger than the file")
    for start, size in streams:
        if size >= _SMALL:
            yield _chain(start, table, sector)[:size]
        elif size:
            yield _chain(start, small_table, lambda n: container[n * _SMALL_SECTOR : (n + 1) * _SMALL_SECTOR])[:size]


def _is_stream(entry: bytes) -> bool:
    """Tell whether somebody may read an entry as a stream; a library goes by the names Book and Workbook alone."""
    return entry[66] == _STREAM or b"ook" in entry[:64].replace(b"\0", b"")


def _start_and_size(entry: bytes) -> tuple[int, int]:
    start, size = struct.unpack_from("<II", entry, 116)
    return start, size


def _table_sectors(data: bytes, sector: Callable[[int], bytes]) -> list[int]:
    """Return which sectors hold the table that says which sector follows which."""
    found = list(_numbers(data[76:_HEADER]))
    following = struct.unpack_from("<I", data, 68)[0]
    while following < _HIGHEST:
        *more, following = _numbers(sector(following))
        found += more
        if len(found) > _HEADER + len(data) // 64:
            raise ValueError("its table of sectors goes round in a circle")
    found = [number for number in found if number < _HIGHEST]
    if len(found) > len(data) // _PER_TABLE_SECTOR + 2:
        raise ValueError("its table of sectors is larger than the file needs")
    return found


def _numbers(data: bytes) -> Sequence[int]:
    return struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4])


def _chain(start: int, table: Sequence[int], sector: Callable[[int], bytes]) -> bytes:
    """Return the sectors that follow each other from `start` on."""
    found: list[int] = []
    while start != _END:
        found.append(start)
        start = table[start]
        if len(found) > len(table):
            raise ValueError("its sectors go round in a circle")
    return b"".join(map(sector, found))
