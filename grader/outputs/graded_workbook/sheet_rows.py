"""Reads a worksheet's rows and cells from its XML: as text where that is written as most programs do; changes none.

Parsing every cell takes three times as long. From the first row on that is written otherwise, rows are parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import add
from string import digits
from typing import Final

from lxml import etree

from grader.outputs.graded_workbook.ooxml import MAIN, check_xml, main, parse_xml, passing_elements

FORMULA: Final = "=formula"
"""What a cell with a formula reads as, whatever it came to when the workbook was saved."""

_ATTRIBUTES = rb'(?:\s+(?:xmlns(?::\w+)?="[\w:/.#-]+"|(?!xmlns)[\w:.-]+="[^"<>&]*"))*'
_HEAD = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:<\?xml version=[\"']1\.0[\"'](?: encoding=[\"'][Uu][Tt][Ff]-8[\"'])?"
    rb"(?: standalone=[\"'][a-z]+[\"'])?\s*\?>\s*)?<worksheet(" + _ATTRIBUTES + rb")\s*>"
)
_DEFAULT_NAMESPACE = f' xmlns="{MAIN}"'.encode()
_START, _END = b"<sheetData>", b"</sheetData>"
_ROW_END = "</row>"
_ROW = re.compile(r"""<row r="([0-9]+)"([^<>']*)>""")
_ROW_STYLE = re.compile(r' s="([0-9]+)"')
_STRETCH_BYTES = 65_536
"""So much is cut into rows at a time: a large sheet needs little memory."""

_CELL = re.compile(
    r"""<c[ ]r="([A-Z]{1,3})([0-9]++)"(?:[ ]s="([0-9]++)")?
    (?:[ ]t="inlineStr"><is><t(?:[ ]xml:space="preserve")?>([^<]*+)</t></is></c>
    |(?:[ ]t="(s|str|n|b|e|d)")?
    (?:[ ]?/>|>(?:(<f)(?:[ ](?![^<>]*xmlns)[^<>]*)?(?:/>|>[^<]*+</f>))?(?:<v>([^<]*+)</v>|<v[ ]?/>)?</c>))
    |(.)""",
    re.VERBOSE | re.DOTALL,
)
_REFERENCE = re.compile("&(?:#([0-9]+)|#x([0-9A-Fa-f]+)|([a-z]+));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_C, _F, _V, _IS, _T, _PHONETIC = (main(tag) for tag in ("c", "f", "v", "is", "t", "rPh"))

TextRow = tuple[str, str, str]
"""Number, all attributes behind it, cells."""

Columns = tuple[tuple[str, ...], ...]
"""Of each cell: letters, digits, style, text, kind, formula, value, and what is not as it should be."""

_NO_CELLS: Columns = ((),) * 8


class WrittenOtherwise(Exception):
    """XML that is not written as `text_rows` and `text_cells` know it; it may be all right, and has to be parsed."""


class SheetRow:
    """A row, and of each of its cells one entry in each of the tuples; empty for what the file does not say."""

    __slots__ = ("_columns", "_is_escaped", "number", "style")

    def __init__(self, number: str, style: str, columns: Columns, *, is_escaped: bool = False) -> None:
        self.number = number
        self.style = style
        self._columns = columns
        self._is_escaped = is_escaped

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters in each cell's reference."""
        return self._columns[0]

    @property
    def digits(self) -> tuple[str, ...]:
        """What stands behind them: the row's number, unless the file is damaged."""
        return self._columns[1]

    @property
    def styles(self) -> tuple[str, ...]:
        """The numbers of the cells' formats."""
        return self._columns[2]

    def texts(self, shared: Sequence[str]) -> list[str]:
        """Return what the cells hold, `FORMULA` for a formula; `shared` are the workbook's shared strings."""
        _, _, _, inside, kinds, formulas, values, _ = self._columns
        texts = list(map(add, inside, values))  # a cell has one of them
        if self._is_escaped:
            texts = [_REFERENCE.sub(_character, text) if "&" in text else text for text in texts]
        if "s" in kinds or any(formulas):
            for place, (kind, formula) in enumerate(zip(kinds, formulas, strict=True)):
                if formula:
                    texts[place] = FORMULA
                elif kind == "s":
                    texts[place] = shared_text(shared, texts[place])
        return texts


def read_rows(data: bytes, *, is_sound: bool = False) -> Iterator[SheetRow]:
    """Yield the rows of a sheet's part; `is_sound` where it is known to be well-formed.

    Raises:
        BrokenXml: not well-formed; what came before may have been yielded by then.
    """
    done = 0
    try:
        for number, attributes, cells in text_rows(data, is_sound=is_sound):
            style = _ROW_STYLE.search(attributes) if ' s="' in attributes else None
            yield SheetRow(number, style[1] if style else "", text_cells(cells), is_escaped="&" in cells)
            done += 1
    except WrittenOtherwise:
        for element in islice(passing_elements(data, main("row")), done, None):
            yield _parsed_row(element)


def text_rows(data: bytes, *, is_sound: bool = False) -> Iterator[TextRow]:
    """Yield the rows of a sheet's part as they are written.

    Raises:
        BrokenXml: not well-formed, unless it `is_sound`.
        WrittenOtherwise: what follows has to be parsed.
    """
    start, end = _span(data)
    if not is_sound:
        check_xml(data)
    for stretch in stretches(data, start, end):
        for text in stretch.decode().split(_ROW_END):
            place = 0
            while place < len(text):
                row = _ROW.match(text, place)
                if row is None or "xmlns" in row[2]:
                    raise WrittenOtherwise
                number, attributes = row.groups()
                start = place = row.end()
                if not attributes.endswith("/"):
                    place = len(text)
                yield number, attributes, text[start:place]


def stretches(data: bytes, start: int, end: int) -> Iterator[bytes]:
    """Yield the rows between two places some at a time, always whole ones."""
    while start < end:
        place = data.find(_ROW_END.encode(), min(start + _STRETCH_BYTES, end), end)
        following = end if place < 0 else place + len(_ROW_END)
        yield data[start:following]
        start = following


def text_cells(cells: str) -> Columns:
    """Return of the cells of a row, as they are written, the columns of a `SheetRow`.

    Raises:
        WrittenOtherwise: they have to be parsed.
    """
    columns = tuple(zip(*_CELL.findall(cells), strict=True)) or _NO_CELLS
    if any(columns[-1]) or "\r" in cells:
        raise WrittenOtherwise
    return columns


def around_rows(data: bytes) -> etree._Element:
    """Return a sheet without its rows; they are empty where they had to be parsed.

    Raises:
        BrokenXml: not well-formed.
    """
    try:
        start, end = _span(data)
    except WrittenOtherwise:
        whole: list[etree._Element] = []
        for _ in passing_elements(data, main("row"), whole):
            pass
        return whole[0]
    return parse_xml(data[:start] + data[end:])


def runs_text(element: etree._Element | None) -> str:
    """Return the text of all runs, without how it is to be pronounced."""
    if element is None:
        return ""
    if len(element) == 1 and element[0].tag == _T:
        return element[0].text or ""
    runs = (part for part in element if part.tag != _PHONETIC)
    return "".join(text.text or "" for run in runs for text in run.iter(_T))


def cell_value(cell: etree._Element) -> tuple[str, str]:
    """Return the kind and the value of a cell, as `SheetRow` has them."""
    kind = cell.get("t") or ""
    if kind == "inlineStr":
        return "", runs_text(cell.find(_IS))
    first = cell[0] if len(cell) else None
    return kind, (first.text if first is not None and first.tag == _V else cell.findtext(_V)) or ""


def shared_text(shared: Sequence[str], number: str) -> str:
    """Return a shared string by its number, as a cell has it; nothing where there is none of that number."""
    place = int(number) if number.isdecimal() else len(shared)
    return shared[place] if place < len(shared) else ""


def _span(data: bytes) -> tuple[int, int]:
    """Return where the rows begin and end in a part that is UTF-8 and has one list of rows, without prefixes."""
    head = _HEAD.match(data)
    if head is None or _DEFAULT_NAMESPACE not in head[1]:
        raise WrittenOtherwise
    start = data.find(_START, head.end())
    end = data.find(_END, start)
    if start < 0 or end < 0 or data.find(_START, end) >= 0:
        raise WrittenOtherwise
    before = data[head.end() : start]
    if b"<!" in before or b"xmlns=" in before:
        raise WrittenOtherwise
    return start + len(_START), end


def _character(match: re.Match[str]) -> str:
    decimal, hexadecimal, name = match.groups()
    return _NAMED.get(name, match[0]) if name else chr(int(decimal or hexadecimal, 10 if decimal else 16))


def _parsed_row(row: etree._Element) -> SheetRow:
    cells = [_parsed_cell(cell) for cell in row.iterchildren(_C)]
    return SheetRow(row.get("r") or "", _style(row), tuple(zip(*cells, strict=True)) or _NO_CELLS)


def _parsed_cell(cell: etree._Element) -> tuple[str, ...]:
    """Return the same of a cell as `_CELL` does."""
    reference, (kind, value) = cell.get("r") or "", cell_value(cell)
    letters = reference.rstrip(digits)
    is_formula = len(cell) and cell[0].tag == _F  # the format wants a formula first in its cell
    return letters, reference[len(letters) :], _style(cell), "", kind, FORMULA if is_formula else "", value, ""


def _style(element: etree._Element) -> str:
    """Return the number of a format; words for one that is there and empty."""
    style = element.get("s")
    return style or ("" if style is None else "without a number")
