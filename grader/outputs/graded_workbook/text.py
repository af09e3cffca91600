"""Makes any text fit for a worksheet cell, visibly where it has to change; escapes nothing and writes nothing."""

from __future__ import annotations

import re

CELL_LIMIT = 32_767
"""What a cell holds, in UTF-16 units: an emoji counts twice."""

RESULTS = "results.jsonl"

CUT_MARK = " … [cut here: {count:,} characters in all, the whole text is in {file}]"

_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_HARMLESS_BYTES = bytes({9, 10, *range(0x20, 0xF5)} - {0x7F, 0xED, 0xEF})
"""Of UTF-8 without those that surrogates and U+FFFE begin with: some characters more are thought harmful at first."""

_XML_BYTES = bytes(set(_HARMLESS_BYTES) - set(b"&<>_"))
_LINE_END = re.compile("\r\n?")


def safe_text(text: str) -> str:
    """Return `text` with line ends as LF, control characters as pictures (␇), and what is no character as U+FFFD."""
    # What is left without some bytes is found many times as fast as any other.
    if not text.encode("utf-8", "surrogatepass").translate(None, _HARMLESS_BYTES) or not _UNSAFE.search(text):
        return text
    text = _LINE_END.sub("\n", text)
    # Two halves of one character, as broken JSON escapes leave them, are put together before any is given up.
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _UNSAFE.sub(_picture, text)


def is_plain(text: str) -> bool:
    """Return whether `text` can stand in XML as it is and is safe; not so sure of some characters, it says no."""
    return not text.encode("utf-8", "surrogatepass").translate(None, _XML_BYTES)


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
