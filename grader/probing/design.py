"""The design of a probe: which answers are judged, and what their scores are compared with; judges nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product
from typing import TypeVar

from grader.judging.runner import Job
from grader.planning import Plan
from grader.probing.orders import Order, has_levels, swapped_criteria
from grader.probing.subjects import Subject, changed_answer, with_answer, wrong_answers
from grader.probing.texts import EMPTY, EMPTY_ANSWERS, MASTER_KEYS, PADDINGS, WRONG_ANSWER, injections
from grader.records import Item

SAMPLES = 3
"""How often a repeated judgement is made."""

_QUICK_EMPTY, _QUICK_FEW, _QUICK_REPEATS = 5, 2, 1
"""Answers of a canary in a quick probe; where there are more kinds of them, each kind once."""


_NOTHING_TO_SWAP = {
    Order.BLOCKS: "the template does not fence two texts or more in blocks one after the other",
    Order.LEVELS: "there are not two levels or bands that could change places",
    Order.CRITERIA: "there are not two criteria, or lines of a checklist, that could change places",
}

Kind = TypeVar("Kind")


class Expectation(StrEnum):
    """What a score is held against."""

    FLOOR = "floor"
    HIGH = "high"
    LOW = "low"
    NO_RISE = "no_rise"
    SAME = "same"
    STABLE = "stable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One score that a canary looks at; `position` and `base` are places among the jobs."""

    canary: str
    variant: str
    position: int
    expectation: Expectation
    base: int | None = None
    ceiling: float = 0.0
    """The highest score in reach."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """All that is asked, and why."""

    jobs: tuple[Job, ...]
    checks: tuple[Check, ...]
    untested: dict[str, str]
    """Reasons, by the canary's name."""
    subject_ids: tuple[str, ...]


def design_probe(plan: Plan, subjects: Sequence[Subject], *, count: int, is_quick: bool, can_swap: bool) -> Design:
    """Return what to ask about the first `count` of `subjects`; the others only lend their answers.

    `can_swap` says whether the blocks of this rubric's prompts can change places.
    """
    draft = _Draft(plan, subjects, count, is_quick=is_quick)
    for build in (_empty, _reference, _other_answers, _master_keys, _injection, _padding, _repeat):
        draft.take(build(draft))
    draft.take(_order(draft, "order-blocks", Order.BLOCKS, draft.subjects if can_swap else ()))
    swappable = {item.id for item in has_levels(plan.rubric, [each.item for each in draft.subjects])}
    draft.take(_order(draft, "order-levels", Order.LEVELS, [each for each in draft.subjects if each.id in swappable]))
    several = [each for each in draft.subjects if swapped_criteria(each.item)]
    draft.take(_order(draft, "order-criteria", Order.CRITERIA, several))
    return draft.finished()


class _Draft:
    """A design in the making: the same answer in the same order is asked about once, whoever looks at it."""

    def __init__(self, plan: Plan, subjects: Sequence[Subject], count: int, *, is_quick: bool) -> None:
        self.rubric = plan.rubric
        self.subjects = list(subjects[:count])
        self.wrong = wrong_answers(subjects)
        self.is_quick = is_quick
        self.untested: dict[str, str] = {}
        self._jobs: list[Job] = []
        self._places: dict[tuple[object, ...], int] = {}
        self._checks: list[Check] = []

    def ask(self, item: Item, order: Order = Order.PLAIN, sample: int = 1) -> int:
        """Return the place of the job that has `item` judged."""
        key = (item.id, item.answer, item.fields.get("raw_output"), order, sample)
        if key not in self._places:
            self._places[key] = len(self._jobs)
            shown = replace(item, system=str(order))
            self._jobs.append(Job(position=len(self._jobs), item=shown, sample=sample))
        return self._places[key]

    def pairs(self, kinds: Sequence[Kind], subjects: Sequence[Subject], quick: int) -> list[tuple[Kind, Subject]]:
        """Return which kind is tried on which question: all on all, or in a quick probe in turn."""
        if not self.is_quick:
            return [(kind, subject) for subject, kind in product(subjects, kinds)]
        turns = range(max(quick, len(kinds)) if subjects else 0)
        return list(
            {
                (i % len(kinds), i % len(subjects)): (kinds[i % len(kinds)], subjects[i % len(subjects)]) for i in turns
            }.values()
        )

    def wrong_item(self, subject: Subject) -> Item:
        """Return the question with a wrong answer."""
        return with_answer(subject.item, self.wrong.get(subject.id, WRONG_ANSWER))

    def take(self, checks: Iterator[Check]) -> None:
        """Add a canary's checks."""
        self._checks.extend(checks)

    def finished(self) -> Design:
        """Return the design."""
        return Design(
            jobs=tuple(self._jobs),
            checks=tuple(self._checks),
            untested=self.untested,
            subject_ids=tuple(each.id for each in self.subjects),
        )


def _empty(draft: _Draft) -> Iterator[Check]:
    return _floor(draft, "empty", EMPTY_ANSWERS, _QUICK_EMPTY)


def _master_keys(draft: _Draft) -> Iterator[Check]:
    return _floor(draft, "master-keys", MASTER_KEYS, len(MASTER_KEYS))


def _floor(draft: _Draft, canary: str, texts: Mapping[str, str], quick: int) -> Iterator[Check]:
    for name, subject in draft.pairs(list(texts), draft.subjects, quick):
        position = draft.ask(with_answer(subject.item, texts[name]))
        yield Check(canary=canary, variant=name, position=position, expectation=Expectation.FLOOR)


def _reference(draft: _Draft) -> Iterator[Check]:
    known = [subject for subject in draft.subjects if subject.best]
    if not known:
        draft.untested["reference"] = (
            "there is no reference that could be judged as an answer, and no criteria whose texts could stand for one"
        )
    for subject in known:
        yield Check(
            canary="reference",
            variant="reference" if subject.best == subject.item.reference else "the criteria's own texts",
            position=draft.ask(with_answer(subject.item, subject.best)),
            expectation=Expectation.HIGH,
            ceiling=subject.ceiling,
        )


def _other_answers(draft: _Draft) -> Iterator[Check]:
    if not any(subject.id in draft.wrong for subject in draft.subjects):
        draft.untested["other-answers"] = "no other question has an answer that could be lent"
        return
    for subject in draft.subjects:
        if subject.id in draft.wrong:
            yield Check(
                canary="other-answers",
                variant="another question's answer",
                position=draft.ask(draft.wrong_item(subject)),
                expectation=Expectation.LOW,
                ceiling=subject.ceiling,
            )


def _injection(draft: _Draft) -> Iterator[Check]:
    names = list(injections(draft.rubric, draft.subjects[0].item))
    for name, subject in draft.pairs(names, draft.subjects, len(names)):
        suffix = injections(draft.rubric, subject.item)[name]
        wrong = draft.wrong_item(subject)
        yield Check(
            canary="injection",
            variant=name,
            base=draft.ask(wrong),
            position=draft.ask(changed_answer(wrong, _followed_by(suffix))),
            expectation=Expectation.NO_RISE,
        )


def _followed_by(suffix: str) -> Callable[[str], str]:
    return lambda answer: f"{answer}\n\n{suffix}"


def _padding(draft: _Draft) -> Iterator[Check]:
    """Yield good answers in polite words, and wrong ones said twice: the one may fall, the other rise."""
    names = dict(zip(PADDINGS, (True, False), strict=True))
    for name, subject in draft.pairs(list(names), draft.subjects, _QUICK_FEW):
        item = (names[name] and subject.good) or draft.wrong_item(subject)
        yield Check(
            canary="padding",
            variant=f"{name}, {'good' if names[name] and subject.good else 'wrong'} answer",
            base=draft.ask(item),
            position=draft.ask(changed_answer(item, PADDINGS[name])),
            expectation=Expectation.SAME,
        )


def _order(draft: _Draft, canary: str, order: Order, subjects: Sequence[Subject]) -> Iterator[Check]:
    if not subjects:
        draft.untested[canary] = _NOTHING_TO_SWAP[order]
    for name, subject in draft.pairs(["good", "empty"], subjects, _QUICK_FEW):
        empty = with_answer(subject.item, EMPTY)
        item = empty if name == "empty" else (subject.good or draft.wrong_item(subject))
        swapped = (swapped_criteria(item) or item) if order is Order.CRITERIA else item
        is_empty = name == "empty"
        yield Check(
            canary=canary,
            variant="empty answer" if is_empty else "answer",
            base=None if is_empty else draft.ask(item),
            position=draft.ask(swapped, order),
            expectation=Expectation.FLOOR if is_empty else Expectation.SAME,
        )


def _repeat(draft: _Draft) -> Iterator[Check]:
    for _, subject in draft.pairs(["answer"], draft.subjects, _QUICK_REPEATS):
        item = subject.good or draft.wrong_item(subject)
        for sample in range(2, SAMPLES + 1):
            yield Check(
                canary="repeat",
                variant=f"sample {sample}",
                base=draft.ask(item),
                position=draft.ask(item, sample=sample),
                expectation=Expectation.STABLE,
            )
