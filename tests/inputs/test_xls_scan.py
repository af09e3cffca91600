"""Old workbooks are measured before the library reads them, which would end this process where they reach far."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from grader.errors import InputError
from grader.inputs.criteria_workbook import read_criteria_workbook
from grader.inputs.package_intake import IntakeLimits
from grader.inputs.xls_scan import check_xls_area

END, FREE, TABLE_SECTOR = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD


def record(kind: int, content: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


def text(row: int, column: int, value: str) -> bytes:
    return record(0x204, struct.pack("<HHHHB", row, column, 0, len(value), 0) + value.encode("latin-1"))


def number(row: int, column: int) -> bytes:
    return record(0x203, struct.pack("<HHHd", row, column, 0, 25.0))


def dimensions(top: int, bottom: int, left: int, right: int) -> bytes:
    return record(0x200, struct.pack("<IIHHH", top, bottom, left, right, 0))


TABLE = text(0, 0, "id") + number(0, 1) + text(1, 0, "Q1") + text(1, 1, "the moon")


WIDE = TABLE + number(999, 9)


def workbook_stream(*sheets: bytes, more: bytes = b"") -> bytes:
    def begin(kind: int) -> bytes:
        return record(0x809, struct.pack("<HHHHII", 0x600, kind, 0, 0, 0, 6))

    place = len(begin(5)) + len(more) + len(sheets) * 14 + len(record(0x0A))
    listed, bodies = b"", b""
    for index, cells in enumerate(sheets):
        listed += record(0x85, struct.pack("<IBBBB", place + len(bodies), 0, 0, 2, 0) + b"S%d" % index)
        bodies += begin(0x10) + cells + record(0x0A)
    return begin(5) + more + listed + record(0x0A) + bodies


def make_xls(path: Path, stream: bytes, *, is_small: bool = False, last: int = END) -> Path:
    """Write an OLE file of a header, a table of sectors, a directory and the stream, with small sectors or large."""
    sectors = -(-len(stream) // 512) if is_small else max(8, -(-len(stream) // 512))
    table = [TABLE_SECTOR, END, END, *range(4, 3 + sectors), last]
    chain = [*range(1, -(-len(stream) // 64)), END] if is_small else []

    def entry(name: str, kind: int, start: int, size: int) -> bytes:
        letters = name.encode("utf-16-le") + b"\0\0"
        begin = letters.ljust(64, b"\0") + struct.pack("<HBBIII", len(letters), kind, 1, FREE, FREE, FREE)
        return begin.ljust(116, b"\0") + struct.pack("<IQ", start, size)

    def sector(numbers: list[int]) -> bytes:
        return struct.pack(f"<{len(numbers)}I", *numbers).ljust(512, b"\xff")

    size = len(stream) if is_small else sectors * 512
    root, start = (entry("Root Entry", 5, 3, sectors * 512), 0) if is_small else (entry("Root Entry", 5, END, 0), 3)
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<5H", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    head += struct.pack("<9I", 0, 1, 1, 0, 4096, 2 if is_small else END, int(is_small), END, 0) + struct.pack("<I", 0)
    directory = (root + entry("Workbook", 2, start, size)).ljust(512, b"\0")
    path.write_bytes(
        head.ljust(512, b"\xff") + sector(table) + directory + sector(chain) + stream.ljust(sectors * 512, b"\0")
    )
    return path


def refusal(path: Path, limits: IntakeLimits | None = None) -> str:
    with pytest.raises(InputError) as caught:  # not by reading it: that may abort where the check is missing
        check_xls_area(path, limits or IntakeLimits())
    return str(caught.value)


@pytest.mark.parametrize("is_small", [False, True])
def test_an_old_workbook_is_read_up_to_the_limit(tmp_path: Path, is_small: bool) -> None:
    path = make_xls(tmp_path / "a.xls", workbook_stream(dimensions(0, 65_536, 0, 256) + WIDE), is_small=is_small)
    assert [each.item_id for each in read_criteria_workbook(path).rows] == ["Q1"]
    with pytest.raises(
        InputError, match=r"a\.xls: the sheets' values reach over 10,000 cells, too many to read"
    ) as caught:
        read_criteria_workbook(path, limits=IntakeLimits(area=9_999))
    assert "--read-limit 10" in str(caught.value.hint)


FAR = {
    "number": number(65_535, 255),
    "text": text(65_535, 255, "x"),
    "numbers in a row": record(0xBD, struct.pack("<3HIHIH", 65_535, 254, 0, 0, 0, 0, 255)),
    "formula": record(0x06, struct.pack("<3H", 65_535, 255, 0) + bytes(16)),
    "truth": record(0x205, struct.pack("<3HBB", 65_535, 255, 0, 1, 0)),
}


@pytest.mark.parametrize("far", FAR)
def test_a_lone_value_in_the_last_cell_is_refused(tmp_path: Path, far: str) -> None:
    path = make_xls(tmp_path / "a.xls", workbook_stream(TABLE + FAR[far]))
    assert "reach over 16,777,216 cells" in refusal(path)


def test_all_sheets_together_count_as_all_are_laid_out(tmp_path: Path) -> None:
    path = make_xls(tmp_path / "a.xls", workbook_stream(WIDE, WIDE, WIDE))
    check_xls_area(path, IntakeLimits(area=30_000))
    assert "reach over 30,000 cells" in refusal(path, IntakeLimits(area=29_999))


def test_records_are_counted(tmp_path: Path) -> None:
    blanks = record(0x201, bytes(6)) * 50
    assert "too many records" in refusal(make_xls(tmp_path / "a.xls", workbook_stream(blanks)), IntakeLimits(area=40))


@pytest.mark.parametrize(
    "stream",
    [
        workbook_stream(dimensions(0, 0xFFFFFFFF, 0, 0xFFFF) + TABLE),
        workbook_stream(dimensions(50, 2, 9, 3) + TABLE),
        workbook_stream(record(0x200, struct.pack("<5H", 0, 65_535, 0, 65_535, 0)) + TABLE),
        workbook_stream(TABLE, more=record(0xFC, struct.pack("<II", 5, 0x7FFFFFFF))),
    ],
)
def test_sizes_that_cannot_be_are_damage(tmp_path: Path, stream: bytes) -> None:
    assert "the workbook is damaged" in refusal(make_xls(tmp_path / "a.xls", stream))


@pytest.mark.parametrize("last", [3, 10_000])
def test_sectors_that_go_round_or_astray_are_damage(tmp_path: Path, last: int) -> None:
    assert "the workbook is damaged" in refusal(make_xls(tmp_path / "a.xls", workbook_stream(TABLE), last=last))


@pytest.mark.parametrize(
    ("place", "content"),
    [
        (30, struct.pack("<H", 1)),  # sectors of two bytes
        (48, struct.pack("<I", 99)),  # a directory behind the end
        (68, struct.pack("<I", 3)),  # a list of table sectors that leads to itself
        (80, bytes(4 * 100)),  # a table of a hundred times the same sector
        (1024 + 128 + 120, struct.pack("<I", 1 << 30)),  # a stream larger than the file
    ],
)
def test_an_ole_file_that_is_damaged(tmp_path: Path, place: int, content: bytes) -> None:
    path = make_xls(tmp_path / "a.xls", workbook_stream(TABLE))
    data = bytearray(path.read_bytes())
    data[place : place + len(content)] = content
    data[2048:2560] = struct.pack("<128I", *[3] * 128) if place == 68 else data[2048:2560]
    path.write_bytes(data)
    assert "the workbook is damaged" in refusal(path)


def test_a_stream_that_says_it_is_something_else_counts(tmp_path: Path) -> None:
    path = make_xls(tmp_path / "a.xls", workbook_stream(WIDE))
    data = bytearray(path.read_bytes())
    data[1024 + 128 + 66] = 1  # a storage
    path.write_bytes(data)
    assert "reach over 10,000 cells" in refusal(path, IntakeLimits(area=9_999))


def test_the_table_of_a_large_file_is_listed_in_sectors_of_its_own(tmp_path: Path) -> None:
    path = make_xls(tmp_path / "a.xls", workbook_stream(WIDE))
    data = bytearray(path.read_bytes())
    data[76:80] = struct.pack("<I", FREE)
    data[68:72] = struct.pack("<I", len(data) // 512 - 1)
    path.write_bytes(data + struct.pack("<128I", 0, *[FREE] * 126, END))
    assert "reach over 10,000 cells" in refusal(path, IntakeLimits(area=9_999))
    assert read_criteria_workbook(path).rows


def test_a_password_is_said_though_what_it_hides_makes_no_sense(tmp_path: Path) -> None:
    stream = workbook_stream(number(65_535, 255), more=record(0x2F, b"\1\0" + bytes(52)))
    with pytest.raises(InputError, match="protected by a password"):
        read_criteria_workbook(make_xls(tmp_path / "a.xls", stream))
