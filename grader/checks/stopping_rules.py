"""The rules for whose findings `score` refuses to begin; those that only warn are in `registry`, with these.

They stand apart so that grading does not wait for the words and patterns that only warnings look for.
"""

from __future__ import annotations

from grader.checks import answers_rules, cell_rules, column_rules, id_rules, rubric_rules
from grader.checks.problem import Rule, Severity

ROOMS = (id_rules, column_rules, cell_rules, rubric_rules, answers_rules)
"""The modules that hold such rules, beside some that warn."""

STOPPING: tuple[Rule, ...] = tuple(
    rule for room in ROOMS for rule in room.RULES if rule.severity is Severity.ERROR and rule.stops_scoring
)
