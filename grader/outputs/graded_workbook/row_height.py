"""Estimates how high a row must be to show its wrapped text, as LibreOffice does not; exact it is not."""

from __future__ import annotations

import re
from collections.abc import Iterable

MAX_POINTS = 409.0
"""The highest row Excel allows."""

_LINE_POINTS = 12.8
"""Of Excel; LibreOffice sets Calibri's stand-in closer, so rows are roomy there."""

_PADDING_POINTS = 4.0
_CHARACTERS_PER_WIDTH = 1.29
"""A column's width counts digits of Calibri 11; our text is in 10 points, and letters are narrower than digits."""

_LOST_PER_LINE = 2.5
"""The indent, and part of a word, because lines break between words."""

_WIDE = re.compile(
    "[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6"
    "\U0001f300-\U0001faff\U00020000-\U0003fffd]"
)


_MOST_LINES = int(MAX_POINTS / _LINE_POINTS) + 1


def row_points(cells: Iterable[tuple[str, float]]) -> float:
    """Return the height in points for cells given as text and column width."""
    lines = max((line_count(text, width, _MOST_LINES) for text, width in cells if text), default=1)
    return min(MAX_POINTS, lines * _LINE_POINTS + _PADDING_POINTS)


def line_count(text: str, width: float, most: int) -> int:
    """Return how many lines `text` takes in a column of `width`; counting stops at `most`."""
    per_line = max(1.0, width * _CHARACTERS_PER_WIDTH - _LOST_PER_LINE)
    if 2 * len(text) <= per_line and "\n" not in text:  # most cells, and short even where all characters are wide
        return 1
    count = 0
    for line in text[: int(most * per_line) + most].split("\n"):
        count += max(1, -int(-display_width(line) // per_line))
        if count >= most:
            return most
    return count


def display_width(line: str) -> int:
    """Return how many columns of characters a line takes: Chinese, Japanese, Korean and emoji count double."""
    return len(line) if line.isascii() else len(line) + len(_WIDE.findall(line))
