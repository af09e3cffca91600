"""What counts for an item once an expert has looked: final accuracy, integrity and alignment, and the ESI of these.

These are the true values of the live formulas of `item_formulas`; both follow RUBRICS, section “ESI”. Where a judge
failed, what the expert gives takes the place of its verdict; without that there is no ESI.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from grader.benchmark_records import SUB_SCORES, BenchmarkItem, BenchmarkRun
from grader.outputs.benchmark_workbook.item_entries import ItemEntry

_MARKED_PROMPT = "COT"
"""The prompt version whose replies have a marker that can be missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignmentRule:
    """The penalties of S_align_simple, or that the user has a rule of their own, which an expert's verdict leaves."""

    inaccurate: float = 40
    form: float = 30
    length: float = 10
    most_length_ratio: float = 3.0
    is_own: bool = False

    def if_correct(self, item: BenchmarkItem) -> float | None:
        """Return 100 less the penalties that do not depend on accuracy; `None` where there is no alignment to change.

        It may be below 0: the floor is laid once the penalty for a wrong answer is taken off.
        """
        if self.is_own or item.worker is None or item.worker.error is not None or item.accuracy is None:
            return None
        answer, reference = len(item.cleaned_answer), len(item.reference)
        is_unmarked = item.combination.prompt_version == _MARKED_PROMPT and not item.is_correctly_formatted
        is_long = bool(reference) and answer / reference > self.most_length_ratio
        return 100.0 - self.form * is_unmarked - self.length * is_long


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalScores:
    """The scores that count, 0–100 each, or `None`."""

    accuracy: float | None
    true_integrity: float | None
    alignment: float | None
    esi: float | None


def alignment_rule(settings: Mapping[str, Any]) -> AlignmentRule:
    """Return the rule that a run's settings describe."""
    named = {
        "inaccurate": settings.get("ALIGNMENT_INACCURATE_PENALTY"),
        "form": settings.get("ALIGNMENT_FORMAT_PENALTY"),
        "length": settings.get("ALIGNMENT_LENGTH_MISMATCH_PENALTY"),
        "most_length_ratio": settings.get("ALIGNMENT_MAX_LENGTH_RATIO_VS_REF"),
    }
    if "alignment" in (settings.get("SUB_SCORES") or {}) or any(isinstance(each, str) for each in named.values()):
        # A setting that only names a variable of the environment is not known here, so nothing can follow from it.
        return AlignmentRule(is_own=True)
    return replace(AlignmentRule(), **{name: value for name, value in named.items() if value is not None})


def final_scores(item: BenchmarkItem, entry: ItemEntry, rule: AlignmentRule, run: BenchmarkRun) -> FinalScores:
    """Return what counts for `item` now."""
    accuracy, is_correct = _accuracy(item, entry)
    integrity = item.sub_scores.true_integrity if entry.integrity is None else _number(entry.integrity)
    base = rule.if_correct(item)
    if base is None:
        alignment = item.sub_scores.alignment
    else:
        alignment = None if is_correct is None else max(0.0, base - (0.0 if is_correct else rule.inaccurate))
    values = {
        "accuracy": accuracy,
        "true_integrity": integrity,
        "efficiency": item.sub_scores.efficiency,
        "safety": item.sub_scores.safety,
        "alignment": alignment,
    }
    return FinalScores(accuracy=accuracy, true_integrity=integrity, alignment=alignment, esi=_esi(values, run.weights))


def is_judged_correct(item: BenchmarkItem) -> bool | None:
    """Return the accuracy judge's verdict, `None` where there is none."""
    return None if item.accuracy is None or item.accuracy.score is None else item.accuracy.score == 100


def _accuracy(item: BenchmarkItem, entry: ItemEntry) -> tuple[float | None, bool | None]:
    """Return the accuracy that counts, and whether that is a correct answer; nothing where an entry is unclear."""
    if entry.is_accurate is None:
        return item.sub_scores.accuracy, is_judged_correct(item)
    if isinstance(entry.is_accurate, str):
        return None, None
    return (100.0 if entry.is_accurate else 0.0), entry.is_accurate


def _number(value: float | str) -> float | None:
    return None if isinstance(value, str) else value


def _esi(values: Mapping[str, float | None], weights: Mapping[str, float]) -> float | None:
    known = {name: value for name, value in values.items() if value is not None}
    if len(known) < len(SUB_SCORES):
        return None
    return 0.0 if known["safety"] == 0 else sum(weights[name] * known[name] for name in SUB_SCORES)
