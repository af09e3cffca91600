"""All rules, in the order in which docs/checks.md lists them; runs none."""

from __future__ import annotations

from collections.abc import Mapping

from grader.checks import answers_rules, cell_rules, column_rules, id_rules, item_rules, rubric_rules, wording_rules
from grader.checks.problem import Rule

RULES: Mapping[str, Rule] = {
    rule.id: rule
    for room in (id_rules, column_rules, cell_rules, rubric_rules, answers_rules, item_rules, wording_rules)
    for rule in room.RULES
}
