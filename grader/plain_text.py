"""One spelling for text that people or models wrote: full-width, invisible and escaped forms made plain.

Shared by the readers of replies and by what guards prompts against data, which must see the same text.
"""

from __future__ import annotations

import re
import unicodedata

_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_LOOK_ALIKE = {0x3000: " ", 0x00A0: " ", 0x2212: "-", 0xFE64: "<", 0xFE65: ">", 0x2044: "/", 0x2215: "/"}
# Letters that show nothing; the format characters (category Cf) are found by their category.
_INVISIBLE_LETTERS = dict.fromkeys((0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0))
_VARIATION_SELECTORS = dict.fromkeys((*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
_TRANSLATION = {**_FULL_WIDTH, **_LOOK_ALIKE, **_INVISIBLE_LETTERS, **_VARIATION_SELECTORS}
_ESCAPED_OPENING = re.compile(r"&(?:lt|LT|#0*60|#[xX]0*3[cC]);?")
_ESCAPED_CLOSING = re.compile(r"&(?:gt|GT|#0*62|#[xX]0*3[eE]);?")


def normalise(text: str) -> str:
    """Return `text` with full-width forms, invisible characters and escaped tags made plain.

    Only digits and punctuation are folded, not all of NFKC: that would read `5²` as 52.
    """
    if text.isascii() and "&" not in text:  # most texts are plain, and are asked about often
        return text
    text = strip_invisible(text.translate(_TRANSLATION))
    return _ESCAPED_CLOSING.sub(">", _ESCAPED_OPENING.sub("<", text))


def strip_invisible(text: str) -> str:
    """Return `text` without format characters: zero-width, byte order marks, direction marks, tag characters."""
    if text.isascii():
        return text
    invisible = [char for char in set(text) if unicodedata.category(char) == "Cf"]  # far fewer than characters
    return text.translate(str.maketrans("", "", "".join(invisible))) if invisible else text
