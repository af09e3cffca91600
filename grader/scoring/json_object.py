"""Reads replies that are one JSON object with the rubric's keys; not for what its values mean.

In this order (RUBRICS, common rule 10): the whole reply, every object that stands in it, and at last a lenient repair
whose result is trusted only where the text itself ends the verdict: `{"score": 1` may have been going to say 10.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from grader.rubric import OutputFormat, Part
from grader.scoring.reading import Reading, UnreadableReply
from grader.scoring.reply_text import plain_reply

_Pairs = list[tuple[str, Any]]
_MOST_BRACES = 2_000
"""A reply with more opening braces than this is no verdict, and looking at each would take long."""


def read_json_object(text: str, output: OutputFormat) -> Reading:
    """Return the values of every object in a reply that carries the rubric's keys, by part.

    Raises:
        UnreadableReply: there is no such object, or none that can be trusted.
    """
    plain = plain_reply(text)
    objects, leftovers = _objects(plain, output)
    whole = [pairs for pairs in objects if _carries(pairs, output.all_parts)]
    partial = [pairs for pairs in objects if not _carries(pairs, output.all_parts)]
    repaired = [pairs for leftover in leftovers if (pairs := _repaired(leftover, output))]
    if not (whole or partial or repaired) or len(repaired) != len(leftovers):
        raise UnreadableReply(f"The reply holds no JSON object with {_keys(output)}.", analysis=plain.strip())
    return _reading([*whole, *partial, *repaired], output, is_repaired=not whole or bool(partial or repaired))


def _objects(text: str, output: OutputFormat) -> tuple[list[_Pairs], list[str]]:
    """Return the objects in `text` that carry the verdict, and what begins like one but is broken.

    Objects are not looked for inside others, nor inside broken ones: what a broken one quotes is no verdict.
    """
    decoder = json.JSONDecoder(object_pairs_hook=list, parse_constant=_no_constant)
    found: list[_Pairs] = []
    position = text.find("{")
    for _ in range(_MOST_BRACES):
        if position < 0:
            return found, []
        try:
            pairs, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            if _starts_object(output).match(text, position) and _verdict_key(output.score).search(text, position):
                return found, [text[position:]]
            end = position + 1
        else:
            is_plain = _verdict_key(output.score).search(text, position, end)  # escaped, it got past the data's guard
            if is_plain and any(key == output.score for key, _ in pairs):
                found.append(pairs)
        position = text.find("{", end)
    return [], []


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _carries(pairs: _Pairs, parts: Sequence[Part]) -> bool:
    keys = {key for key, _ in pairs}
    return all(part.name in keys for part in parts)


def _repaired(text: str, output: OutputFormat) -> _Pairs | None:
    """Return what a lenient parser makes of a broken object, if the verdict in it is whole and said once.

    It is found again by a key that nobody else can know: a quoted text may spell the real one with escapes.
    """
    keys = list(_verdict_key(output.score).finditer(text))
    if len(keys) != 1 or not _is_ended(text, keys[0].end(), _part(output)):
        return None
    from json_repair import repair_json  # rarely needed

    ours = secrets.token_hex(8)
    repaired = repair_json(f'{text[: keys[0].start()]}"{ours}":{text[keys[0].end() :]}', return_objects=True)
    if not isinstance(repaired, dict) or ours not in repaired:
        return None
    verdict = repaired.pop(ours)
    if _part(output).kind == "items" and not _has_every_entry(text, verdict):
        return None
    return [*((key, value) for key, value in repaired.items() if key != output.score), (output.score, verdict)]


def _has_every_entry(text: str, entries: Any) -> bool:
    """Return whether the text names as many criteria and verdicts as there are entries; a quote may bring more."""
    counts = {len(_verdict_key(key).findall(text)) for key in ("item", "met")}
    return isinstance(entries, list) and counts == {len(entries)}


def _is_ended(text: str, start: int, part: Part) -> bool:
    """Return whether the value that begins at `start` is followed by something that ends it."""
    if part.kind == "items":
        return text.rstrip().endswith(("]", "}", "},", "]}", "```"))
    return bool(_ENDED_VALUE.match(text, start))


_ENDED_VALUE = re.compile(r"""\s*(?:"[^"{}]*"|'[^'{}]*'|[^\s"'{},]+)\s*[,}]""")


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


def _part(output: OutputFormat) -> Part:
    return next(part for part in output.all_parts if part.name == output.score)


@lru_cache(maxsize=32)
def _verdict_key(name: str) -> re.Pattern[str]:
    return re.compile(rf"""["'“”‘’]?\b{re.escape(name)}\b["'“”‘’]?\s*:""", re.IGNORECASE)


@lru_cache(maxsize=32)
def _starts_object(output: OutputFormat) -> re.Pattern[str]:
    names = "|".join(re.escape(part.name) for part in output.all_parts)
    return re.compile(rf"""\{{\s*["'“”‘’]?(?:{names})["'“”‘’]?\s*:""", re.IGNORECASE)


def _keys(output: OutputFormat) -> str:
    return ", ".join(f"“{part.name}”" for part in output.all_parts)
