"""Finds faults in one worksheet that adding cells, columns or notes could make; the order of elements is `lint`'s."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from lxml import etree

from grader.outputs.graded_workbook.ooxml import RELATION_ID, main
from grader.outputs.graded_workbook.package import Package
from grader.outputs.graded_workbook.review_columns import column_index, column_letters
from grader.outputs.graded_workbook.sheet_rows import SheetRow

_CELL = re.compile(r"([A-Z]{1,3})([0-9]+)")
_LETTERS = re.compile("[A-Z]{1,3}")
_NOTE = re.compile(
    r'ObjectType="Note".*?<x:Row>\s*(\d+)\s*</x:Row>\s*<x:Column>\s*(\d+)\s*</x:Column>.*?</x:ClientData>', re.DOTALL
)
_SHAPE_ID = re.compile(r'<v:shape\s[^>]*?\bid="([^"]+)"')


def sheet_faults(package: Package, part: str, root: etree._Element) -> Iterator[str]:
    """Yield what is wrong with the columns, tables and notes of a sheet; its rows are `RowFaults`'."""
    yield from _column_faults(part, root)
    yield from _note_faults(package, part, root)
    for relation in package.relations(part):
        if relation.kind == "table" and package.find(relation.target):
            yield from _table_faults(package.tree(relation.target))


class RowFaults:
    """Looks at rows one by one for rows and cells that are twice there, out of order, or not where they say."""

    def __init__(self, part: str) -> None:
        self.found: list[str] = []
        self.styles: set[str] = set()
        """The numbers of all formats, of cells and of whole rows."""
        self._part = part
        self._last_row = 0

    def see(self, row: SheetRow) -> None:
        """Look at the next row."""
        number = int(row.number or self._last_row + 1)
        if number <= self._last_row:
            self.found.append(f"{self._part}: row {number} stands behind row {self._last_row}")
        self._last_row = number
        self.styles.update(row.styles, (row.style,))
        if not _are_in_order(row.letters) or row.digits.count(row.number) < len(row.digits):
            self._look_at_cells(row, number)

    def _look_at_cells(self, row: SheetRow, number: int) -> None:
        last_column = 0
        for reference in map(str.__add__, row.letters, row.digits):
            match = _CELL.fullmatch(reference or f"{column_letters(last_column)}{number}")
            column = column_index(match[1]) + 1 if match and int(match[2]) == number else 0
            if column <= last_column:
                self.found.append(f"{self._part}: cell {reference or None} is out of its place")
            last_column = column


class PassedRows:
    """Looks at the rows of a package's sheets while they are read for something else: to read them takes long."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._seen: dict[str, tuple[bytes, RowFaults]] = {}

    def rows(self, part: str) -> Iterator[SheetRow]:
        """Yield a sheet's rows, as the package does."""
        faults = RowFaults(part)
        for row in self._package.rows(part):
            faults.see(row)
            yield row
        if not self._package.is_touched(part):
            self._seen[part] = (self._package.data(part), faults)

    def of(self, package: Package, part: str) -> RowFaults | None:
        """Return what was seen of rows that are, byte for byte, those of a sheet of another package; else `None`.

        Raises:
            Unpatchable: the sheet is not well-formed, which the rows that were added are not asked when they are read.
        """
        data, faults = self._seen.get(part, (None, None))
        if data != package.data(part):
            return None
        package.check_form(part)
        return faults


@lru_cache(maxsize=64)
def _are_in_order(columns: tuple[str, ...]) -> bool:
    """Return whether columns stand in a row one behind the other: so do mostly the same ones in row after row."""
    return all(_LETTERS.fullmatch(letters) for letters in columns) and all(
        column_index(one) < column_index(following) for one, following in pairwise(columns)
    )


def _column_faults(part: str, root: etree._Element) -> Iterator[str]:
    spans = [
        (int(col.get("min") or 0), int(col.get("max") or 0)) for col in root.iterfind(f"{main('cols')}/{main('col')}")
    ]
    for (_, end), (start, _) in pairwise(spans):
        if start <= end:
            yield f"{part}: the formats of columns overlap at column {start}"
    if root.find(main("cols")) is not None and not spans:
        yield f"{part}: its list of columns is empty"


def _table_faults(table: etree._Element) -> Iterator[str]:
    columns = list(table.iter(main("tableColumn")))
    name = table.get("displayName")
    for id, count in Counter(column.get("id") for column in columns).items():
        if count > 1:
            yield f"the table {name} has {count} columns of the number {id}"
    counted = table.find(main("tableColumns"))
    if counted is not None and counted.get("count") not in (None, str(len(columns))):
        yield f"the table {name} does not count its columns rightly"


def _note_faults(package: Package, part: str, root: etree._Element) -> Iterator[str]:
    """Yield notes that are twice there or have no box, and boxes that share a name."""
    relations = [relation for relation in package.relations(part) if package.find(relation.target)]
    comments = next((relation.target for relation in relations if relation.kind == "comments"), None)
    if comments is None:
        return
    refs = [comment.get("ref") or "" for comment in package.tree(comments).iter(main("comment"))]
    for ref, count in Counter(refs).items():
        if count > 1:
            yield f"{part}: {ref} has {count} notes"
    drawing = root.find(main("legacyDrawing"))
    wanted = drawing.get(RELATION_ID) if drawing is not None else None
    boxes = next((relation.target for relation in relations if relation.id == wanted), None)
    text = package.data(boxes).decode("utf-8", "replace") if boxes else ""
    shown = {f"{column_letters(int(column))}{int(row) + 1}" for row, column in _NOTE.findall(text)}
    for ref in sorted(set(refs) - shown):
        yield f"{part}: the note of {ref} has no box"
    for id, count in Counter(_SHAPE_ID.findall(text)).items():
        if count > 1:
            yield f"{part}: {count} boxes are called {id}"
