"""Binary workbooks are measured before the library reads them, which would end this process where they reach far."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest

from grader.errors import InputError
from grader.inputs.criteria_workbook import read_criteria_workbook
from grader.inputs.package_intake import IntakeLimits
from grader.inputs.xlsb_scan import check_xlsb_area

RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
CONTENT_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="bin" '
    'ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>'
)


def record(kind: int, content: bytes = b"") -> bytes:
    start = bytes([kind]) if kind < 0x80 else bytes([kind & 0x7F | 0x80, kind >> 7])
    size = len(content)
    return start + (bytes([size]) if size < 0x80 else bytes([size & 0x7F | 0x80, size >> 7])) + content


def text(value: str) -> bytes:
    return struct.pack("<I", len(value)) + value.encode("utf-16-le")


def row(number: int) -> bytes:
    return record(0, struct.pack("<I", number) + bytes(13))


def value(column: int, content: float | str) -> bytes:
    start = struct.pack("<II", column, 0)
    return (
        record(6, start + text(content)) if isinstance(content, str) else record(5, start + struct.pack("<d", content))
    )


TABLE = row(0) + value(0, "id") + value(1, 25.0) + row(1) + value(0, "Q1") + value(1, "the moon")
FAR = row(1_048_575) + value(16_383, 1.0)


def make_xlsb(path: Path, cells: bytes, part: str = "worksheets/sheet1.bin") -> Path:
    def relations(kind: str, target: str) -> str:
        relation = f'<Relationship Id="rId1" Type="{OFFICE}/{kind}" Target="{target}"/>'
        return f'<Relationships xmlns="{RELATIONS}">{relation}</Relationships>'

    sheet = record(156, struct.pack("<II", 0, 1) + text("rId1") + text("Criteria"))
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("[Content_Types].xml", CONTENT_TYPES)
        package.writestr("_rels/.rels", relations("officeDocument", "xl/workbook.bin"))
        package.writestr("xl/workbook.bin", record(131) + record(143) + sheet + record(144) + record(132))
        package.writestr("xl/_rels/workbook.bin.rels", relations("worksheet", part))
        used = record(148, struct.pack("<IIII", 0, 1, 0, 1))
        package.writestr(f"xl/{part}", record(129) + used + record(145) + cells + record(146) + record(130))
    return path


def refusal(path: Path, limits: IntakeLimits | None = None) -> str:
    with pytest.raises(InputError) as caught:  # not by reading it: that would abort where the check is missing
        check_xlsb_area(path, limits or IntakeLimits())
    return str(caught.value)


def test_a_binary_workbook_is_read(tmp_path: Path) -> None:
    blank = row(1_048_575) + record(1, struct.pack("<II", 16_383, 0))  # formatted, without a value
    table = read_criteria_workbook(make_xlsb(tmp_path / "a.xlsb", TABLE + blank))
    assert [each.item_id for each in table.rows] == ["Q1"]


def test_an_area_beyond_the_limit_is_refused_before_the_workbook_is_opened(tmp_path: Path) -> None:
    path = make_xlsb(tmp_path / "a.xlsb", TABLE + row(9) + value(9, 1.0))
    with pytest.raises(InputError, match=r"a\.xlsb: a sheet's values reach over 10 rows and 10 columns") as caught:
        read_criteria_workbook(path, limits=IntakeLimits(area=90))
    assert "--read-limit 10" in str(caught.value.hint)
    assert read_criteria_workbook(path, limits=IntakeLimits(area=90).times(2)).rows


@pytest.mark.parametrize("part", ["worksheets/sheet1.bin", "elsewhere/table.png"])
def test_a_lone_value_in_the_last_cell_is_refused_wherever_the_sheet_lies(tmp_path: Path, part: str) -> None:
    path = make_xlsb(tmp_path / "a.xlsb", TABLE + FAR, part)
    assert "reach over 1,048,576 rows and 16,384 columns, too far to read safely" in refusal(path)


def test_a_record_whose_kind_is_padded_counts(tmp_path: Path) -> None:
    padded = b"\x80\x80" + row(900_000)[1:]
    path = make_xlsb(tmp_path / "a.xlsb", TABLE + padded + value(9, 1.0))
    assert "reach over 900,001 rows" in refusal(path)


@pytest.mark.parametrize(
    ("limits", "reason"),
    [(IntakeLimits(cell_count=3), "more than 3 filled cells"), (IntakeLimits(area=9), "too many records")],
)
def test_values_and_records_are_counted(tmp_path: Path, limits: IntakeLimits, reason: str) -> None:
    assert reason in refusal(make_xlsb(tmp_path / "a.xlsb", TABLE), limits)


@pytest.mark.parametrize("cut", [b"\x91", b"\x05", b"\x05\x90", b"\x05\x10\x00"])
def test_records_that_break_off(tmp_path: Path, cut: bytes) -> None:
    path = tmp_path / "a.xlsb"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("xl/cut.bin", cut)
    check_xlsb_area(path, IntakeLimits())
