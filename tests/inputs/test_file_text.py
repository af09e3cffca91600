from __future__ import annotations

from pathlib import Path

import pytest

from grader.errors import InputError
from grader.inputs import file_text
from grader.inputs.file_text import look_over

ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be")


@pytest.fixture(params=[1, 3, 2**20])
def part_bytes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How much is read at once: also so little that parts end within a character or a line end."""
    size = int(request.param)
    monkeypatch.setattr(file_text, "_PART_BYTES", size)
    return size


@pytest.mark.usefixtures("part_bytes")
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(
    ("text", "ends_lines_with_cr"),
    [
        ("id,a\r1,ü\r2,b\r", True),
        ("id,a\r1,ü\r2,b\r \t", True),
        ("id,a\r\n1,ü\r\n", False),
        ('id,a\r\n1,"b\rc"\r\n', False),
        ('id,a\n1,"ü\rb"\n', False),
        ("id,a\r1,b", False),
    ],
)
def test_line_ends_are_told_wherever_a_part_ends(
    tmp_path: Path, encoding: str, text: str, ends_lines_with_cr: bool
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode(encoding))
    found = look_over(path)
    assert found.start == text
    assert found.ends_lines_with_cr is ends_lines_with_cr
    assert not found.is_blank
    assert path.read_bytes().decode(found.encoding) == text


@pytest.mark.usefixtures("part_bytes")
def test_the_byte_that_cannot_be_read_is_counted_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbfid,a\n1,b\xc3\n")
    with pytest.raises(InputError, match=r"the file is not utf-8-sig: byte 11 cannot be read"):
        look_over(path)
    path.write_bytes("id,日\n1,".encode("cp932") + b"\x81")
    with pytest.raises(InputError, match=r"the file is not cp932: byte 8 cannot be read"):
        look_over(path, "cp932")


@pytest.mark.usefixtures("part_bytes")
def test_a_nul_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"id,a\n1,b\n2,\0\n")
    with pytest.raises(InputError, match=r"\[line 3\]: the file has a NUL"):
        look_over(path)


@pytest.mark.usefixtures("part_bytes")
@pytest.mark.parametrize("text", ["", " \r\n\t\n"])
def test_a_file_of_white_space_is_blank(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text, encoding="utf-8", newline="")
    assert look_over(path).is_blank


@pytest.mark.usefixtures("part_bytes")
def test_an_encoding_that_is_named_or_guessed(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("id;Müller straße größe\n1;für\n".encode("cp1252"))
    assert look_over(path, "latin-1").encoding == "latin-1"
    guessed = look_over(path)
    assert guessed.start.startswith("id;Müller")
    assert "which is a guess" in guessed.notes[0]
    with pytest.raises(InputError, match="no encoding called 'klingon'"):
        look_over(path, "klingon")
