"""A probe from plan to report: canaries designed, judged by the ordinary runner, and read; writes and prints nothing.

::

    Plan ─ plan_probe ─▶ Probe ─ count_calls ─▶ what it takes
                           └──── judge_probe ─▶ run.db ─ read_probe ─▶ ProbeReport
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from grader.errors import InputError, RunError
from grader.grading import GradeSettings
from grader.judging.calls import Observer
from grader.judging.judge import Judge
from grader.judging.prices import count_tokens
from grader.judging.runner import Ending, run_jobs
from grader.planning import Plan
from grader.probe_records import CanaryResult, Outcome, ProbeReport
from grader.probing.assessing import assess, overall
from grader.probing.design import Design, design_probe
from grader.probing.orders import ProbeMethod, swapped_bands, swapped_blocks
from grader.probing.subjects import all_subjects
from grader.prompting.render import PromptRenderer
from grader.records import NONCE_STAND_IN, Grade, format_number
from grader.rubric_method import RubricMethod
from grader.store.run_head import PROBE_MARK
from grader.store.run_store import RunStore

DEFAULT_QUESTIONS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """All that a probe will ask."""

    plan: Plan
    design: Design
    is_quick: bool
    seed: int

    def method(self, model: str) -> ProbeMethod:
        """Return what renders its prompts and reads its replies; empty answers are sent."""
        rubric, path = self.plan.rubric, self.plan.template_path
        levels = PromptRenderer(swapped_bands(rubric), path, lowest_level_first=True)
        return ProbeMethod(RubricMethod(rubric, path, model=model, judge_empty=True), levels)


def plan_probe(plan: Plan, *, questions: int = DEFAULT_QUESTIONS, is_quick: bool = False, seed: int = 1) -> Probe:
    """Return a probe of so many sampled questions; the same ones for the same seed.

    Raises:
        InputError: there is no question to ask about.
        RubricError: the template cannot be used.
    """
    subjects = all_subjects(plan, seed=seed)
    if not subjects:
        raise InputError("there is no question to probe with", hint="Fill in the criteria, or look at --only")
    method = RubricMethod(plan.rubric, plan.template_path, model="", judge_empty=True)
    can_swap = swapped_blocks(method.render(subjects[0].item)) is not None
    design = design_probe(plan, subjects, count=questions, is_quick=is_quick, can_swap=can_swap)
    return Probe(plan=plan, design=design, is_quick=is_quick, seed=seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCount:
    """What a probe takes if no reply has to be asked for again."""

    calls: int
    prompt_tokens: int


def count_calls(probe: Probe) -> CallCount:
    """Return the calls of a probe from its start, each once however many canaries look at it; makes none."""
    method = probe.method("")
    tokens: dict[tuple[str, int], int] = {}
    for job in probe.design.jobs:
        prompt = method.render(job.item)
        tokens.setdefault((repr(prompt.messages), job.sample), count_tokens(prompt.with_nonce(NONCE_STAND_IN)))
    return CallCount(calls=len(tokens), prompt_tokens=sum(tokens.values()))


def refuse_other_run(store: RunStore) -> None:
    """Do nothing where the store is new, or a probe's.

    Raises:
        RunError: it holds the grades of a run, which a probe would put its own in place of.
    """
    if not store.meta(PROBE_MARK) and (len(store.grades()) or store.item_count() or store.overrides()):
        raise RunError(
            f"{store.path} holds the grades of a run, not of a probe", hint="Choose another folder with --out."
        )


def judge_probe(probe: Probe, *, judge: Judge, store: RunStore, settings: GradeSettings, observer: Observer) -> Ending:
    """Have everything judged into the store; what it already holds is not asked again."""
    store.set_meta(PROBE_MARK, "yes")
    store.begin()
    return run_jobs(
        probe.design.jobs,
        judge=judge,
        method=probe.method(judge.model),
        store=store,
        settings=replace(settings.calls, spent_usd=store.totals().cost_usd or 0.0),
        reasks=settings.reasks,
        max_tokens=settings.max_tokens,
        observer=observer,
    )


def read_probe(probe: Probe, *, store: RunStore, facts: Mapping[str, Any], notes: tuple[str, ...]) -> ProbeReport:
    """Return what the grades in the store show; `facts` and `notes` are kept as they are."""
    grades = {stored.position: stored.grade for stored in store.grades().stored()}
    method = probe.method("")
    readable = {position: _is_readable(grade, method) for position, grade in grades.items()}
    canaries = tuple(assess(probe.design, grades, readable, probe.plan.rubric.scale))
    totals = store.totals()
    known = {
        **facts,
        "rubric": probe.plan.rubric.name,
        "questions": list(probe.design.subject_ids),
        "seed": probe.seed,
        "is_quick": probe.is_quick,
        "calls": totals.calls,
        "prompt_tokens": totals.prompt_tokens,
        "completion_tokens": totals.completion_tokens,
        "cost_usd": None if totals.unpriced else totals.cost_usd,
    }
    one_score = tuple(_about_one_score(grades.values(), canaries))
    outcome = overall(canaries)
    if one_score and outcome is Outcome.PASS:
        outcome = Outcome.INCONCLUSIVE
    return ProbeReport(outcome=outcome, facts=known, canaries=canaries, notes=(*notes, *one_score))


def _about_one_score(grades: Iterable[Grade], canaries: Iterable[CanaryResult]) -> Iterator[str]:
    """Say so where no answer got another score, and none could show whether a good one would."""
    scores = {grade.verdict.score for grade in grades} - {None}
    is_known = any(each.name == "reference" and each.outcome is not Outcome.NOT_TESTED for each in canaries)
    if len(scores) == 1 and not is_known:
        score = format_number(round(scores.pop() or 0.0, 4))
        yield (
            f"Every answer got {score}: whether a good one would get more was not tested, and no change could be seen."
            " A judge that gives this to anything cannot be told from an honest one."
        )


def _is_readable(grade: Grade, method: ProbeMethod) -> bool:
    """Return whether the first reply to an item carries a verdict."""
    return bool(grade.replies) and method.read(grade.replies[0], grade.item).status.is_scored
