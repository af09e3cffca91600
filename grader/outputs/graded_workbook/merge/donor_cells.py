"""Rewrites the cells of a donor's sheet for another workbook, as text: how XlsxWriter writes a cell is known.

It is no reader of workbooks at large: those of other programs have other prefixes, attributes and orders.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.outputs.graded_workbook.merge.styles import StyleMap
from grader.outputs.graded_workbook.package import Package
from grader.outputs.graded_workbook.sheet_rows import stretches

_SHARED_STRINGS = "xl/sharedStrings.xml"
_CELLS = re.compile(rb"<sheetData ?/>|<sheetData>(.*)</sheetData>", re.DOTALL)
_STRING = re.compile(rb"<si>([^<]*(?:<(?!/si>)[^<]*)*)</si>")
_STYLED = re.compile(rb'(<(?:c r="[A-Z]+[0-9]+"|row [^>]*?) s=")([0-9]+)"(?: t="s"><v>([0-9]+)</v>)?')
_EMPTY_RESULT = re.compile(rb"><f>[^<]*</f><v></v>")


class DonorCells:
    """Gives a donor's cells the styles of its target, and their text inside: the target's strings stay as they are."""

    def __init__(self, donor: Package, styles: StyleMap) -> None:
        part = donor.find(_SHARED_STRINGS)
        strings = _STRING.finditer(donor.data(part)) if part else ()
        self._texts = [b' t="inlineStr"><is>%b</is>' % string[1] for string in strings]
        self._formats = {b"%d" % ours: b'%d"' % theirs for ours, theirs in styles.formats.items()}

    def carried(self, cells: bytes) -> Iterator[bytes]:
        """Yield cells as the target has to have them, those of some rows at a time."""
        return map(self._rewritten, stretches(cells, 0, len(cells)))

    def _rewritten(self, cells: bytes) -> bytes:
        pieces = _STYLED.split(cells)  # what is between, and of each match: up to its style, the style, the string
        pieces[2::4] = [self._formats[number] for number in pieces[2::4]]
        pieces[3::4] = [b"" if number is None else self._texts[int(number)] for number in pieces[3::4]]
        # XlsxWriter leaves a formula's empty text without its type.
        return _EMPTY_RESULT.sub(lambda match: b' t="str"' + match[0], b"".join(pieces))


def split_cells(sheet: bytes) -> tuple[bytes, bytes, bytes]:
    """Return what stands before a sheet's cells, the cells, and what stands behind them."""
    found = _CELLS.search(sheet)
    assert found is not None, "a sheet has a place for its cells, and XlsxWriter and lxml write it without attributes"
    head, tail = sheet[: found.start()], sheet[found.end() :]
    return head + b"<sheetData>", found[1] or b"", b"</sheetData>" + tail
