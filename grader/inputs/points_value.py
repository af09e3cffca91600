"""Reads how many points a criterion is worth from its cell; a value that could mean two things is refused.

From WORKBOOK, reader: U+2212 and full-width digits are accepted; `3,5`, `50%` and `5 pts` are not.
"""

from __future__ import annotations

import datetime
import re

from grader.plain_text import normalise

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
_WITH_UNIT = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)?\s*(?:[^\W\d]+\.?|[点分])")


def parse_points(value: object) -> float:
    """Return the points in a cell.

    Raises:
        ValueError: it is not one plain number; the message says what it is instead.
    """
    if isinstance(value, bool):
        raise ValueError(f"{str(value).upper()} is no number")
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, (datetime.date, datetime.time, datetime.timedelta)):
        raise ValueError("it is a date, which Excel may have made of a number such as 1-3")
    text = normalise(str(value)).strip()
    if _NUMBER.fullmatch(text):
        return float(text)
    raise ValueError(_reason(text))


def _reason(text: str) -> str:
    shown = f"“{text[:40]}”"
    if text.endswith("%"):
        return f"{shown} is a percentage, and points are plain numbers such as 5 or -2"
    if _DECIMAL_COMMA.fullmatch(text):
        return f"{shown} has a comma; write {text.replace(',', '.')} as a number or with a point"
    if _WITH_UNIT.fullmatch(text):
        return f"{shown} has a word behind the number; write the number alone"
    return f"{shown} is no number"
