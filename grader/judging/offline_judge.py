"""A judge that needs no network and no key: it matches text, answers in the rubric's output format, and is no LLM."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from grader.errors import JudgeError
from grader.judging.baseline.criteria import judge_criteria
from grader.judging.baseline.opinion import Opinion, render_reply
from grader.judging.baseline.question import judge_checklist, judge_process
from grader.judging.baseline.reference import judge_correctness, judge_likeness
from grader.judging.baseline.relevance import PARTS, judge_relevance
from grader.judging.baseline.tiers import NOTICE, judge_share, judge_tiers
from grader.judging.judge import Call
from grader.records import Item, Reply
from grader.rubric import Rubric

__all__ = ["NOTICE", "OfflineJudge", "judge_item"]

_MATCHING_VERSION = 1
"""Part of a call's identity; raise it with any change to the matching, or stored replies will hide the change."""

Method = Callable[[Item, Rubric], Opinion]


class OfflineJudge:
    """Judges every item on this machine; the default where no model is named."""

    model = "offline"
    is_baseline = True

    def __init__(self, rubric: Rubric) -> None:
        self._rubric = rubric

    def parameters(self, call: Call) -> Mapping[str, Any]:
        """Return the version of the matching and the rubric's options, which together decide a reply."""
        return {"matching": _MATCHING_VERSION, **self._rubric.options}

    async def ask(self, call: Call) -> Reply:
        """Return the reply to `call`; no request is made.

        Raises:
            JudgeError: text matching cannot answer in this rubric's form, or has nothing to compare the answer with.
        """
        return Reply(text=judge_item(call.prompt.item, self._rubric), finish_reason="stop", cost_usd=0.0)

    async def close(self) -> None:
        """Nothing to give back."""


def judge_item(item: Item, rubric: Rubric) -> str:
    """Return the reply to `item` in the form that `rubric` asks of every judge.

    Raises:
        JudgeError: text matching cannot answer in this form, or has nothing to compare the answer with.
    """
    return render_reply(_find_method(rubric)(item, rubric), rubric)


def _find_method(rubric: Rubric) -> Method:
    """Return what can fill the parts that `rubric` asks for, by their kinds and by what there is to go by."""
    asked = [part for part in rubric.output.all_parts if part.kind != "text"]
    inputs = {*rubric.inputs, *rubric.optional_inputs}
    kind = rubric.part(rubric.output.score).kind
    if {*PARTS, rubric.output.score} == {part.name for part in asked} | {rubric.output.score} and kind == "number":
        return judge_relevance
    if len(asked) == 1 and kind == "items" and "criteria" in inputs:
        return judge_criteria
    if len(asked) == 1 and kind == "boolean" and "reference" in inputs:
        return judge_correctness
    if len(asked) == 1 and kind == "number":
        return _number_method(rubric, inputs)
    raise JudgeError(
        f"the offline judge cannot answer for the rubric “{rubric.name}”, whose reply has {_listed(rubric)}",
        retryable=False,
        is_fatal=True,
        hint="Name a model with --model. Text matching gives one number, criteria met, correct or not, or relevance.",
    )


def _number_method(rubric: Rubric, inputs: set[str]) -> Method:
    """Return what makes one number, by the best that there is to compare the answer with."""
    if rubric.rule == "tiered":
        return judge_tiers
    if "criteria" in inputs:
        return judge_share
    if "checklist" in inputs:
        return judge_checklist
    return judge_likeness if "reference" in inputs else judge_process


def _listed(rubric: Rubric) -> str:
    return ", ".join(f"“{part.name}” ({part.kind})" for part in rubric.output.all_parts)
