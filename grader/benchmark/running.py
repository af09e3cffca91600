"""Runs a benchmark: worker, cleaning, both judges at once, sub-scores, ESI, each item by itself; writes no file.

::

    job ─ worker ─▶ reply ─ clean ─▶ answer ─┬─ accuracy judge ──┬─▶ sub-scores ─▶ ESI ─▶ store
                                             └─ integrity judge ─┘

All items of all combinations are under way in one event loop. Calls to one endpoint share its budget of concurrent
calls, whoever makes them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from grader.benchmark.endpoints import ModelEndpoint, all_endpoints, concurrent_calls, outage
from grader.benchmark.finishing import Judged, Scoring, answered_item, begun_item, judged_item, scoring_of
from grader.benchmark.item_rows import stored_item
from grader.benchmark.own_sub_scores import JudgedRule, Rule, find_own_rules
from grader.benchmark.planning import BenchmarkJob, BenchmarkPlan
from grader.benchmark.worker import OfflineWorker, WorkerPrompt, find_worker_template
from grader.benchmark_records import BenchmarkItem, Combination, ItemStatus
from grader.inputs.rubric_file import read_rubric
from grader.judging.calls import Caller, CallSettings
from grader.judging.commits import GroupCommit
from grader.judging.crew import Crew, Ending
from grader.judging.judge import Call, Judge
from grader.judging.judges import Transport, open_judge
from grader.judging.limits import Budget, Limiter
from grader.judging.runner import judge_item
from grader.judging.stopping import Stop
from grader.records import Grade, Item, Reply, StoredCall, StoredGrade, StoredItem
from grader.rubric_method import RubricMethod
from grader.store.run_store import RunStore

Stage = Literal["all", "answers", "judge"]


class BenchmarkObserver(Protocol):
    """Somebody who wants to see a benchmark go on."""

    def called(self, reply: Reply) -> None:
        """Tell that a call was made, or given up."""
        ...

    def finished(self, item: BenchmarkItem) -> None:
        """Tell that an item is finished."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How a benchmark is run, beside its settings."""

    concurrency: int = 50
    """No endpoint gets more calls at once."""
    rpm: float | None = None
    tpm: float | None = None
    """Requests and tokens a minute, of each endpoint."""
    reasks: int = 2
    max_cost_usd: float | None = None
    transport: Transport = "litellm"


def system_name(combination: Combination) -> str:
    """Return what the calls of a combination are kept under."""
    return f"{combination.dataset} | {combination.model} | {combination.prompt_version}"


def run_benchmark(
    plan: BenchmarkPlan,
    *,
    store: RunStore,
    observer: BenchmarkObserver,
    options: RunOptions | None = None,
    stage: Stage = "all",
) -> Ending:
    """Finish every item of `plan` into `store`; returns when all are done, or the run was stopped.

    An item that was cut off is not in the store; its finished calls are, and running the same plan goes on there.

    Raises:
        GraderError: a model, a template or a rule cannot be used as things are; nothing was called.
    """
    options = options or RunOptions()
    store.begin()
    benchmark = _Benchmark(plan, store, observer, options, stage)

    async def run() -> Ending:
        try:
            return await benchmark.run()
        finally:
            await benchmark.close()

    return asyncio.run(run())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judging:
    """One rubric with the caller of the judge that goes by it."""

    caller: Caller
    method: RubricMethod


class _Benchmark:
    """One go of a benchmark."""

    def __init__(
        self, plan: BenchmarkPlan, store: RunStore, observer: BenchmarkObserver, options: RunOptions, stage: Stage
    ) -> None:
        settings = plan.file.settings
        self._plan, self._store, self._observer, self._options, self._stage = plan, store, observer, options, stage
        self._settings = settings
        self._stop = Stop()
        self._judges: list[Judge] = []
        self._limiters: dict[str, Limiter] = {}
        self._out: dict[str, str] = {}
        """Why a worker model is not asked any more, by the model."""
        self._slots = concurrent_calls(settings, len(plan.combinations), options.concurrency)
        self._commits: GroupCommit[StoredCall | StoredGrade | StoredItem] = GroupCommit(store.write)
        self._budget = Budget(options.max_cost_usd, spent_usd=store.totals().cost_usd or 0.0)
        models = list(dict.fromkeys(combination.model for combination in plan.combinations))
        *workers, accuracy, integrity = all_endpoints(settings, models)
        self._crew = Crew[BenchmarkJob](self._stop, slots=self._slots * len({each.endpoint for each in workers}) + 2)
        self._prompts = self._worker_prompts() if stage != "judge" else {}
        self._workers = self._worker_callers(workers) if stage != "judge" else {}
        own_rules = find_own_rules(settings.SUB_SCORES, plan.file.folder)
        self._scoring: Scoring = scoring_of(settings, own_rules)
        self._methods = self._judgings(accuracy, integrity, own_rules) if stage != "answers" else {}

    async def run(self) -> Ending:
        try:
            return await self._crew.run(self._plan.in_turns(), self._work)
        finally:
            await self._commits.close()

    async def close(self) -> None:
        for judge in self._judges:
            await judge.close()

    def _worker_prompts(self) -> dict[str, WorkerPrompt]:
        versions = dict.fromkeys(combination.prompt_version for combination in self._plan.combinations)
        field = self._settings.EXPERT_FIELD
        return {version: WorkerPrompt(find_worker_template(version), expert_field=field) for version in versions}

    def _worker_callers(self, workers: list[ModelEndpoint]) -> dict[str, Caller]:
        callers = {}
        for worker in workers:
            judge: Judge = OfflineWorker() if worker.is_offline else self._opened(worker, "accuracy")
            callers[worker.name] = self._caller(judge, worker, self._worker_is_out(worker))
        return callers

    def _judgings(
        self, accuracy: ModelEndpoint, integrity: ModelEndpoint, own_rules: Mapping[str, JudgedRule | Rule]
    ) -> dict[str, _Judging]:
        """Return who judges by what: accuracy, integrity, and each rubric of the user's own, by the accuracy judge."""
        judgings = {"accuracy": self._judging(accuracy, "accuracy"), "integrity": self._judging(integrity, "integrity")}
        for name, rule in own_rules.items():
            if isinstance(rule, JudgedRule):
                judge = self._opened(accuracy, rule.rubric.name, rule)
                method = RubricMethod(rule.rubric, rule.template_path, model=judge.model)
                judgings[name] = _Judging(
                    caller=self._caller(judge, accuracy, self._judge_is_out(accuracy)), method=method
                )
        return judgings

    def _judging(self, endpoint: ModelEndpoint, rubric_name: str) -> _Judging:
        rubric, template_path = read_rubric(rubric_name)
        judge = self._opened(endpoint, rubric_name)
        method = RubricMethod(rubric, template_path, model=judge.model)
        return _Judging(caller=self._caller(judge, endpoint, self._judge_is_out(endpoint)), method=method)

    def _opened(self, endpoint: ModelEndpoint, rubric_name: str, rule: JudgedRule | None = None) -> Judge:
        rubric = rule.rubric if rule else read_rubric(rubric_name)[0]
        judge = open_judge(endpoint.judge, rubric, transport=self._options.transport)
        self._judges.append(judge)
        return judge

    def _caller(self, judge: Judge, endpoint: ModelEndpoint, on_outage: Callable[[Exception], None]) -> Caller:
        settings, options = self._settings, self._options
        limiter = self._limiters.setdefault(
            endpoint.endpoint, Limiter(self._slots, rpm=options.rpm, tpm=options.tpm, sleep=self._stop.sleep)
        )
        return Caller(
            judge=judge,
            store=self._store,
            settings=CallSettings(
                concurrency=self._slots,
                max_retries=max(0, settings.MAX_RETRIES - 1),
                first_delay_seconds=settings.RETRY_DELAY_SECONDS,
                max_cost_usd=options.max_cost_usd,
                price=endpoint.price,
            ),
            stop=self._stop,
            places=self._crew.places,
            observer=self._observer,
            limiter=limiter,
            budget=self._budget,
            commits=self._commits,
            on_outage=on_outage,
        )

    def _judge_is_out(self, endpoint: ModelEndpoint) -> Callable[[Exception], None]:
        """Return what to do when a judge cannot be called: without it there is no ESI, so the run ends."""
        return lambda error: self._stop.fail(outage(endpoint, error))

    def _worker_is_out(self, worker: ModelEndpoint) -> Callable[[Exception], None]:
        """Return what to do when a worker cannot be called: the others go on, and the last one ends the run."""

        def note(error: Exception) -> None:
            self._out.setdefault(worker.name, str(error))
            if len(self._out) == len(self._workers):
                self._stop.fail(outage(worker, error))

        return note

    async def _work(self, job: BenchmarkJob) -> None:
        item, settled = await self._item(job)
        row = stored_item(job.position, item, settled)
        await self._commits.put(row)
        self._observer.finished(item)

    async def _item(self, job: BenchmarkJob) -> tuple[BenchmarkItem, tuple[str, ...]]:
        """Return the finished item, and the calls that need never be made again since it is complete."""
        begun = begun_item(job)
        if begun.status != ItemStatus.COMPLETED:
            return begun, ()
        item = answered_item(begun, job.worker or await self._ask_worker(job))
        if item.status != ItemStatus.COMPLETED or self._stage == "answers":
            return item, _keys([item.worker]) if item.status == ItemStatus.COMPLETED else ()
        judged = await self._judge(item, job)
        finished = judged_item(item, judged, self._scoring)
        grades = (judged.accuracy, judged.integrity, *judged.own.values())
        replies = [reply for grade in grades if grade.verdict.score is not None for reply in grade.replies]
        return finished, _keys([item.worker, *replies])

    async def _ask_worker(self, job: BenchmarkJob) -> Reply:
        model, version = job.combination.model, job.combination.prompt_version
        if model in self._out:
            return Reply(error=f"not asked any more: {self._out[model]}", attempts=0)
        prompt = self._prompts[version].render(job.item, system_name(job.combination))
        call = Call(prompt=prompt, max_tokens=self._settings.worker_max_tokens(version))
        return await self._workers[model].reply(call)

    async def _judge(self, item: BenchmarkItem, job: BenchmarkJob) -> Judged:
        """Ask all judges at once."""
        asked = Item(
            id=item.id,
            system=system_name(item.combination),
            answer=item.cleaned_answer,
            question=item.question,
            reference=item.reference,
            fields={
                "instruction": item.instruction,
                "raw_output": item.worker.text if item.worker else "",
                "strictness": job.strictness,
            },
            group=item.scenario_code or None,
            source=item.source,
        )
        names = list(self._methods)
        outcomes = await asyncio.gather(
            *(self._grade(self._methods[name], asked) for name in names), return_exceptions=True
        )
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
        grades = {name: outcome for name, outcome in zip(names, outcomes, strict=True) if isinstance(outcome, Grade)}
        return Judged(accuracy=grades.pop("accuracy"), integrity=grades.pop("integrity"), own=grades)

    async def _grade(self, judging: _Judging, item: Item) -> Grade:
        return await judge_item(
            item,
            caller=judging.caller,
            method=judging.method,
            reasks=self._options.reasks,
            max_tokens=self._settings.JUDGE_MAX_TOKENS,
        )


def _keys(replies: list[Reply | None]) -> tuple[str, ...]:
    return tuple(reply.key for reply in replies if reply is not None and reply.key)
