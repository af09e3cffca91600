"""Finds what grader itself has put into a workbook, so that it is not read as the expert's; parses the index alone.

A graded workbook carries hidden defined names: one on each sheet of ours, and one on the header of our columns in the
criteria sheet. They stay true when sheets are renamed and columns moved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from zipfile import is_zipfile

from grader.errors import InputError
from grader.inputs.package_parts import WorkbookIndex, read_index
from grader.inputs.sheet import Sheet

_PREFIX = "_grader_"
_COLUMNS = "_grader_columns"
_COUNT, _LENGTH = 100, 10_000
"""More names of ours, and longer ones, than we write are a stranger's, and cost time."""
_SOURCE = "_grader_source"
_AREA = re.compile(
    r"(?:'((?:[^']|'')+)'|([^'!,]+))!\$?([A-Z]{1,3})\$?([0-9]{1,7})(?::\$?([A-Z]{1,3})\$?[0-9]{1,7})?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSpan:
    """Columns of ours in a sheet of the expert's; positions count from 0, `last` belongs to it."""

    header_row: int
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OurMarks:
    """The sheets that are ours, and where our columns stand in sheets that are not."""

    sheets: frozenset[str] = frozenset()
    columns: Mapping[str, tuple[ColumnSpan, ...]] = field(default_factory=dict)


def find_our_marks(index: WorkbookIndex) -> OurMarks:
    """Return what a workbook's defined names say is ours; nothing where there are none."""
    sheets: set[str] = set()
    columns: dict[str, tuple[ColumnSpan, ...]] = {}
    names = ((name.casefold(), text[:_LENGTH]) for name, text in index.defined_names)
    for name, text in islice((each for each in names if each[0].startswith(_PREFIX)), _COUNT):
        for sheet, span in _areas(text) if name != _SOURCE else ():
            if name == _COLUMNS:
                columns[sheet] = (*columns.get(sheet, ()), span)
            else:
                sheets.add(sheet)
    return OurMarks(sheets=frozenset(sheets), columns=columns)


def graded_source(path: Path) -> str | None:
    """Return what the workbook was called, without extension, that the graded one at `path` was made from.

    `None` for any other file: a system that is called after its file keeps its name when that is graded again.
    """
    if not is_zipfile(path):
        return None
    try:
        names = {name.casefold(): text for name, text in read_index(path).defined_names}
    except InputError:  # no .xlsx, and whoever reads its rows says what is wrong
        return None
    text = names.get(_SOURCE, "")
    return text[1:-1].replace('""', '"') or None


def without_spans(sheet: Sheet, spans: Sequence[ColumnSpan]) -> Sheet:
    """Return the sheet with our columns empty from their header down: no field, no fault and no row is of ours."""
    if not spans:
        return sheet
    rows = [list(row) for row in sheet.rows]
    for span in spans:
        for row in rows[span.header_row :]:
            end = min(span.last + 1, len(row))
            row[span.first : end] = [""] * max(0, end - span.first)
    faults = {cell: fault for cell, fault in sheet.faults.items() if not any(_covers(span, cell) for span in spans)}
    return replace(sheet, rows=rows, faults=faults)


def _covers(span: ColumnSpan, cell: tuple[int, int]) -> bool:
    return cell[0] >= span.header_row and span.first <= cell[1] <= span.last


def _areas(text: str) -> Iterator[tuple[str, ColumnSpan]]:
    for quoted, bare, first, row, last in _AREA.findall(text):
        left, right = _column(first), _column(last or first)
        sheet = quoted.replace("''", "'") if quoted else bare
        yield sheet, ColumnSpan(header_row=int(row) - 1, first=min(left, right), last=max(left, right))


def _column(letters: str) -> int:
    index = 0
    for letter in letters.upper():
        index = index * 26 + ord(letter) - 64
    return index - 1
