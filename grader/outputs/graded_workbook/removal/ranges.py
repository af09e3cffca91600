"""Arithmetic of cell ranges as worksheets write them, `A1:B2 D4`; knows nothing of what lies in them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from grader.outputs.graded_workbook.review_columns import column_index, column_letters

LAST_ROW = 1_048_576
LAST_COLUMN = 16_383

_CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})$")


@dataclass(frozen=True, slots=True)
class Range:
    """A rectangle of cells: columns from 0, rows from 1, all bounds included."""

    left: int
    top: int
    right: int
    bottom: int

    def __str__(self) -> str:
        first = f"{column_letters(self.left)}{self.top}"
        last = f"{column_letters(self.right)}{self.bottom}"
        return first if first == last else f"{first}:{last}"

    def overlaps(self, other: Range) -> bool:
        """Return whether the two have a cell in common."""
        return (
            self.left <= other.right
            and other.left <= self.right
            and self.top <= other.bottom
            and other.top <= self.bottom
        )

    def holds(self, other: Range) -> bool:
        """Return whether all of `other` lies in this one."""
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.top <= other.top
            and other.bottom <= self.bottom
        )

    def without(self, other: Range) -> list[Range]:
        """Return what is left without `other`: at most four rectangles, the ones over its whole height last."""
        if not self.overlaps(other):
            return [self]
        left, right = max(self.left, other.left), min(self.right, other.right)
        pieces = [
            Range(self.left, self.top, left - 1, self.bottom),
            Range(left, self.top, right, other.top - 1),
            Range(left, other.bottom + 1, right, self.bottom),
            Range(right + 1, self.top, self.right, self.bottom),
        ]
        return [piece for piece in pieces if piece.left <= piece.right and piece.top <= piece.bottom]


def parse_range(text: str) -> Range | None:
    """Return the range that `G1:L1` or `$G$1` names; `None` for anything else."""
    corners = [_CELL.match(corner) for corner in text.split(":")]
    if not 1 <= len(corners) <= 2 or None in corners:
        return None
    cells = [(column_index(match[1].upper()), int(match[2])) for match in corners if match]
    (left, top), (right, bottom) = cells[0], cells[-1]
    return Range(min(left, right), min(top, bottom), max(left, right), max(top, bottom))


def trimmed(references: str, unwanted: Iterable[Range]) -> str:
    """Return a list of ranges such as `A1:L16 N1` without the cells of `unwanted`; empty where none is left."""
    left: list[str] = []
    unwanted = list(unwanted)
    for text in references.split():
        found = parse_range(text)
        pieces = [] if found is None else [found]
        for area in unwanted:
            pieces = [piece for one in pieces for piece in one.without(area)]
        left += [text] if found is None or pieces == [found] else map(str, pieces)
    return " ".join(left)
