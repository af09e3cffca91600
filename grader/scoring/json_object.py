"""Reads replies that are one JSON object with the rubric's keys; not for what its values mean.

In this order (RUBRICS, common rule 10): every object that stands in the reply, then, where there is none, a lenient
repair (`broken_json`). What is left of the text must not say another verdict.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from grader.rubric import OutputFormat, Part
from grader.scoring.broken_json import repair_object, verdict_key
from grader.scoring.reading import Reading, UnreadableReply
from grader.scoring.reply_text import plain_reply

_Pairs = list[tuple[str, Any]]
_MOST_BRACES = 2_000
"""A reply with more opening braces than this is no verdict, and looking at each would take long."""


def read_json_object(text: str, output: OutputFormat) -> Reading:
    """Return the values of every object in a reply that carries the verdict, by part.

    Raises:
        UnreadableReply: there is no such object, none that can be trusted, or a verdict beside it.
    """
    plain = plain_reply(text)
    objects, rest = _objects(plain, output)
    if not objects:
        repaired = repair_object(plain, output)
        if repaired is None:
            raise UnreadableReply(f"The reply holds no JSON object with {_keys(output)}.", analysis=plain.strip())
        return _reading([repaired], output, is_repaired=True)
    reading = _reading(objects, output, is_repaired=not all(_carries(pairs, output.all_parts) for pairs in objects))
    if _says_more(rest, output, reading):
        raise UnreadableReply("The reply says a verdict beside its JSON object.", analysis=plain.strip())
    return reading


def _objects(text: str, output: OutputFormat) -> tuple[list[_Pairs], str]:
    """Return the objects in `text` that carry the verdict, and the text without them.

    Objects are not looked for inside others, nor behind the start of a broken one that may hold the verdict: what such
    a one quotes is none.

    Raises:
        UnreadableReply: an object spells a key with escapes.
    """
    decoder = json.JSONDecoder(object_pairs_hook=list, parse_constant=_no_constant)
    found: list[_Pairs] = []
    rest: list[str] = []
    last_key = max((key.start() for key in verdict_key(output.score).finditer(text)), default=-1)
    start = end = 0
    for _ in range(_MOST_BRACES):
        position = text.find("{", end)
        if position < 0 or position > last_key:
            return found, "".join([*rest, text[start:]])
        try:
            pairs, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            if _starts_object(output).match(text, position):
                return found, "".join([*rest, text[start:]])
            end = position + 1
        else:
            if _has_plain_verdict(text, position, end, pairs, output):
                found.append(pairs)
                rest.append(text[start:position] + " ")
                start = end
    return [], text


def _has_plain_verdict(text: str, start: int, end: int, pairs: _Pairs, output: OutputFormat) -> bool:
    """Return whether the object that stands from `start` to `end` carries the verdict, by keys as they are written.

    Raises:
        UnreadableReply: it does, and at some depth spells a key with escapes. Such a key got past the guard of the
            data: what opened or split the object is not the judge's, and what of it is cannot be told.
    """
    if not any(key == output.score for key, _ in pairs) or not verdict_key(output.score).search(text, start, end):
        return False
    if any("\\" in found["key"] for found in _STRING.finditer(text, start, end) if found["key"] is not None):
        raise UnreadableReply("The reply's JSON object spells a key with escapes.", analysis=text.strip())
    return True


_KEY = r'"(?:[^"\\]++|\\.)*+"\s*+:'
_STRING = re.compile(rf'(?P<key>{_KEY})|"(?:[^"\\]++|\\.)*+"', re.DOTALL)
"""Each string of a whole object, in turn, so that what stands inside of one is not taken for a key."""


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _carries(pairs: _Pairs, parts: Sequence[Part]) -> bool:
    keys = {key for key, _ in pairs}
    return all(part.name in keys for part in parts)


def _says_more(rest: str, output: OutputFormat, reading: Reading) -> bool:
    """Return whether the text around the objects says a verdict: by its key, or in words one that differs."""
    if any(found[0][0] in _QUOTES for found in verdict_key(output.score).finditer(rest)):
        return True
    if output.part(output.score).kind == "items":
        return bool(_QUOTED_MET.search(rest))
    said = {str(value).strip("\"' []").casefold() for value in reading.values[output.score]}
    return any(found["value"].rstrip(".").casefold() not in said for found in _in_words(output.score).finditer(rest))


_QUOTES = "\"'“”‘’"
_QUOTED_MET = re.compile(r"""["'“”‘’]met["'“”‘’]\s*:""", re.IGNORECASE)


def _reading(objects: Sequence[_Pairs], output: OutputFormat, *, is_repaired: bool) -> Reading:
    values = {
        part.name: tuple(value for pairs in objects for key, value in pairs if key == part.name)
        for part in output.all_parts
    }
    texts = [(part, values[part.name]) for part in output.all_parts if part.kind == "text"]
    said = [(part.label or part.name.replace("_", " ").capitalize(), found[-1]) for part, found in texts if found]
    if not texts:  # the form leaves no room for reasons, but a judge may give them a key of their own
        said = [("", value) for pairs in objects for key, value in pairs if key == output.analysis]
    analysis = said[0][1] if len(said) == 1 >= len(texts) else "\n".join(f"{label}: {text}" for label, text in said)
    return Reading(values=values, analysis=str(analysis), is_repaired=is_repaired)


@lru_cache(maxsize=32)
def _in_words(name: str) -> re.Pattern[str]:
    """Return what finds the verdict's name before a number or a boolean, as in `Score: 3`."""
    words = r"[\s_]".join(map(re.escape, name.split("_")))
    return re.compile(
        rf"\b{words}\b\W{{0,3}}(?::|=|\bis\b)\W{{0,3}}(?P<value>-?\d+(?:\.\d+)?|true|false)\b", re.IGNORECASE
    )


@lru_cache(maxsize=32)
def _starts_object(output: OutputFormat) -> re.Pattern[str]:
    """Return what matches the start of an object: a quoted key, or one of ours without quotes."""
    names = "|".join(re.escape(part.name) for part in output.all_parts)
    quoted = r"""["'“”‘’][^"'“”‘’{}\n]{1,60}["'“”‘’]"""
    return re.compile(rf"\{{\s*(?:{_KEY}|(?:{quoted}|{names})\s*:)", re.IGNORECASE | re.DOTALL)


def _keys(output: OutputFormat) -> str:
    return ", ".join(f"“{part.name}”" for part in output.all_parts)
