"""The lenient step for broken JSON: what may be trusted of it is read from the text itself, never made up.

A repairing parser invents values (`7–8` becomes 7, a cut `1` may have been `10`), so it is asked for the reasons only,
and for where entries end; every verdict must stand in the text, whole and once (RELIABILITY 4).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from grader.rubric import OutputFormat

_Pairs = list[tuple[str, Any]]
_VALUE = re.compile(r"""\s*(?P<raw>"[^"{}\n]*"|'[^'{}\n]*'|[^\s"'{},\[\]]+)\s*(?P<end>[,}])""")
_NEXT_KEY = re.compile(r"""\s*(?:["'“”‘’]?[\w ]{1,60}["'“”‘’]?\s*:|\}|\{|\])""")
_END = re.compile(r"""(?:["'“”‘’\]]|:\s*(?:-?[\d.]+|true|false|null))\s*(?:,\s*)?\}[^"{}\[\]]*$""", re.IGNORECASE)
"""A brace that closes an object, not one in a text that was cut off behind it: no quote stands after it."""

_LIST_END = re.compile(r"\}\s*(?:,\s*)?\]\s*[,}]")
_TOKENS = {"met": re.compile(r"true|false", re.IGNORECASE), "item": re.compile(r"\d+"), "level": re.compile(r"[\d.]+")}


def repair_object(text: str, output: OutputFormat) -> _Pairs | None:
    """Return the pairs of the one broken object in `text`, its verdict as written; `None` if it cannot be trusted."""
    start = text.find("{")
    keys = list(verdict_key(output.score).finditer(text))
    if start < 0 or len(keys) != 1 or keys[0].start() < start or not _END.search(text, keys[0].end() - 1):
        return None
    if output.part(output.score).kind == "items":
        return _repaired_items(text[start:], output)
    verdict = _raw_value(text, keys[0].end())
    if verdict is None:
        return None
    others = _lenient(text[start:])
    return [*((key, value) for key, value in others.items() if key != output.score), (output.score, verdict)]


@lru_cache(maxsize=32)
def verdict_key(name: str) -> re.Pattern[str]:
    """Return what finds the key `name`, in whatever quotes."""
    return re.compile(rf"""["'“”‘’]?\b{re.escape(name)}\b["'“”‘’]?\s*:""", re.IGNORECASE)


def _raw_value(text: str, start: int) -> str | None:
    """Return the value that begins at `start` as it is written, if it is one token that the text itself ends."""
    found = _VALUE.match(text, start)
    if found is None or (found["end"] == "," and not _NEXT_KEY.match(text, found.end())):
        return None
    return found["raw"].strip("\"'")


def _repaired_items(text: str, output: OutputFormat) -> _Pairs | None:
    """Return the entries of a broken list of criteria, if each of their values stands in the text just so."""
    entries = _lenient(text).get(output.score)
    if not _LIST_END.search(text) or not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
        return None
    for name, token in _TOKENS.items():
        found = list(verdict_key(name).finditer(text))
        raw = [_raw_value(text, key.end()) for key in found]
        if (found or name != "level") and not _agree(raw, [entry.get(name) for entry in entries], token):
            return None
    return [(output.score, entries)]


def _agree(raw: Sequence[str | None], values: Sequence[Any], token: re.Pattern[str]) -> bool:
    """Return whether the values are what the text says, one by one."""
    if len(raw) != len(values):
        return False
    return all(
        written is not None and token.fullmatch(written) is not None and written.casefold() == str(value).casefold()
        for written, value in zip(raw, values, strict=True)
    )


def _lenient(text: str) -> dict[str, Any]:
    """Return what a repairing parser makes of `text`; nothing where it might take long.

    From each mark it may look through all that follows, so both together are limited: to what forty criteria need.
    """
    if len(text) > _LONGEST or len(text) * len(_MARKS.findall(text)) > _MOST_STEPS:
        return {}
    from json_repair import repair_json  # rarely needed

    repaired = repair_json(text, return_objects=True)
    return repaired if isinstance(repaired, dict) else {}


_LONGEST = 50_000
_MOST_STEPS = 5_000_000
_MARKS = re.compile(r"""["'“”‘’{}\[\]()/#`\\]""")
