"""Finds a rule by the name that a rubric gives it: ours first, then those of installed packages."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from grader.errors import RubricError
from grader.plugins import find_plugins, load_plugin
from grader.records import Item, Verdict
from grader.rubric import Rubric
from grader.scoring.reading import Reading
from grader.scoring.rules.boolean import score_boolean
from grader.scoring.rules.number import score_number
from grader.scoring.rules.points import score_points
from grader.scoring.rules.relevance import score_relevance
from grader.scoring.rules.tiered import score_tiered
from grader.scoring.rules.tiered_items import score_tiered_items

Rule = Callable[[Reading, Item, Rubric], Verdict]
"""Turns what was read into a verdict, or raises `UnreadableReply`."""

RULES: dict[str, Rule] = {
    "number": score_number,
    "boolean": score_boolean,
    "tiered": score_tiered,
    "tiered-items": score_tiered_items,
    "points": score_points,
    "relevance": score_relevance,
}


@lru_cache(maxsize=32)
def find_rule(name: str) -> Rule:
    """Return the rule called `name`; packages add theirs in the entry point group `grader.rules`.

    Raises:
        RubricError: no such rule; the message lists those there are.
    """
    if name in RULES:
        return RULES[name]
    found = find_plugins("grader.rules")
    if name not in found:
        known = ", ".join(sorted({*RULES, *found}))
        raise RubricError(f"there is no rule “{name}”", hint=f"Known rules: {known}.")
    rule: Rule = load_plugin(found[name])
    return rule
