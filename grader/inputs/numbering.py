"""Splits a level cell into its numbered items; knows nothing of workbooks or of scores.

From RUBRICS, tiered: items are numbered `(1) … (2) …`, often one per line; only the next expected number starts
an item; a cell without numbers is one item; `1.`, `1)`, `①` and bullets count too.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

_CIRCLED = "①-⑳㉑-㉟㊱-㊿"
_MARKER = re.compile(
    r"(?P<bracketed>[(（]\s*(?P<n1>[0-9０-９]{1,3})\s*[)）]|[⑴-⒇])"
    rf"|(?P<circled>[{_CIRCLED}])"
    r"|(?P<closed>(?P<n2>[0-9０-９]{1,3})[)）])"
    r"|(?P<dotted>(?P<n3>[0-9０-９]{1,3})[.．、](?![0-9０-９])|[⒈-⒛])"
)
_BULLET = re.compile(r"^(?P<indent>[ \t\u3000]*)(?P<bullet>[-*–—](?=\s)|[•·‣▪●○◦・])[ \t\u3000]*", re.MULTILINE)
_SENTENCE_END = tuple(".,;:!?。，；：！？、…)）]】\"'”’`")
_POINTS_AT_NUMBER = re.compile(
    r"\b(?:see|option|options|step|steps|item|items|equation|eq|fig|figure|table|section|chapter|case|rule|point"
    r"|points|part|version|line|row|note|question|criterion|the|of|in|to|is|are|at|by|than|from|with|under)"
    r"\.?\s*$|[=<>≤≥+*/^~(\[{-]\s*$",
    re.IGNORECASE,
)


class _Marker(NamedTuple):
    style: str
    number: int
    start: int
    end: int
    starts_line: bool


def split_numbered(text: str) -> tuple[str, ...]:
    """Return the items of a level cell, without their numbers and trimmed; none for a blank cell.

    Words before a list's first item ("One of these:") are kept in front of that item.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\n")
    starts = _numbered_starts(text) or _bulleted_starts(text)
    if not starts:
        return (text.strip(),) if text.strip() else ()
    ends = [start for start, _ in starts[1:]] + [len(text)]
    items = [text[begin:end].strip() for (_, begin), end in zip(starts, ends, strict=True)]
    lead_in = text[: starts[0][0]].strip()
    if lead_in:
        items[0] = f"{lead_in} {items[0]}"
    return tuple(filter(None, items)) or (text.strip(),)


def _numbered_starts(text: str) -> list[tuple[int, int]]:
    """Return (start of the marker, start of the item's text) of each numbered item."""
    markers = _markers(text)
    first = next((m for m in markers if m.number == 1 and m.starts_line), None)
    if first is None:
        return []
    chain = [first]
    while following := _next_marker(text, markers, chain[-1]):
        chain.append(following)
    lead_in = text[: first.start].rstrip()
    if lead_in and len(chain) == 1 and not lead_in.endswith((":", "：")):
        return []
    return [(m.start, m.end) for m in chain]


def _markers(text: str) -> list[_Marker]:
    found: list[_Marker] = []
    for match in _MARKER.finditer(text):
        start, style = match.start(), match.lastgroup or ""
        before = text[start - 1] if start else "\n"
        if before.isalnum() and before.isascii() and style != "circled":
            continue  # the end of a word or of a longer number, as in `v1.` or `f(2)`
        starts_line = before == "\n" or not text[text.rfind("\n", 0, start) + 1 : start].strip()
        found.append(_Marker(style, _number(match), start, match.end(), starts_line))
    return found


def _number(marker: re.Match[str]) -> int:
    digits = marker["n1"] or marker["n2"] or marker["n3"]
    return int(digits or "".join(re.findall(r"[0-9]", unicodedata.normalize("NFKC", marker[0]))))


def _next_marker(text: str, markers: list[_Marker], last: _Marker) -> _Marker | None:
    """Return where the next expected number starts an item; one at a line's start beats one inside a line."""
    following = [m for m in markers if m.start >= last.end and m.style == last.style and m.number == last.number + 1]
    if not following:
        return None
    at_line_start = next((m for m in following if m.starts_line), None)
    return at_line_start or next((m for m in following if _starts_item_inline(text, last, m)), None)


def _starts_item_inline(text: str, last: _Marker, marker: _Marker) -> bool:
    """Say whether a marker inside a line starts an item, rather than being part of a sentence."""
    item = text[last.end : marker.start]
    stripped = item.rstrip()
    is_bracket_open = sum(map(item.count, "([（")) > sum(map(item.count, ")]）"))
    if not stripped or _POINTS_AT_NUMBER.search(item) or is_bracket_open:
        return False
    if any(m.style == marker.style for m in _markers(item)):
        return False  # the sentence speaks of numbers, as in "explain options (1) and (2)"
    if marker.style == "dotted":
        return stripped.endswith(_SENTENCE_END)
    if marker.style == "circled":
        return True
    return item[-1:].isspace() or stripped.endswith(_SENTENCE_END) or not stripped[-1].isascii()


def _bulleted_starts(text: str) -> list[tuple[int, int]]:
    """Return the starts of a bulleted cell's items; deeper bullets stay inside their item."""
    bullets = list(_BULLET.finditer(text))
    if not bullets or bullets[0].start() != 0:
        return []
    first = bullets[0]
    same = [b for b in bullets if b["bullet"] == first["bullet"] and len(b["indent"]) <= len(first["indent"])]
    return [(b.start(), b.end()) for b in same]
