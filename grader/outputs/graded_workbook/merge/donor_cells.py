"""Rewrites the cells of a donor's sheet for another workbook, as text: how XlsxWriter writes a cell is known.

It is no reader of workbooks at large: those of other programs have other prefixes, attributes and orders.
"""

from __future__ import annotations

import re

from grader.outputs.graded_workbook.merge.styles import StyleMap
from grader.outputs.graded_workbook.package import Package

_SHARED_STRINGS = "xl/sharedStrings.xml"
_CELLS = re.compile(rb"<sheetData ?/>|<sheetData>(.*)</sheetData>", re.DOTALL)
_STRING = re.compile(rb"<si>(.*?)</si>", re.DOTALL)
_STYLED = re.compile(rb'<(?:c r="[A-Z]+[0-9]+"|row [^>]*?) s="([0-9]+)"(?: t="s"><v>([0-9]+)</v>)?')
_EMPTY_RESULT = re.compile(rb'(<c r="[A-Z]+[0-9]+"(?: s="[0-9]+")?)(><f>[^<]*</f><v></v>)')


class DonorCells:
    """Gives a donor's cells the styles of its target, and their text inside: the target's strings stay as they are."""

    def __init__(self, donor: Package, styles: StyleMap) -> None:
        part = donor.find(_SHARED_STRINGS)
        self._strings = _STRING.findall(donor.data(part)) if part else []
        self._formats = {b"%d" % ours: b"%d" % theirs for ours, theirs in styles.formats.items()}

    def carried(self, cells: bytes) -> bytes:
        """Return cells as the target has to have them."""
        # XlsxWriter leaves a formula's empty text without its type.
        return _EMPTY_RESULT.sub(rb'\1 t="str"\2', _STYLED.sub(self._styled, cells))

    def _styled(self, match: re.Match[bytes]) -> bytes:
        whole, number, string = match[0], match[1], match[2]
        before = whole[: match.start(1) - match.start()]
        if string is None:
            return b'%b%b"' % (before, self._formats[number])
        text = self._strings[int(string)]
        return b'%b%b" t="inlineStr"><is>%b</is>' % (before, self._formats[number], text)


def split_cells(sheet: bytes) -> tuple[bytes, bytes, bytes]:
    """Return what stands before a sheet's cells, the cells, and what stands behind them."""
    found = _CELLS.search(sheet)
    assert found is not None, "a sheet has a place for its cells, and XlsxWriter and lxml write it without attributes"
    head, tail = sheet[: found.start()], sheet[found.end() :]
    return head + b"<sheetData>", found[1] or b"", b"</sheetData>" + tail
