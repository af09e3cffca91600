"""All rules, in the order in which docs/checks.md lists them; runs none."""

from __future__ import annotations

from collections.abc import Mapping

from grader.checks import item_rules, wording_rules
from grader.checks.problem import Rule
from grader.checks.stopping_rules import ROOMS

RULES: Mapping[str, Rule] = {rule.id: rule for room in (*ROOMS, item_rules, wording_rules) for rule in room.RULES}
