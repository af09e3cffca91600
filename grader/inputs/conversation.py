"""Makes JSON lists in cells and records readable: a conversation as `User: …`, a checklist as lines; else nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_SPEAKERS = {"human": "User", "gpt": "Assistant", "bot": "Assistant", "model": "Assistant", "ai": "Assistant"}
_ROLE_KEYS = ("role", "from")
_TEXT_KEYS = ("content", "value", "text")


def readable_fields(fields: Mapping[str, str]) -> dict[str, str]:
    """Return an item's fields with its history and its checklist as text that a person would write."""
    readers = {"history": readable_history, "checklist": readable_checklist}
    return {name: readers[name](text) if name in readers else text for name, text in fields.items()}


def readable_history(text: str) -> str:
    """Return a JSON list of `{"role": …, "content": …}` as paragraphs with their speakers; any other text as it is."""
    turns = [_turn(entry) for entry in _json_list(text)]
    return "\n\n".join(turn for turn in turns if turn) if turns and None not in turns else text


def readable_checklist(text: str) -> str:
    """Return a JSON list of texts as lines; any other text as it is."""
    points = _json_list(text)
    if not points or not all(isinstance(point, str) for point in points):
        return text
    return "\n".join(point.strip() for point in points if point.strip())


def _json_list(text: str) -> list[Any]:
    if not text.lstrip().startswith("["):
        return []
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return value if isinstance(value, list) else []


def _turn(entry: object) -> str | None:
    if not isinstance(entry, dict):
        return None
    role = next((entry[key] for key in _ROLE_KEYS if isinstance(entry.get(key), str)), None)
    said = next((entry[key] for key in _TEXT_KEYS if key in entry), None)
    if isinstance(said, list):  # parts of a message, of which only the texts can be shown
        said = "\n".join(part["text"] for part in said if isinstance(part, dict) and isinstance(part.get("text"), str))
    if role is None or not isinstance(said, str):
        return None
    return f"{_SPEAKERS.get(role.casefold(), role.strip().capitalize())}: {said.strip()}"
