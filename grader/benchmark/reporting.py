"""Puts together what a benchmark came to and has its files written: from a plan and a store, finished or stopped."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grader import __version__
from grader.benchmark.endpoints import all_endpoints, model_endpoint
from grader.benchmark.item_rows import StoredItems
from grader.benchmark.planning import BenchmarkPlan
from grader.benchmark.result_files import CombinationPaths, write_answers_stage, write_result_files
from grader.benchmark.running import Stage, system_name
from grader.benchmark.sources import source_digests
from grader.benchmark_records import BenchmarkRun, Combination, ItemStatus
from grader.judging.redact import redact
from grader.outputs.benchmark_workbook.write import write_benchmark_workbook
from grader.records import CallTotals
from grader.store.run_store import RunStore

WORKBOOK = "graded.xlsx"


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkWritten:
    """The files of a benchmark, and how its items ended."""

    paths: tuple[Path, ...]
    planned: int
    statuses: Mapping[str, int]
    """How many items have each status; those that a stopped run did not reach have none."""
    averages: Mapping[Combination, tuple[float | None, float | None, int]]
    """Mean accuracy and mean ESI of each combination's COMPLETED items, and over how many."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Why items have no ESI, and how many for each."""
    notes: tuple[str, ...] = ()

    @property
    def completed(self) -> int:
        """How many items are COMPLETED."""
        return self.statuses.get(ItemStatus.COMPLETED, 0)


def benchmark_run(plan: BenchmarkPlan, store: RunStore, *, command: str) -> BenchmarkRun:
    """Return what `store` has of the benchmark that `plan` describes."""
    settings = plan.file.settings
    totals = store.totals_by_system()
    models = list(dict.fromkeys(combination.model for combination in plan.combinations))
    return BenchmarkRun(
        run_id=store.run_id,
        created=store.meta("created"),
        version=__version__,
        command=redact(command),
        settings=json.loads(redact(json.dumps(plan.file.shown))),  # an address may hold a key
        weights=settings.weights,
        combinations=plan.combinations,
        items=StoredItems(store),
        planned=plan.planned,
        skipped=plan.skipped,
        totals={each: totals.get(system_name(each), CallTotals()) for each in plan.combinations},
        strictness=dict(plan.strictness),
        judges={
            "accuracy": model_endpoint(settings, "ACCURACY_JUDGE", settings.ACCURACY_JUDGE_MODEL_ID).name,
            "integrity": model_endpoint(settings, "INTEGRITY_JUDGE", settings.INTEGRITY_JUDGE_MODEL_ID).name,
        },
        is_baseline=any(each.is_offline for each in all_endpoints(settings, models)),
        notes=plan.notes,
        sources=source_digests(plan),
    )


def write_benchmark(
    run: BenchmarkRun, paths: Mapping[Combination, CombinationPaths], *, run_dir: Path, stage: Stage
) -> BenchmarkWritten:
    """Write all files of `run`, each whole or not at all.

    Raises:
        RunError: one cannot be written.
    """
    notes: tuple[str, ...] = ()
    if stage == "answers":
        written = write_answers_stage(run, paths)
    else:
        written = write_result_files(run, paths)  # first: they are whole, the workbook is made from the same
        workbook = write_benchmark_workbook(run_dir / WORKBOOK, run)
        written, notes = [workbook.path, *written], tuple(workbook.notes)
    statuses: Counter[str] = Counter()
    sums: dict[Combination, list[tuple[float, float]]] = {each: [] for each in run.combinations}
    reasons: Counter[str] = Counter()
    for item in run.items:
        reasons.update([item.error] if item.error else [])
        statuses[str(item.status)] += 1
        if item.esi is not None and item.sub_scores.accuracy is not None:
            sums[item.combination].append((item.sub_scores.accuracy, item.esi))
    return BenchmarkWritten(
        paths=tuple(written),
        planned=sum(run.planned.values()),
        statuses=statuses,
        averages={each: _averages(pairs) for each, pairs in sums.items()},
        reasons=reasons,
        notes=notes,
    )


def _averages(pairs: list[tuple[float, float]]) -> tuple[float | None, float | None, int]:
    if not pairs:
        return None, None, 0
    accuracies, esis = zip(*pairs, strict=True)
    return sum(accuracies) / len(pairs), sum(esis) / len(pairs), len(pairs)
