"""Makes the notes of a donor's sheet after one that XlsxWriter has written for each column; decides no text.

XlsxWriter puts each note's box together anew, tag by tag; those of a column differ by their rows and heights only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.outputs.graded_workbook.finished_rows import text_element
from grader.outputs.graded_workbook.package import Package
from grader.outputs.graded_workbook.review_columns import column_letters
from grader.outputs.graded_workbook.sheet import checked

AUTHOR = "grader"
_WIDTH = 260
_ROW_PIXELS = 20
"""How high the donor's rows are."""

_TOP_PIXELS = 10
"""How far below its upper edge a box begins, in the row above its cell."""

_POINTS = 0.75
"""Of a pixel."""

_BLOCK = 1_024
"""Boxes are numbered in blocks, which the drawing lists."""

_SHAPE = re.compile(r"<v:shape .*?</v:shape>", re.DOTALL)
_BLOCKS = re.compile(r'(<o:idmap [^>]*data=")[^"]*')
_COMMENT = re.compile(r'<comment ref="[A-Z]+[0-9]+"(.*?)<t\b.*?</t>(.*?</comment>)', re.DOTALL)
_OF_ONE_BOX = (
    (re.compile(r'id="_x0000_s\d+"'), 'id="_x0000_s{number}"'),
    (re.compile(r"margin-top:[\d.]+pt"), "margin-top:{top:.15g}pt"),
    (re.compile(r";height:[\d.]+pt"), ";height:{height:.15g}pt"),
    (re.compile(r"z-index:\d+"), "z-index:{place}"),
    (
        re.compile(r"<x:Anchor>(\d+, \d+), \d+, \d+, (\d+, \d+), \d+, \d+<"),
        rf"<x:Anchor>\1, {{above}}, {_TOP_PIXELS}, \2, {{last}}, {{rest}}<",
    ),
    (re.compile(r"<x:Row>\d+"), "<x:Row>{row}"),
)


@dataclass(frozen=True, slots=True)
class Note:
    """A note on a cell, whose row and column count from 0."""

    row: int
    column: int
    text: str
    pixels: int
    """The height of its box."""


def write_patterns(sheet: Any, header_row: int, notes: Sequence[Note]) -> None:
    """Let XlsxWriter write a note on the header of each column that has some."""
    sheet.set_comments_author(AUTHOR)
    for column in sorted({note.column for note in notes}):
        checked(sheet.write_comment(header_row, column, AUTHOR, {"width": _WIDTH}))


def make_notes(donor: Package, notes: Sequence[Note]) -> None:
    """Put the notes in the place of their patterns; they come row by row, and none is in the first row."""
    (sheet,) = donor.sheets().values()
    parts = {relation.kind: relation.target for relation in donor.relations(sheet)}
    if not notes:
        return
    drawing, comments = (donor.data(parts[kind]).decode() for kind in ("vmlDrawing", "comments"))
    donor.replace(parts["vmlDrawing"], _with_boxes(drawing, notes).encode())
    donor.replace(parts["comments"], _with_texts(comments, notes).encode())


def _with_boxes(drawing: str, notes: Sequence[Note]) -> str:
    patterns = _box_patterns(drawing)
    boxes = [_box(patterns[note.column], place, note) for place, note in enumerate(notes, start=1)]
    blocks = ",".join(str(block) for block in range(1, len(notes) // _BLOCK + 2))
    head, _, rest = _BLOCKS.sub(rf"\g<1>{blocks}", drawing, count=1).partition("<v:shape ")
    return "".join((head, *boxes, rest[rest.rindex("</v:shape>") + len("</v:shape>") :]))


def _box_patterns(drawing: str) -> Mapping[int, str]:
    patterns = {}
    for shape in _SHAPE.findall(drawing):
        column = int(shape.partition("<x:Column>")[2].partition("<")[0])
        for what, pattern in _OF_ONE_BOX:
            shape = what.sub(pattern, shape)
        patterns[column] = shape
    return patterns


def _box(pattern: str, place: int, note: Note) -> str:
    top = (note.row - 1) * _ROW_PIXELS + _TOP_PIXELS
    last, rest = divmod(top + note.pixels, _ROW_PIXELS)
    return pattern.format(
        number=_BLOCK + place,
        place=place,
        top=top * _POINTS,
        height=note.pixels * _POINTS,
        above=note.row - 1,
        row=note.row,
        last=last,
        rest=rest,
    )


def _with_texts(comments: str, notes: Sequence[Note]) -> str:
    found = _COMMENT.search(comments)
    assert found is not None, "there is a pattern, and XlsxWriter writes it so"
    before, behind = found[1], found[2]
    entries = [
        f'<comment ref="{column_letters(note.column)}{note.row + 1}"{before}{text_element(note.text)}{behind}'
        for note in notes
    ]
    return "".join((comments[: found.start()], *entries, "</commentList></comments>"))
