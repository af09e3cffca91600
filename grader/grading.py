"""Grades the items of a plan into a store, by a judge; reads no input and writes no file."""

from __future__ import annotations

from dataclasses import dataclass, replace

from grader.judging.calls import CallSettings, Observer
from grader.judging.judge import Judge
from grader.judging.runner import Ending, run_jobs
from grader.planning import Plan
from grader.rubric_method import RubricMethod
from grader.store.run_store import RunStore


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeSettings:
    """How to grade: the calls, how often to ask again, and whether empty answers are sent."""

    calls: CallSettings
    reasks: int = 2
    max_tokens: int | None = 4096
    judge_empty: bool = False


def grade(plan: Plan, *, judge: Judge, store: RunStore, settings: GradeSettings, observer: Observer) -> Ending:
    """Grade every item of a plan into the store; what the store already holds is not asked again."""
    store.begin()
    return run_jobs(
        plan.jobs(),
        judge=judge,
        method=RubricMethod(plan.rubric, plan.template_path, model=judge.model, judge_empty=settings.judge_empty),
        store=store,
        settings=replace(settings.calls, spent_usd=store.totals().cost_usd or 0.0),
        reasks=settings.reasks,
        max_tokens=settings.max_tokens,
        observer=observer,
    )
