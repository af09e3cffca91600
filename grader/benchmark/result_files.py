"""Writes the files of each combination: its results, its summary, and what was skipped; the workbook is outputs'.

Names of fields and keys are those of the public Lunar-Bench framework, so that whatever reads its files reads these.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from grader.benchmark.answers_files import write_answers_file
from grader.benchmark.planning import BenchmarkPlan
from grader.benchmark_records import SUB_SCORES, BenchmarkItem, BenchmarkRun, Combination, ItemStatus
from grader.errors import InputError
from grader.outputs.atomic_file import writing
from grader.outputs.file_names import safe_file_names
from grader.records import CallTotals, Reply, Verdict

_AVERAGES = {**{name: name for name in SUB_SCORES}, "alignment": "alignment_simple"}
"""The framework's names of the sub-scores, by ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinationPaths:
    """Where the files of one combination are."""

    answers: Path
    results: Path
    skipped: Path
    summary: Path


def combination_paths(plan: BenchmarkPlan, out: Path | None) -> dict[Combination, CombinationPaths]:
    """Return where the files of each combination go: by the settings' templates, whose paths start at the settings.

    With `out` all of them go into that folder, under the names that the templates give them.

    Raises:
        InputError: two files would have one path.
    """
    settings, base = plan.file.settings, plan.file.folder
    datasets = safe_file_names(each.dataset for each in plan.combinations)
    models = safe_file_names(each.model for each in plan.combinations)
    versions = safe_file_names(each.prompt_version for each in plan.combinations)

    def path(template: str, each: Combination) -> Path:
        filled = template.format(
            dataset_short_name=datasets[each.dataset],
            model_id=models[each.model],
            prompt_version=versions[each.prompt_version],
        )
        return base / filled if out is None else out / Path(filled).name

    paths = {
        each: CombinationPaths(
            answers=path(settings.WORKER_OUTPUT_FILE_TEMPLATE, each),
            results=path(settings.FINAL_OUTPUT_FILE_TEMPLATE, each),
            skipped=path(settings.SKIPPED_FILE_LOG_TEMPLATE, each),
            summary=path(settings.SUMMARY_FILE_TEMPLATE, each),
        )
        for each in plan.combinations
    }
    _check_paths(paths, plan)
    return paths


def _check_paths(paths: Mapping[Combination, CombinationPaths], plan: BenchmarkPlan) -> None:
    counts = Counter(str(path).casefold() for each in paths.values() for path in asdict(each).values())
    twice = sorted(path for path, count in counts.items() if count > 1)
    if twice:
        raise InputError(
            f"the file templates give several files one path: {twice[0]}",
            path=plan.file.path,
            hint="Each template needs {dataset_short_name}, {model_id} and {prompt_version} where there are several.",
        )


def write_answers_stage(run: BenchmarkRun, paths: Mapping[Combination, CombinationPaths]) -> list[Path]:
    """Write the workers' answers and what was skipped, and return the paths."""
    for combination, items in _by_combination(run, paths):
        each = paths[combination]
        _make_folders(each)
        write_answers_file(each.answers, items)
        _write_skipped(each.skipped, run, combination, items)
    return [path for each in paths.values() for path in (each.answers, each.skipped)]


def write_result_files(run: BenchmarkRun, paths: Mapping[Combination, CombinationPaths]) -> list[Path]:
    """Write results, summary and skipped log of every combination, and return the paths."""
    for combination, items in _by_combination(run, paths):
        each = paths[combination]
        _make_folders(each)
        with writing(each.results) as file:
            for item in items:
                file.write(json.dumps(result_line(item, run), ensure_ascii=False) + "\n")
        _write_skipped(each.skipped, run, combination, items)
        with writing(each.summary) as file:
            json.dump(summary(run, combination, items, each), file, ensure_ascii=False, indent=2)
            file.write("\n")
    return [path for each in paths.values() for path in (each.results, each.summary, each.skipped)]


def _by_combination(
    run: BenchmarkRun, paths: Mapping[Combination, CombinationPaths]
) -> Iterator[tuple[Combination, list[BenchmarkItem]]]:
    """Yield the items of each combination, one combination in memory at a time; those not reached have none."""
    left = dict.fromkeys(paths)
    for combination, items in groupby(run.items, key=lambda item: item.combination):
        left.pop(combination)
        yield combination, list(items)
    yield from ((combination, []) for combination in left)


def _make_folders(paths: CombinationPaths) -> None:
    for path in (paths.answers, paths.results, paths.skipped, paths.summary):
        path.parent.mkdir(parents=True, exist_ok=True)


def result_line(item: BenchmarkItem, run: BenchmarkRun) -> dict[str, Any]:
    """Return the line of one item; what could not be had is null, never 0."""
    worker, usage = item.worker, item.worker.usage if item.worker else None
    scores = item.sub_scores
    return {
        "id": item.id,
        "dataset_short_name": item.combination.dataset,
        "status": str(item.status),
        "processing_error_details": item.error or None,
        "scenario_code": item.scenario_code or None,
        "instruction": item.instruction,
        "question": item.question,
        "reference_answer": item.reference,
        "worker_model_id": item.combination.model,
        "worker_prompt_version": item.combination.prompt_version,
        "worker_answer_raw": worker.text if worker and worker.error is None else None,
        "worker_answer_cleaned": item.cleaned_answer if worker and worker.error is None else None,
        "worker_output_correctly_formatted": item.is_correctly_formatted if worker and worker.error is None else None,
        "worker_api_error_details": worker.error if worker else None,
        "worker_prompt_tokens": usage.prompt_tokens if usage else None,
        "worker_completion_tokens": usage.completion_tokens if usage else None,
        "worker_response_time_seconds": _seconds(worker),
        "accuracy_judge_model_id": run.judges["accuracy"] if item.accuracy else None,
        "judge_verdict_is_correct": _is_correct(item.accuracy),
        "accuracy_judge_reasoning": item.accuracy.analysis if item.accuracy else None,
        "accuracy_judge_raw_output": item.accuracy_reply.text if item.accuracy_reply else None,
        "accuracy_judge_response_time_seconds": _seconds(item.accuracy_reply),
        "accuracy_judge_status": str(item.accuracy.status) if item.accuracy else None,
        "integrity_judge_model_id": run.judges["integrity"] if item.integrity else None,
        "integrity_judge_score": item.integrity.score if item.integrity else None,
        "integrity_judge_reasoning": item.integrity.analysis if item.integrity else None,
        "integrity_judge_raw_output": item.integrity_reply.text if item.integrity_reply else None,
        "integrity_judge_response_time_seconds": _seconds(item.integrity_reply),
        "integrity_judge_status": str(item.integrity.status) if item.integrity else None,
        **{f"s_{_AVERAGES[name]}": getattr(scores, name) for name in SUB_SCORES},
        "esi_score": item.esi,
        "flags": _flags(item),
        "cost_usd": item.cost_usd,
    }


def _seconds(reply: Reply | None) -> float | None:
    return None if reply is None or reply.error is not None else round(reply.seconds, 3)


def _is_correct(verdict: Verdict | None) -> bool | None:
    return None if verdict is None or verdict.score is None else verdict.score == 100


def _flags(item: BenchmarkItem) -> list[str]:
    verdicts = [verdict for verdict in (item.accuracy, item.integrity) if verdict is not None]
    return list(dict.fromkeys([*item.flags, *(flag for verdict in verdicts for flag in verdict.flags)]))


def summary(
    run: BenchmarkRun, combination: Combination, items: Sequence[BenchmarkItem], paths: CombinationPaths
) -> dict[str, Any]:
    """Return the summary of one combination; averages are over its COMPLETED items, and say over how many."""
    statuses = Counter(str(item.status) for item in items)
    bad_lines = sum(line.dataset == combination.dataset for line in run.skipped)
    completed = [item for item in items if item.status == ItemStatus.COMPLETED]
    return {
        "combination_details": {
            "dataset_short_name": combination.dataset,
            "worker_model_id": combination.model,
            "prompt_version": combination.prompt_version,
            "accuracy_strictness": run.strictness.get(combination.dataset),
            "accuracy_judge_model_id": run.judges["accuracy"],
            "integrity_judge_model_id": run.judges["integrity"],
        },
        "processing_summary": {
            "total_input_items": run.planned[combination] + bad_lines,
            "items_pipeline_completed_for_scoring": len(completed),
            "items_not_reached": run.planned[combination] - len(items),
            "worker_api_errors": statuses[ItemStatus.ERROR_WORKER_API],
            "accuracy_judge_api_errors": statuses[ItemStatus.ERROR_ACCURACY_JUDGE],
            "integrity_judge_api_errors": statuses[ItemStatus.ERROR_INTEGRITY_JUDGE],
            "sub_score_errors": statuses[ItemStatus.ERROR_SUB_SCORE],
            "input_json_decode_errors_in_pipeline": bad_lines,
            "skipped_data_incomplete_in_pipeline": statuses[ItemStatus.SKIPPED_DATA_INCOMPLETE],
            "other_unhandled_pipeline_errors": 0,
        },
        "metrics_summary": _metrics(completed),
        "calls": asdict(run.totals.get(combination, CallTotals())),
        "final_output_file": str(paths.results),
        "skipped_items_log": str(paths.skipped),
        "settings": dict(run.settings),
        "weights": dict(run.weights),
        "run_id": run.run_id,
        "is_baseline": run.is_baseline,
    }


def _metrics(completed: Sequence[BenchmarkItem]) -> dict[str, Any]:
    found: dict[str, Any] = {"n": len(completed)}
    if not completed:  # the averages are null then; whoever reads them by name still finds them
        found["note"] = "no item of this combination is COMPLETED, so there is nothing to average"
    for name, shown in _AVERAGES.items():
        found[f"average_{shown}"] = _mean([getattr(item.sub_scores, name) for item in completed])
    found["average_esi"] = _mean([item.esi for item in completed])
    times = {
        "worker_response_times": [item.worker for item in completed],
        "accuracy_judge_response_times": [item.accuracy_reply for item in completed],
        "integrity_judge_response_times": [item.integrity_reply for item in completed],
    }
    for name, replies in times.items():
        found[f"average_{name}_seconds"] = _mean([reply.seconds for reply in replies if reply is not None])
    return found


def _mean(values: Sequence[float | None]) -> float | None:
    numbers = [value for value in values if value is not None]
    return round(sum(numbers) / len(numbers), 2) if numbers else None


def _write_skipped(path: Path, run: BenchmarkRun, combination: Combination, items: Iterable[BenchmarkItem]) -> None:
    with writing(path) as file:
        for line in run.skipped:
            if line.dataset == combination.dataset:
                file.write(f"{_place(line.source.cell)}: not read: {line.reason}\n")
        for item in items:
            if item.status != ItemStatus.COMPLETED:
                place = _place(item.source.cell if item.source else None)
                file.write(f"{place}: id {item.id}: {item.status}: {' '.join(item.error.split())}\n")


def _place(cell: str | None) -> str:
    return cell or "unknown line"
