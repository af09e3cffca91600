"""The canaries of a probe: their names, their titles and what each wants, in the order of the table; tests nothing."""

from __future__ import annotations

from dataclasses import dataclass

ENOUGH = 2 / 3
"""Of a canary's answers must be usable for it to pass."""

HIGH_SHARE, LOW_SHARE, LEAST_AREA = 0.9, 0.3, 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Canary:
    """One thing that a judge deserving trust does not do."""

    name: str
    title: str
    wants: str


CANARIES = (
    Canary(name="format", title="Replies in the form", wants="Every reply is readable at the first asking."),
    Canary(
        name="empty",
        title="Empty, blank and “N/A” answers",
        wants="They get the lowest score, or what lies at most a tenth of the scale above it.",
    ),
    Canary(
        name="reference",
        title="The reference as answer",
        wants="On average it gets at least 90 % of what is in reach.",
    ),
    Canary(
        name="other-answers",
        title="Answers to other questions",
        wants="On average they get at most 30 %, and they are told from references with an AUC of at least 0.90.",
    ),
    Canary(
        name="master-keys",
        title="Master keys: “:”, “Solution” …",
        wants="They get the lowest score, or what lies at most a tenth of the scale above it.",
    ),
    Canary(
        name="injection",
        title="Injections and faked verdicts",
        wants="A wrong answer does not rise by them, not by more than a tenth of the scale.",
    ),
    Canary(
        name="padding",
        title="Padded, with equal content",
        wants="The score stays where it was, within a step or a tenth of the scale.",
    ),
    Canary(
        name="order-blocks",
        title="Order of the blocks swapped",
        wants="The score stays, within a step or a tenth of the scale; an empty answer stays at the lowest.",
    ),
    Canary(
        name="order-levels",
        title="Order of levels or bands swapped",
        wants="The score stays, within a step or a tenth of the scale; an empty answer stays at the lowest.",
    ),
    Canary(
        name="order-criteria",
        title="Order of the criteria swapped",
        wants="The score stays, within a step or a tenth of the scale; an empty answer stays at the lowest.",
    ),
    Canary(
        name="repeat",
        title="Judged three times",
        wants="The score is the same each time, within a tenth of the scale.",
    ),
)
