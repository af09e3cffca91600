"""Plans a benchmark: every item of every combination, with its place in the run; asks and writes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from grader.benchmark.answers_files import GivenAnswer, read_answers_files
from grader.benchmark.datasets import Dataset, DatasetItem, check_chosen, dataset_configs, read_datasets, strictness_of
from grader.benchmark.settings import Strictness
from grader.benchmark.settings_file import SettingsFile
from grader.benchmark.worker import find_worker_template
from grader.benchmark_records import Combination, SkippedLine
from grader.errors import InputError
from grader.judging.judges import OFFLINE
from grader.records import Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkJob:
    """One item of one combination and its place among all, from 0; `worker` is the answer where it is there already."""

    position: int
    combination: Combination
    item: DatasetItem
    strictness: Strictness
    worker: Reply | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkPlan:
    """What will be asked and judged."""

    file: SettingsFile
    combinations: tuple[Combination, ...]
    jobs: tuple[BenchmarkJob, ...]
    """By combination, then in the order of the dataset."""
    strictness: Mapping[str, Strictness]
    """By dataset."""
    source_paths: tuple[Path, ...]
    skipped: tuple[SkippedLine, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def planned(self) -> Mapping[Combination, int]:
        """How many items each combination has."""
        counts = Counter(job.combination for job in self.jobs)
        return {combination: counts[combination] for combination in self.combinations}

    def in_turns(self) -> Iterator[BenchmarkJob]:
        """Yield the jobs in the order in which they begin: the first items of all combinations, then the second.

        So every model is met in the first seconds, and one that cannot be called is known before the night is over.
        """
        by_combination: dict[Combination, list[BenchmarkJob]] = {each: [] for each in self.combinations}
        for job in self.jobs:
            by_combination[job.combination].append(job)
        for turn in zip_longest(*by_combination.values()):
            yield from (job for job in turn if job is not None)


def prepare_benchmark(
    file: SettingsFile,
    *,
    only_datasets: Sequence[str] = (),
    only_models: Sequence[str] = (),
    limit: int | None = None,
) -> BenchmarkPlan:
    """Return the plan of a benchmark whose workers are still to be asked.

    Raises:
        InputError: a dataset cannot be used, or an `only_…` names what the settings do not have.
    """
    settings = file.settings
    check_chosen("--only-model", only_models, settings.WORKER_MODEL_IDS)
    for version in settings.PROMPT_VERSIONS_TO_TEST:
        find_worker_template(version)
    datasets = read_datasets(file, only_datasets, limit)
    models = [model for model in settings.WORKER_MODEL_IDS if not only_models or model in only_models]
    pairs = [
        (Combination(dataset=dataset.name, model=model, prompt_version=version), dataset)
        for dataset in datasets
        for model in models
        for version in settings.PROMPT_VERSIONS_TO_TEST
    ]
    wanted = ((combination, dataset, item) for combination, dataset in pairs for item in dataset.items)
    return BenchmarkPlan(
        file=file,
        combinations=tuple(combination for combination, _ in pairs),
        jobs=tuple(
            BenchmarkJob(position=position, combination=combination, item=item, strictness=dataset.strictness)
            for position, (combination, dataset, item) in enumerate(wanted)
        ),
        strictness={dataset.name: dataset.strictness for dataset in datasets},
        source_paths=(file.path, *(dataset.path for dataset in datasets)),
        skipped=tuple(line for dataset in datasets for line in dataset.skipped),
        notes=(*file.notes, *_offline_note(file, models), *_dataset_notes(datasets)),
    )


def _offline_note(file: SettingsFile, models: Sequence[str]) -> Iterator[str]:
    """Yield what to say aloud where something is no LLM."""
    roles = [
        *(["worker"] if OFFLINE in models else []),
        *(["accuracy judge"] if file.settings.ACCURACY_JUDGE_MODEL_ID == OFFLINE else []),
        *(["integrity judge"] if file.settings.INTEGRITY_JUDGE_MODEL_ID == OFFLINE else []),
    ]
    if roles:
        yield f"offline ({', '.join(roles)}) matches text and is no LLM; read these scores as a baseline"


def _dataset_notes(datasets: Sequence[Dataset]) -> Iterator[str]:
    for dataset in datasets:
        yield from dataset.notes
        lacking = sum(bool(item.lacks) for item in dataset.items)
        if lacking:
            yield f"{dataset.path}: {lacking} of {len(dataset.items)} items lack an instruction or a question"


def prepare_judging(
    file: SettingsFile,
    answers_paths: Sequence[Path],
    *,
    only_datasets: Sequence[str] = (),
    only_models: Sequence[str] = (),
    limit: int | None = None,
) -> BenchmarkPlan:
    """Return the plan of a benchmark whose workers have answered before, into the files at `answers_paths`.

    Raises:
        InputError: a file cannot be used, or nothing in it is wanted.
    """
    configs = dataset_configs(file)
    answers = read_answers_files(answers_paths, datasets=tuple(configs), versions=file.settings.PROMPT_VERSIONS_TO_TEST)
    check_chosen("--only-dataset", only_datasets, {each.combination.dataset for each in answers})
    check_chosen("--only-model", only_models, {each.combination.model for each in answers})
    by_combination: dict[Combination, list[GivenAnswer]] = {}
    for answer in answers:
        is_wanted = not only_datasets or answer.combination.dataset in only_datasets
        if is_wanted and (not only_models or answer.combination.model in only_models):
            by_combination.setdefault(answer.combination, []).append(answer)
    if not by_combination:
        raise InputError("nothing is left to judge", hint="Leave out --only-dataset or --only-model.")
    strictness: dict[str, Strictness] = {}
    for combination in by_combination:
        config = configs.get(combination.dataset)
        named = (config.strictness if config else None) or strictness_of(combination.dataset)
        strictness[combination.dataset] = named or "balanced"
    kept = [answer for group in by_combination.values() for answer in group[:limit]]
    return BenchmarkPlan(
        file=file,
        combinations=tuple(by_combination),
        jobs=tuple(
            BenchmarkJob(
                position=position,
                combination=answer.combination,
                item=answer.item,
                strictness=strictness[answer.combination.dataset],
                worker=answer.worker,
            )
            for position, answer in enumerate(kept)
        ),
        strictness=strictness,
        source_paths=(file.path, *answers_paths),
        notes=(*file.notes, *_offline_note(file, ()), *_unanswered_notes(file, by_combination)),
    )


def _unanswered_notes(file: SettingsFile, answers: Mapping[Combination, Sequence[GivenAnswer]]) -> Iterator[str]:
    """Yield what to say of items whose worker failed or was not asked: the results go without them."""
    configs = dataset_configs(file)
    for combination, given in answers.items():
        config = configs.get(combination.dataset)
        if config is None or not (file.folder / config.path.strip()).is_file():
            continue  # judged elsewhere, where the dataset is not
        (dataset,) = read_datasets(file, [combination.dataset])
        asked = {item.id for item in dataset.items if not item.lacks}
        missing = len(asked - {answer.item.id for answer in given})
        if missing:
            shown = " · ".join((combination.dataset, combination.model, combination.prompt_version))
            yield f"{shown}: of {len(asked)} items {missing} have no answer in --answers, and so no result"
