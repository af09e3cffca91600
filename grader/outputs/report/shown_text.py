"""Makes people's and models' texts fit for a page: no character that breaks it, no more than it can carry."""

from __future__ import annotations

import re

_UNFIT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_MOST_OF_ALL = 30_000_000
"""Characters of answers and analyses on one page, with which a browser still opens it at once."""

_LEAST, _MOST = 1_200, 20_000


def fit_text(text: str) -> str:
    """Return `text` with what a page cannot hold replaced by a mark: null bytes, controls, halves of characters."""
    return _UNFIT.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def text_limit(grade_count: int) -> int:
    """Return how many characters of a text are shown where there are so many grades."""
    return max(_LEAST, min(_MOST, _MOST_OF_ALL // (3 * max(1, grade_count))))


def cut_text(text: str, limit: int) -> str:
    """Return `text`, cut with words that say so where it is longer than `limit`."""
    if len(text) <= limit:
        return text
    return f"{text[:limit].rstrip()} {cut_mark(len(text) - limit)}"


def cut_mark(count: int) -> str:
    """Return the words that stand for `count` characters which are not shown."""
    return f"[… {count:,} more characters: see results.jsonl]"
