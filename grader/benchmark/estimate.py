"""Says what a benchmark would call and what that may cost at most; calls nothing and opens no store."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from grader.benchmark.endpoints import ModelEndpoint, model_endpoint
from grader.benchmark.planning import BenchmarkPlan
from grader.benchmark.running import Stage, system_name
from grader.benchmark.worker import WorkerPrompt, find_worker_template
from grader.judging.judges import is_local
from grader.judging.prices import count_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The calls of a benchmark; what the judges will read is not known before the workers have answered."""

    items: int
    worker_calls: int
    judge_calls: int
    worker_prompt_tokens: int
    worker_most_completion_tokens: int
    worker_most_cost_usd: float | None
    """`None` where a worker's price is not known."""


def estimate(plan: BenchmarkPlan, stage: Stage) -> Estimate:
    """Return what `plan` would call, without re-asks; every worker template is rendered for every item.

    Raises:
        GraderError: a prompt version does not exist, or its template cannot be rendered.
    """
    settings = plan.file.settings
    asked = [job for job in plan.jobs if not job.item.lacks]
    versions = {each.prompt_version for each in plan.combinations} if stage != "judge" else set()
    prompts = {
        version: WorkerPrompt(find_worker_template(version), expert_field=settings.EXPERT_FIELD) for version in versions
    }
    prompt_tokens: Counter[str] = Counter()
    completion_tokens: Counter[str] = Counter()
    for job in asked if prompts else ():
        model, version = job.combination.model, job.combination.prompt_version
        messages = prompts[version].render(job.item, system_name(job.combination)).messages
        prompt_tokens[model] += count_tokens(messages)
        completion_tokens[model] += settings.worker_max_tokens(version)
    workers = [model_endpoint(settings, "WORKER", model) for model in prompt_tokens]
    costs = [_cost(worker, prompt_tokens[worker.name], completion_tokens[worker.name]) for worker in workers]
    judges = 2 + sum(1 for _ in settings.SUB_SCORES)
    return Estimate(
        items=len(plan.jobs),
        worker_calls=len(asked) if prompts else 0,
        judge_calls=judges * len(asked) if stage != "answers" else 0,
        worker_prompt_tokens=prompt_tokens.total(),
        worker_most_completion_tokens=completion_tokens.total(),
        worker_most_cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
    )


def _cost(worker: ModelEndpoint, prompt_tokens: int, completion_tokens: int) -> float | None:
    if is_local(worker.judge.model):
        return 0.0
    if worker.price is None:
        return None
    return prompt_tokens * worker.price.prompt_usd + completion_tokens * worker.price.completion_usd
