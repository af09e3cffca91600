"""What an expert typed into a cell of ours as a score, a verdict or a comment; opens no file, knows no scale.

Numbers follow RUBRICS, common rule 6, as far as a cell can: full-width digits and a decimal comma are read, ranges,
percentages, words and dates are refused, since they could be meant in more than one way.
"""

from __future__ import annotations

import datetime
import re

from grader.plain_text import normalise
from grader.records import format_number

MET_WORDS = {
    **dict.fromkeys(("met", "yes", "true", "1"), True),
    **dict.fromkeys(("not met", "no", "false", "0"), False),
}
"""What may be typed as a verdict on a criterion; Excel's own TRUE and FALSE come as booleans in every language."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_DECIMAL_COMMA = re.compile(r"([+-]?[0-9]+),([0-9]+)")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}[.,][0-9]{3}")
_SHOWN = 40


class Unclear(Exception):
    """What was typed is not one score or verdict; the text says what it is instead."""


def parse_entered_score(value: object) -> float | None:
    """Return the number in a score cell, `None` for an empty one.

    Raises:
        Unclear: it holds something else, or a number that can be read in two ways.
    """
    if isinstance(value, bool):
        raise Unclear(f"{str(value).upper()} is no number")
    if isinstance(value, int | float):
        return float(value) + 0.0  # which makes -0 a plain 0
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
        raise Unclear("it is a date, which a spreadsheet may have made of a number such as 3.5")
    text = normalise(str(value if value is not None else "")).strip()
    if not text:
        return None
    if _THOUSANDS.fullmatch(text):
        raise Unclear(f"“{text}” can be read as thousands or with three decimals; type it as a number")
    comma = _DECIMAL_COMMA.fullmatch(text)
    if comma:
        text = f"{comma[1]}.{comma[2]}"
    if not _NUMBER.fullmatch(text):
        raise Unclear(f"“{text[:_SHOWN]}” is not one plain number")
    return float(text) + 0.0


def parse_entered_verdict(value: object) -> bool | None:
    """Return whether a verdict cell says that a criterion is met, `None` for an empty one.

    Raises:
        Unclear: it says something else.
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        value = format_number(value)
    text = " ".join(normalise(str(value if value is not None else "")).casefold().split())
    if not text:
        return None
    if text not in MET_WORDS:
        raise Unclear(f"“{text[:_SHOWN]}” is no verdict; met and not met are")
    return MET_WORDS[text]


def entered_comment(value: object) -> str:
    """Return the text of a comment cell, whatever program saved it; a number or a date as it would be written."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return format_number(value)
    text = "" if value is None else str(value)
    text = text.replace("_x000D_", "").replace("\r\n", "\n").replace("\r", "\n")
    return "\n".join(line.rstrip() for line in text.split("\n")).strip()
