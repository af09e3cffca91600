"""Measures how much text a sheet's cells have together before it is read; keeps none of it.

Cells refer to a common table of texts, so that a small file can show one text of 50 MB in a thousand cells, each of
which becomes a copy.
"""

from __future__ import annotations

import zipfile
from array import array
from collections.abc import Callable
from pathlib import Path
from xml.parsers import expat

from grader.errors import InputError
from grader.inputs.package_intake import IntakeLimits


def check_shared_text(path: Path, part: str, strings_part: str | None, cell_count: int, limits: IntakeLimits) -> None:
    """Raise `InputError` where the `cell_count` cells of a sheet that refer to texts have too much of it."""
    if strings_part is None or not cell_count:
        return
    with zipfile.ZipFile(path) as package:
        if package.getinfo(strings_part).file_size * cell_count <= limits.text_length:
            return
        try:
            lengths = _text_lengths(package, strings_part)
            if max(lengths, default=0) * cell_count <= limits.text_length:
                return
            length = _shown_length(package, part, lengths, limits.text_length)
        except expat.ExpatError as error:
            message = f"the workbook is damaged (the XML of its texts is broken: {error})"
            raise InputError(message, path=path, hint="Excel's Open and Repair may help") from error
    if length > limits.text_length:
        raise InputError(
            f"the sheet's cells have more than {limits.text_length:,} characters, too many to read safely",
            path=path,
            hint="Large sets of answers are better kept as JSONL; a file that you trust is read with --read-limit 10",
        )


def _text_lengths(package: zipfile.ZipFile, part: str) -> array[int]:
    """Return the length of each text of the table, at least that of what is shown."""
    lengths = array("Q")

    def start(name: str, _: dict[str, str]) -> None:
        if name.rpartition(":")[2] == "si":
            lengths.append(0)

    def hear(text: str) -> None:
        if lengths:
            lengths[-1] += len(text)

    _parse(package, part, start, hear)
    return lengths


def _shown_length(package: zipfile.ZipFile, part: str, lengths: array[int], limit: int) -> int:
    """Return the length of all texts that the cells refer to; no further than `limit`."""
    total, is_reference, index = 0, False, ""

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal total, is_reference, index
        kind = name.rpartition(":")[2]
        if kind == "c":
            position = int(index) if index.isascii() and index.isdigit() else -1
            total += lengths[position] if 0 <= position < len(lengths) else 0
            is_reference, index = attributes.get("t") == "s", ""

    def hear(text: str) -> None:
        nonlocal index
        if is_reference and total <= limit:
            index = (index + text.strip())[:20]

    _parse(package, part, start, hear)
    return total


def _parse(
    package: zipfile.ZipFile, part: str, start: Callable[[str, dict[str, str]], None], hear: Callable[[str], None]
) -> None:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.CharacterDataHandler = hear
    with package.open(part) as stream:
        parser.ParseFile(stream)
