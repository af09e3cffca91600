"""Finds the rules that users put in place of our sub-scores: a rubric that a judge goes by, or a package's function.

The settings name one for a sub-score, or for `p_irr`, the share of irrelevant tokens in S_efficiency:
`"SUB_SCORES": {"alignment": "llm-alignment", "p_irr": "llm-irrelevance"}`. A name is looked for among the entry points
of the group `grader.sub_scores`, then in rubrics/benchmark/; a path ends in .yaml.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.assets import find_asset
from grader.benchmark.esi import Facts
from grader.benchmark_records import SubScores
from grader.errors import GraderError, RubricError
from grader.inputs.rubric_file import read_rubric
from grader.plugins import find_plugins, load_plugin
from grader.rubric import Rubric

GROUP = "grader.sub_scores"
P_IRR = "p_irr"
_FOLDER = "rubrics/benchmark"

Rule = Callable[[Facts, SubScores], Any]
"""What a package offers: from the facts, and the sub-scores by our rules, to 0–100 (for `p_irr` 0–1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRule:
    """A rubric by which the accuracy judge's model gives a sub-score."""

    rubric: Rubric
    template_path: Path
    path: Path
    """Of the rubric's file."""


def find_own_rules(named: Mapping[str, str], folder: Path) -> dict[str, JudgedRule | Rule]:
    """Return the rules that the settings name, by sub-score; paths are relative to `folder`.

    Raises:
        GraderError: there is no such rule, or it cannot be used.
    """
    return {name: _find(rule, folder) for name, rule in named.items()}


def _find(named: str, folder: Path) -> JudgedRule | Rule:
    entry = find_plugins(GROUP).get(named)
    if entry is not None:
        rule: Rule = load_plugin(entry)
        return rule
    is_path = named.endswith((".yaml", ".yml"))
    try:
        path = folder / named if is_path else find_asset(_FOLDER, f"{named}.yaml")
    except RubricError as error:
        raise RubricError(f"SUB_SCORES: there is no rule “{named}”", hint=error.hint) from error
    rubric, template_path = read_rubric(str(path))
    return JudgedRule(rubric=rubric, template_path=template_path, path=path)


def scaled(score: float, rubric: Rubric) -> float:
    """Return a judge's score as 0–100, whatever the rubric's scale."""
    return (score - rubric.scale.min) / (rubric.scale.max - rubric.scale.min) * 100


def checked(name: str, value: Any) -> float:
    """Return what a rule gave, if it is a number of the right size.

    Raises:
        GraderError: it is not; nothing is clamped.
    """
    most = 1 if name == P_IRR else 100
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or not 0 <= value <= most:
        raise GraderError(f"the rule for {name} gave {value!r} instead of a number from 0 to {most}")
    return float(value)
