"""Splits a level cell into its numbered items; knows nothing of workbooks or of scores.

From RUBRICS, tiered: items are numbered `(1) … (2) …`, often one per line; only the next expected number starts
an item; a cell without numbers is one item; `1.`, `1)`, `①` and bullets count too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class _Marker:
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
    return tuple(item for item in items if item) or (text.strip(),)


def _numbered_starts(text: str) -> list[tuple[int, int]]:
    """Return (start of the marker, start of the item's text) of each numbered item."""
    markers = list(_markers(text))
    first = next((m for m in markers if m.number == 1 and m.starts_line), None)
    if first is None:
        return []
    chain = [first]
    while following := _next_marker(text, markers, chain[-1]):
        chain.append(following)
    has_lead_in = bool(text[: first.start].strip())
    if has_lead_in and len(chain) == 1 and not text[: first.start].rstrip().endswith((":", "：")):
        return []
    return [(m.start, m.end) for m in chain]


def _markers(text: str) -> Iterator[_Marker]:
    for match in _MARKER.finditer(text):
        before = text[: match.start()]
        if before[-1:].isalnum() and before[-1:].isascii() and match.lastgroup != "circled":
            continue  # the end of a word or of a longer number, as in `v1.` or `f(2)`
        style = next(name for name in ("bracketed", "circled", "closed", "dotted") if match[name])
        line = before.rpartition("\n")[2]
        yield _Marker(style, _number(match[0]), match.start(), match.end(), not line.strip())


def _number(marker: str) -> int:
    return int("".join(re.findall(r"[0-9]", unicodedata.normalize("NFKC", marker))))


def _next_marker(text: str, markers: list[_Marker], last: _Marker) -> _Marker | None:
    """Return where the next expected number starts an item; one at a line's start beats one inside a line."""
    following = [m for m in markers if m.start >= last.end and m.style == last.style and m.number == last.number + 1]
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
