"""Turns a run's grades and its experts' entries into what an item analysis takes, and has it made; measures nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from grader.outputs.graded_workbook.expert_entries import NO_ENTRY, ExpertEntry, final_criteria, final_score
from grader.outputs.graded_workbook.keys import grade_key
from grader.records import Grade, Item
from grader.rubric import Rubric, Scale
from grader.statistics.item_analysis import item_analysis
from grader.statistics.item_analysis_records import AnalysedAnswer, CriterionText, ItemAnalysis

_MOST_VALUES = 12
"""Of a scale, up to which one that is never given says something."""


def analyse_grades(grades: Iterable[Grade], entries: Mapping[str, ExpertEntry], rubric: Rubric) -> ItemAnalysis:
    """Return the item analysis of a run; `entries` are the experts', by row key; `grades` are gone through once."""
    answers: list[AnalysedAnswer] = []
    criteria: dict[str, list[CriterionText]] = {}
    for grade in grades:
        entry = entries.get(grade_key(grade), NO_ENTRY) if entries else NO_ENTRY
        answers.append(_analysed(grade, entry, rubric))
        if grade.item.id not in criteria:
            criteria[grade.item.id] = _criteria(grade.item)
    texts = [criterion for of_item in criteria.values() for criterion in of_item]
    scale = rubric.scale
    return item_analysis(answers, texts, scale=(scale.min, scale.max), values=_values(scale))


def _analysed(grade: Grade, entry: ExpertEntry, rubric: Rubric) -> AnalysedAnswer:
    verdicts = final_criteria(grade, entry) if entry.criteria else grade.verdict.items
    score = final_score(grade, entry, rubric)
    has_verdict = any(isinstance(criterion.met, bool) for criterion in entry.criteria.values())
    return AnalysedAnswer(
        system=grade.item.system,
        item_id=grade.item.id,
        score=score,
        length=len(grade.item.answer),
        met={(each.level, each.number): each.met for each in verdicts or ()},
        is_reviewed=entry.number is not None or has_verdict,
        is_changed=score != grade.verdict.score,
    )


def _criteria(item: Item) -> list[CriterionText]:
    return [CriterionText(item_id=item.id, place=(each.level, each.number), text=each.text) for each in item.criteria]


def _values(scale: Scale) -> tuple[float, ...]:
    values = scale.override_choices()
    return values if len(values) <= _MOST_VALUES else ()
