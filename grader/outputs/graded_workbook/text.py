"""Makes any text fit for a worksheet cell, visibly where it has to change; escapes nothing and writes nothing."""

from __future__ import annotations

import re

CELL_LIMIT = 32_767
"""What a cell holds, in UTF-16 units: an emoji counts twice."""

RESULTS = "results.jsonl"

CUT_MARK = " … [cut here: {count:,} characters in all, the whole text is in {file}]"

_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_LINE_END = re.compile("\r\n?")


def safe_text(text: str) -> str:
    """Return `text` with line ends as LF, control characters as pictures (␇), and what is no character as U+FFFD."""
    if not _UNSAFE.search(text):
        return text
    text = _LINE_END.sub("\n", text)
    # Two halves of one character, as broken JSON escapes leave them, are put together before any is given up.
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _UNSAFE.sub(_picture, text)


def fits(text: str) -> bool:
    """Return whether a cell can hold all of `text`."""
    return len(text) <= CELL_LIMIT // 2 or _units(text) <= CELL_LIMIT


def cut_text(text: str, file: str = RESULTS) -> str:
    """Return as much of a safe text as a cell can hold, with a mark that says where the rest is: in `file`."""
    mark = CUT_MARK.format(count=len(text), file=file)
    kept = text.encode("utf-16-le")[: 2 * (CELL_LIMIT - _units(mark))]
    return kept.decode("utf-16-le", "ignore") + mark


def line_text(text: str, limit: int) -> str:
    """Return `text` as one line of at most `limit` characters, for names and properties."""
    line = " ".join(safe_text(text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
