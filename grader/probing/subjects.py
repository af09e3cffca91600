"""Chooses the questions that a probe asks about, and what would be a good answer to each; asks nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from grader.criterion_score import tiered_score
from grader.inputs import context_passages
from grader.plain_text import normalise
from grader.planning import Plan
from grader.records import CriterionVerdict, Item
from grader.rubric import Rubric

_PROCESS = "raw_output"
"""What was written on the way to an answer: part of the answer to a judge of the process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A question that the probe asks about."""

    item: Item
    """With a system's own answer, where there is one."""
    best: str
    """An answer that deserves the most; "" where none can be made."""
    ceiling: float
    """The highest score that the question's criteria allow."""

    @property
    def id(self) -> str:
        """The question's id."""
        return self.item.id

    @property
    def has_own(self) -> bool:
        """Whether a system's own answer is known."""
        return is_filled(self.item.answer)

    @property
    def good(self) -> Item | None:
        """The question with the answer that padding, order and repeats are tried on: a real one if there is one."""
        if self.has_own:
            return self.item
        return with_answer(self.item, self.best) if self.best else None


def all_subjects(plan: Plan, *, seed: int) -> list[Subject]:
    """Return every question once, in an order that depends on the seed and on its id alone.

    So the same questions are taken again when others are added behind them, or answers come and go.
    """
    chosen: dict[str, Item] = {}
    for item in sorted(plan.items, key=lambda item: (_draw(seed, item.id), not is_filled(item.answer))):
        chosen.setdefault(item.id, item)
    return [
        Subject(item=item, best=best_answer(item, plan.rubric), ceiling=_ceiling(item, plan.rubric))
        for item in chosen.values()
    ]


def wrong_answers(subjects: Sequence[Subject]) -> dict[str, str]:
    """Return for each question an answer to another one, by id; none where no other question has one."""
    texts = {each.id: each.best or (each.item.answer if each.has_own else "") for each in subjects}
    ids = list(texts)
    found: dict[str, str] = {}
    for place, item_id in enumerate(ids):
        others = [*ids[place + 1 :], *ids[:place]]
        other = next((texts[each] for each in others if texts[each] and texts[each] != texts[item_id]), None)
        if other:
            found[item_id] = other
    return found


def best_answer(item: Item, rubric: Rubric) -> str:
    """Return the reference, else the criteria's own texts as an answer; "" where there is neither.

    A judge of the process is not served by a reference, which is a result: there it is "".
    """
    known = {*rubric.inputs, *rubric.optional_inputs}
    if _PROCESS in known and "reference" not in known:
        return ""
    if is_filled(item.reference):
        return item.reference
    wanted = [each for each in item.criteria if each.points > 0]
    top = max((each.level for each in wanted if each.level is not None), default=None)
    return "\n".join(each.text for each in wanted if each.level == top)


def with_answer(item: Item, text: str) -> Item:
    """Return `item` with another answer, and nothing left of the one that it had."""
    return changed_answer(item, lambda _: text)


def changed_answer(item: Item, change: Callable[[str], str]) -> Item:
    """Return `item` with its answer changed, and what was written on the way to it likewise."""
    fields = {name: text for name, text in item.fields.items() if name != context_passages.FIELD}
    if fields.get(_PROCESS):
        fields[_PROCESS] = change(fields[_PROCESS])
    changed = replace(item, answer=change(item.answer), fields=fields)
    has_passages = context_passages.FIELD in item.fields
    return context_passages.with_passages(changed) if has_passages else changed


def is_filled(text: str) -> bool:
    """Return whether a text shows anything."""
    return bool(normalise(text).strip())


def _draw(seed: int, item_id: str) -> str:
    return hashlib.sha256(f"{seed}:{item_id}".encode()).hexdigest()


def _ceiling(item: Item, rubric: Rubric) -> float:
    """Return the highest score in reach: of tiers that of the top level, whatever the levels below would add up to."""
    if not any(each.level is not None for each in item.criteria):
        return rubric.scale.max
    met = [CriterionVerdict(number=each.number, level=each.level, met=True) for each in item.criteria]
    best = tiered_score(met, item, rubric)
    return best if best > rubric.scale.min else rubric.scale.max
