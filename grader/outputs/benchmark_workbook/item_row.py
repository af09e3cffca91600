"""One row of the sheet Items: a finished item as texts and numbers; formulas and looks are `items_sheet`'s."""

from __future__ import annotations

from grader.benchmark_records import BenchmarkItem
from grader.outputs.benchmark_workbook.final_scores import is_judged_correct
from grader.outputs.benchmark_workbook.item_columns import ItemColumn
from grader.outputs.benchmark_workbook.item_entries import CORRECT, NOT_CORRECT
from grader.outputs.graded_workbook.wording import flag_words
from grader.records import Verdict

_FLAGS = {
    "worker_truncated": "The worker's reply was cut off at its token limit",
    "tokens_estimated": "The provider did not count the worker's tokens: they are estimated",
}
_NO_MARKER = "Not in the form that was asked for: “Final Answer:” is missing"


def item_texts(item: BenchmarkItem) -> dict[ItemColumn, str]:
    """Return the texts of an item's row."""
    combination, is_correct = item.combination, is_judged_correct(item)
    return {
        ItemColumn.ID: item.id,
        ItemColumn.DATASET: combination.dataset,
        ItemColumn.MODEL: combination.model,
        ItemColumn.PROMPT: combination.prompt_version,
        ItemColumn.SCENARIO: item.scenario_code,
        ItemColumn.INSTRUCTION: item.instruction.strip(),
        ItemColumn.QUESTION: item.question.strip(),
        ItemColumn.REFERENCE: item.reference.strip(),
        ItemColumn.ANSWER: item.cleaned_answer.strip(),
        ItemColumn.STATUS: str(item.status),
        ItemColumn.REMARKS: _remarks(item),
        ItemColumn.VERDICT: "" if is_correct is None else CORRECT if is_correct else NOT_CORRECT,
        ItemColumn.ACCURACY_REASONING: _reasoning(item.accuracy),
        ItemColumn.INTEGRITY_REASONING: _reasoning(item.integrity),
    }


def item_scores(item: BenchmarkItem) -> dict[ItemColumn, float | None]:
    """Return the sub-scores as the run has them, before any expert."""
    scores = item.sub_scores
    return {
        ItemColumn.ACCURACY: scores.accuracy,
        ItemColumn.INTEGRITY: scores.true_integrity,
        ItemColumn.EFFICIENCY: scores.efficiency,
        ItemColumn.SAFETY: scores.safety,
        ItemColumn.ALIGNMENT: scores.alignment,
    }


def _reasoning(verdict: Verdict | None) -> str:
    return "" if verdict is None else verdict.analysis.strip() or verdict.reason


def _remarks(item: BenchmarkItem) -> str:
    """Return what went wrong, and what is worth knowing, one line each."""
    verdicts = [verdict for verdict in (item.accuracy, item.integrity) if verdict is not None]
    flags = dict.fromkeys([*item.flags, *(flag for verdict in verdicts for flag in verdict.flags)])
    lines = [item.error, *(_FLAGS.get(flag) or flag_words(flag) for flag in flags)]
    if not item.is_correctly_formatted:
        lines.append(_NO_MARKER)
    return "\n".join(line for line in lines if line)
