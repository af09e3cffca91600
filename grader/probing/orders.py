"""The same prompt in another order: its blocks, its levels or bands, its criteria; changes no word of the data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import groupby

from grader.prompting.render import PromptRenderer
from grader.records import NONCE_PLACEHOLDER, Criterion, Grade, Item, Message, Prompt, Reply, Verdict
from grader.rubric import Rubric
from grader.rubric_method import RubricMethod


class Order(StrEnum):
    """In which order an item is shown; it stands in the item's `system`, where run.db shows it."""

    PLAIN = "as it is"
    BLOCKS = "blocks swapped"
    LEVELS = "levels swapped"
    CRITERIA = "criteria swapped"


_CHECKLIST = "checklist"
_CLOSING = re.compile(rf"</(\w+)-{NONCE_PLACEHOLDER}>")


def swapped_blocks(prompt: Prompt) -> Prompt | None:
    """Return `prompt` with its data blocks, and what leads in to each, in the opposite order.

    `None` where there are not two blocks or more that stand one after the other, the answer among them: whatever the
    template, the swap is made by the delimiters, which no data can hold.
    """
    place = next((i for i, message in enumerate(prompt.messages) if _CLOSING.search(message["content"])), None)
    if place is None:
        return None
    content = prompt.messages[place]["content"]
    ends = [match.end() for match in _CLOSING.finditer(content)]
    pieces = [content[start:end].strip() for start, end in zip([0, *ends], ends, strict=False)]
    names = _CLOSING.findall(content)
    is_plain = all(
        piece.count(f"<{name}-{NONCE_PLACEHOLDER}>") == 1 and piece.count(NONCE_PLACEHOLDER) == 2
        for piece, name in zip(pieces, names, strict=True)
    )
    if len(pieces) < 2 or "answer" not in names or not is_plain:
        return None
    swapped = "\n\n".join([*reversed(pieces), content[ends[-1] :].strip()])
    messages = list(prompt.messages)
    messages[place] = Message(role=messages[place]["role"], content=swapped)
    return Prompt(item=prompt.item, messages=tuple(messages))


def has_levels(rubric: Rubric, items: Sequence[Item]) -> list[Item]:
    """Return the items whose prompt has levels or bands to swap."""
    if len(rubric.bands) > 1 or any(len(part.bands) > 1 for part in rubric.output.all_parts):
        return list(items)
    return [item for item in items if len({each.level for each in item.criteria}) > 1]


def swapped_bands(rubric: Rubric) -> Rubric:
    """Return `rubric` with the bands of its scale, and of each dimension, in the opposite order."""
    parts = tuple(part.model_copy(update={"bands": part.bands[::-1]}) for part in rubric.output.parts)
    output = rubric.output.model_copy(update={"parts": parts})
    return rubric.model_copy(update={"bands": rubric.bands[::-1], "output": output})


def swapped_criteria(item: Item) -> Item | None:
    """Return `item` with its criteria, within each level, or its checklist in the opposite order, numbers as before.

    `None` where there are not two that could change places.
    """
    ordered = sorted(item.criteria, key=lambda each: -(each.level or 0))
    levels = [list(criteria) for _, criteria in groupby(ordered, key=lambda each: each.level)]
    if any(len(criteria) > 1 for criteria in levels):
        swapped: tuple[Criterion, ...] = tuple(each for criteria in levels for each in reversed(criteria))
        return replace(item, criteria=swapped)
    lines = [line for line in item.fields.get(_CHECKLIST, "").splitlines() if line.strip()]
    if len(lines) > 1:
        return replace(item, fields={**item.fields, _CHECKLIST: "\n".join(reversed(lines))})
    return None


class ProbeMethod:
    """The rubric's own method, every answer sent to the judge, and each item rendered in its order."""

    def __init__(self, method: RubricMethod, level_renderer: PromptRenderer) -> None:
        self._method, self._level_renderer = method, level_renderer

    def verdict_without_call(self, item: Item) -> Verdict | None:
        """Return `None`: whether the judge itself sees that an answer is empty is what is asked."""
        return self._method.verdict_without_call(item)

    def render(self, item: Item) -> Prompt:
        """Return the prompt for `item` in its order."""
        if item.system == Order.LEVELS:
            return self._level_renderer.render(item)
        prompt = self._method.render(item)
        return (swapped_blocks(prompt) or prompt) if item.system == Order.BLOCKS else prompt

    def read(self, reply: Reply, item: Item) -> Verdict:
        """Return what a reply says."""
        return self._method.read(reply, item)

    def reask(self, prompt: Prompt, reply: Reply, verdict: Verdict) -> Prompt:
        """Return the prompt that asks again."""
        return self._method.reask(prompt, reply, verdict)

    def grade(self, item: Item, sample: int, verdict: Verdict, replies: tuple[Reply, ...]) -> Grade:
        """Return the grade that ends a job."""
        return self._method.grade(item, sample, verdict, replies)
