"""Takes a text apart into statements, each small enough to be looked up by itself; judges none of them."""

from __future__ import annotations

import re

_BREAK = re.compile(
    r"(?<=[.!?])\s+(?=\S)|(?<=[。！？；])(?=\S)|[;\n]+"  # sentences and lines
    r"|(?=[①-⑳])|\s(?=\(?\d{1,2}[.)]\s)"  # numbered parts
)
_MARK = re.compile(r"^\s*(?:[-*•·▪]|\(?\d{1,2}[.)](?!\d)|[①-⑳])\s*|^\[[ xX]\]\s*")
_CONTENT = re.compile(r"\w")


def split_statements(text: str) -> tuple[str, ...]:
    """Return the sentences, lines and numbered parts of `text` as they stand in it, without their bullets."""
    pieces = (_MARK.sub("", piece).strip() for piece in _BREAK.split(text))
    return tuple(piece for piece in pieces if _CONTENT.search(piece))
