"""What the expert's cells about a grade come to, on all our sheets together, as the workbook's formulas say it."""

from __future__ import annotations

from dataclasses import replace

from grader.outputs.graded_workbook.expert_entries import ExpertEntry, expert_criteria_score
from grader.records import Grade, Status, Verdict
from grader.rubric import Rubric

BLIND = "blind"
"""What stands in the judge's cells of a row that an expert is to score without seeing the judge's score."""


def veiled(grade: Grade) -> Grade:
    """Return a grade as the workbook has it while it is blind: without anything that the judge said."""
    return replace(grade, verdict=Verdict(status=Status.SKIPPED, score=None))


def expert_result(grade: Grade, entry: ExpertEntry, rubric: Rubric) -> float | str | None:
    """Return the expert's own score, else the blind one, else what the expert's verdicts give; `None` without any.

    Text that is no number is returned as it is: it counts for nothing, and nothing else may count in its place
    without a word.
    """
    for value in (entry.score, entry.blind_score):
        if value is not None:
            return value
    return expert_criteria_score(grade, entry, rubric)


def expert_number(grade: Grade, entry: ExpertEntry, rubric: Rubric) -> float | None:
    """Return the same where it is a number."""
    result = expert_result(grade, entry, rubric)
    return None if isinstance(result, str) else result


def shown_final(grade: Grade, entry: ExpertEntry, rubric: Rubric) -> float | None:
    """Return what the column Final shows: the expert's result, the judge's score without one, nothing for a text."""
    result = expert_result(grade, entry, rubric)
    if result is None:
        return grade.verdict.score
    return None if isinstance(result, str) else result
