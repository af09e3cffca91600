"""Replies to each rubric type that is shipped, and what comes of them, for tests of what holds for all types."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from grader.inputs.rubric_file import read_rubric
from grader.prompting.render import PromptRenderer
from grader.records import Criterion, Item, Reply, Verdict
from grader.rubric import Rubric, part_label
from grader.scoring.replies import score_reply

ROOT = Path(__file__).parents[1]
NAMES = sorted(path.stem for path in (ROOT / "rubrics").glob("*.yaml"))
FIELDS = ("answer", "question", "reference", "context", "checklist", "history", "instruction", "raw_output", "criteria")


@lru_cache
def rubric_of(name: str) -> Rubric:
    return read_rubric(name)[0]


@lru_cache
def renderer_of(name: str) -> PromptRenderer:
    return PromptRenderer(*read_rubric(name))


def item(name: str, **texts: str) -> Item:
    """An item that has something in every field, with `texts` in place of some."""
    levels = (50.0, 100.0) if "tiered" in name else (None, None)
    text = texts.get("criteria", "says why")
    fields = {field: texts.get(field, f"Some {field}.") for field in FIELDS if field not in ("answer", "criteria")}
    return Item(
        id="1",
        system="s",
        question=fields.pop("question"),
        reference=fields.pop("reference"),
        answer=texts.get("answer", "An answer."),
        criteria=tuple(
            Criterion(item_id="1", number=1 if levels[0] else number, level=level, text=text)
            for number, level in enumerate(levels, 1)
        ),
        fields=fields,
    )


def values(name: str, *, is_high: bool) -> dict[str, Any]:
    """What a judge says in every part that is no text: its lowest verdict, or its highest."""
    rubric = rubric_of(name)
    found: dict[str, Any] = {}
    for part in rubric.output.all_parts:
        scale = part.scale or rubric.scale
        if part.kind == "number":
            found[part.name] = f"{scale.max if is_high else scale.min:g}"
        elif part.kind == "boolean":
            found[part.name] = is_high
        elif part.kind == "items":
            found[part.name] = [
                {"item": c.number, "met": is_high, "evidence": ""} | ({} if c.level is None else {"level": c.level})
                for c in item(name).criteria
            ]
    return found


def reply(name: str, *, is_high: bool = False, says: str = "It is so.") -> str:
    """A well-formed reply with the judge's own verdict, in which `says` are its reasons."""
    rubric, said = rubric_of(name), values(name, is_high=is_high)
    parts = {part.name: said.get(part.name, says) for part in rubric.output.all_parts}
    if rubric.output.format == "json_object":
        return json.dumps(parts, ensure_ascii=False)
    if rubric.output.format == "tagged":
        return "\n".join(f"<{key}>{value}</{key}>" for key, value in parts.items())
    labels = {part.name: part_label(part) for part in rubric.output.all_parts if part.kind != "text"}
    return "\n".join(f"{labels[key]}: {value}" if key in labels else str(value) for key, value in parts.items())


def read(name: str, text: str, **texts: str) -> Verdict:
    return score_reply(Reply(text=text, finish_reason="stop"), item(name, **texts), rubric_of(name))


LOW = {name: read(name, reply(name)).score for name in NAMES}
"""The lowest score of each type."""


def shown(name: str, field: str, text: str) -> str | None:
    """What the prompt for an item shows of a hostile text in one of its fields; None where it does not show it."""
    prompt = renderer_of(name).render(item(name, **{field: text})).messages[1]["content"]
    found = re.search(rf"<{field}-\ue000>\n(.*?)\n</{field}-\ue000>", prompt, re.DOTALL)
    return found[1] if found else None
