"""Workbooks cut, bent and mixed up by a seed: nothing but an `InputError` comes out, and no row is lost in silence."""

from __future__ import annotations

import io
import random
import re
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from odd_files import READ, TEXTS

from grader.errors import InputError
from grader.inputs.answers import read_answers
from grader.inputs.criteria_workbook import read_criteria_workbook
from grader.inputs.tables import open_sheets

Parts = list[tuple[str, bytes]]
NUMBERS = (b"-1", b"0", b"", b"99999999999999999999999", b"4294967296", b"1e400", b"NaN", b"1048577", b"16385")
VALUES = (
    b"",
    b"A0",
    b"ZZZZZZZZ1",
    b"A1:",
    b":",
    b"../../x",
    b"/xl/workbook.xml",
    b"s",
    b"e",
    b"d",
    b"\xff",
    b"A9999999999",
)
BYTES = (b"\0", b"\r", b"\n", b'"', b"\xef\xbb\xbf", b"\xff", b",", b";", b"\r\r\n", b"\x1a")


def parts_of(data: bytes) -> Parts:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        return [(info.filename, package.read(info)) for info in package.infolist()]


def packed(parts: Parts) -> bytes:
    target = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(target, "w") as package:
        warnings.simplefilter("ignore")  # of two parts with one name, which is the point
        for name, content in parts:
            info = zipfile.ZipInfo("x")
            info.filename = name
            package.writestr(info, content, zipfile.ZIP_DEFLATED)
    return target.getvalue()


def flip_bits(data: bytes, chance: random.Random) -> bytes:
    bent = bytearray(data)
    for _ in range(chance.randrange(1, 6) if bent else 0):
        bent[chance.randrange(len(bent))] ^= 1 << chance.randrange(8)
    return bytes(bent)


def change_match(pattern: bytes, values: tuple[bytes, ...]) -> Callable[[bytes, random.Random], bytes]:
    def change(content: bytes, chance: random.Random) -> bytes:
        matches = list(re.finditer(pattern, content))
        if not matches:
            return content
        match = chance.choice(matches)
        return content[: match.start()] + chance.choice(values or (match[0] * 2, b"")) + content[match.end() :]

    return change


CHANGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    flip_bits,
    change_match(rb"\d+", NUMBERS),
    change_match(rb'(?<==")[^"]*(?=")', VALUES),
    change_match(rb"<[^>]+>", ()),
    lambda content, chance: content[: len(content) * chance.randrange(20) // 20],
    lambda content, chance: content.replace(b"UTF-8", chance.choice((b"UTF-99", b"cp037", b"utf-32", b"Shift_JIS"))),
)


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Return the file with something wrong: cut off, some bits flipped, or one part of a package changed."""
    way = chance.randrange(10)
    if way == 0:
        return data[: len(data) * chance.randrange(1, 20) // 20]
    if way == 1:
        return flip_bits(data, chance)
    if not data.startswith(b"PK"):
        at = chance.randrange(len(data) + 1)
        return data[:at] + chance.choice(BYTES) + data[at:]
    parts = parts_of(data)
    at = chance.randrange(len(parts))
    name, content = parts[at]
    parts[at] = (name, chance.choice(CHANGES)(content, chance))
    return packed(parts)


@pytest.mark.parametrize("seed", range(4))
def test_nothing_but_input_errors_come_out(tmp_path: Path, seed: int) -> None:
    """The library that reads values would abort this whole process at some names of cells, if they came so far."""
    chance = random.Random(seed)
    writers = sorted({**READ, **TEXTS}.items())
    for number in range(60):
        folder = tmp_path / str(number)
        folder.mkdir()
        chance.choice(writers)[1](folder / "odd.xlsx")
        path = next(folder.iterdir())
        path.write_bytes(mutated(path.read_bytes(), chance))
        for read in (read_criteria_workbook, read_answers):
            try:
                read(path)
            except InputError as error:
                assert path.name in str(error)


REARRANGED: dict[str, Callable[[Parts, int], None]] = {
    "removed": lambda parts, at: parts.__delitem__(at),
    "emptied": lambda parts, at: parts.__setitem__(at, (parts[at][0], b"")),
    "in capitals": lambda parts, at: parts.__setitem__(at, (parts[at][0].upper(), parts[at][1])),
    "first": lambda parts, at: parts.insert(0, parts.pop(at)),
    "marked": lambda parts, at: parts.__setitem__(at, (parts[at][0], b"\xef\xbb\xbf" + parts[at][1])),
}


@pytest.mark.parametrize("way", REARRANGED)
def test_a_part_that_is_gone_or_elsewhere_changes_no_value(tmp_path: Path, way: str) -> None:
    outcomes = set()
    for name in ("richtext_space_only_run", "notes_legacy_rich", "dates_1904", "rare_sheet_elements"):
        READ[name](tmp_path / f"{name}.xlsx")
        data = (tmp_path / f"{name}.xlsx").read_bytes()
        wanted = [(sheet.name, sheet.rows) for sheet in open_sheets(tmp_path / f"{name}.xlsx")]
        for at in range(len(parts_of(data))):
            parts = parts_of(data)
            if way == "marked" and not parts[at][1].startswith(b"<"):
                continue
            REARRANGED[way](parts, at)
            path = tmp_path / "changed.xlsx"
            path.write_bytes(packed(parts))
            try:
                found = [(sheet.name, sheet.rows) for sheet in open_sheets(path)]
            except InputError:
                outcomes.add("refused")
            else:
                assert found == wanted, (name, parts[at][0])
                outcomes.add("same")
    assert "same" in outcomes
    assert ("refused" in outcomes) == (way in ("removed", "emptied"))
