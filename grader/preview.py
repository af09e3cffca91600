"""Says what a run would send and what that takes: prompts, calls, tokens, cost; makes no call and stores nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from grader.grading import GradeSettings
from grader.judging.prices import count_tokens
from grader.planning import Plan
from grader.records import NONCE_STAND_IN, Prompt, Usage
from grader.rubric_method import RubricMethod


def render_prompts(plan: Plan, *, judge_empty: bool = False) -> Iterator[Prompt]:
    """Yield the prompt of every item that a judge would be asked about."""
    method = RubricMethod(plan.rubric, plan.template_path, model="", judge_empty=judge_empty)
    return (method.render(item) for item in plan.items if method.verdict_without_call(item) is None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemCount:
    """What one system's items would take if no reply has to be asked for again."""

    items: int
    calls: int = 0
    prompt_tokens: int = 0


def count_by_system(plan: Plan, prompts: Iterable[Prompt]) -> dict[str, SystemCount]:
    """Return the calls and tokens of `prompts` for each system of the plan, its samples included."""
    planned = plan.planned
    tokens: dict[str, list[int]] = {system: [] for system in planned}
    for prompt in prompts:
        tokens[prompt.item.system].append(count_tokens(prompt.with_nonce(NONCE_STAND_IN)))
    return {
        system: SystemCount(
            items=planned[system] // plan.samples,
            calls=plan.samples * len(counts),
            prompt_tokens=plan.samples * sum(counts),
        )
        for system, counts in tokens.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a run would take at the least, without re-asks; `cost_usd` is `None` where no price is known."""

    calls: int
    prompt_tokens: int
    most_completion_tokens: int
    most_cost_usd: float | None


def estimate(plan: Plan, settings: GradeSettings) -> Estimate:
    """Return what grading a plan from the start would take, every reply at its longest; makes no call."""
    counts = count_by_system(plan, render_prompts(plan, judge_empty=settings.judge_empty)).values()
    calls = sum(count.calls for count in counts)
    usage = Usage(
        prompt_tokens=sum(count.prompt_tokens for count in counts),
        completion_tokens=calls * (settings.max_tokens or 0),
    )
    price = settings.calls.price
    return Estimate(
        calls=calls,
        prompt_tokens=usage.prompt_tokens,
        most_completion_tokens=usage.completion_tokens,
        most_cost_usd=price.cost_usd(usage) if price else None,
    )
