"""Reads the datasets of a benchmark, from JSONL, CSV or a workbook; what lacks a part is kept and marked, not asked."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.benchmark.settings import DatasetConfig, Strictness
from grader.benchmark.settings_file import SettingsFile
from grader.benchmark_records import SkippedLine
from grader.errors import InputError
from grader.inputs.columns import closest, normalise_id
from grader.inputs.problems import listed_problems
from grader.inputs.record_reader import Record, RecordReader
from grader.inputs.tables import is_json
from grader.records import CellRef

_LEVELS: dict[str, Strictness] = {"1": "lenient", "2": "balanced", "3": "strict"}
_COLUMNS_HINT = "Name the columns id, instruction, question, answer and, if you like, scenario_code."
"""In place of what the commands for workbooks say, whose columns can be mapped by an option."""
_SHEET_OPTION = " (--sheet NAME)"
"""What notes on a workbook offer where there is that option; a dataset is the first sheet that fits."""
_LEVEL = re.compile(r"(?<![A-Za-z0-9])[Ll]([123])(?![0-9])")


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetItem:
    """One question of a dataset; a blank part is ""."""

    id: str
    instruction: str
    question: str
    reference: str
    scenario_code: str
    source: CellRef

    @property
    def lacks(self) -> str:
        """Why a worker cannot be asked, or ""."""
        missing = [name for name in ("instruction", "question") if not getattr(self, name).strip()]
        return f"no {' and no '.join(missing)}" if missing else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """One dataset, read: its items in the order of its file, and the lines that cannot be read."""

    name: str
    path: Path
    strictness: Strictness
    items: tuple[DatasetItem, ...]
    skipped: tuple[SkippedLine, ...] = ()
    notes: tuple[str, ...] = ()


def dataset_configs(file: SettingsFile, only: Collection[str] = ()) -> dict[str, DatasetConfig]:
    """Return the datasets to run, by name and in the order of the settings.

    Raises:
        InputError: `only` names one that is not among them.
    """
    settings = file.settings
    if settings.INPUT_FILE.strip():
        configs = {Path(settings.INPUT_FILE).stem: DatasetConfig(path=settings.INPUT_FILE)}
    else:
        names = settings.DATASETS_TO_RUN or tuple(settings.DATASET_CONFIGS)
        configs = {name: settings.DATASET_CONFIGS[name] for name in names}
    check_chosen("--only-dataset", only, configs)
    return {name: config for name, config in configs.items() if not only or name in only}


def check_chosen(flag: str, only: Iterable[str], known: Collection[str]) -> None:
    """Refuse names after `flag` that the settings do not have."""
    for name in only:
        if name not in known:
            close = closest(known, [name])
            guess = f"Did you mean {close}? " if close else ""
            raise InputError(
                f"{flag} {name}: the settings run no such thing", hint=f"{guess}There are: {', '.join(known)}."
            )


def read_datasets(file: SettingsFile, only: Collection[str] = (), limit: int | None = None) -> tuple[Dataset, ...]:
    """Return the datasets that the settings run, at most `limit` items of each.

    Raises:
        InputError: files do not exist (all of them are named), cannot be read, or give an id twice.
    """
    configs = dataset_configs(file, only)
    paths = {name: file.folder / config.path.strip() for name, config in configs.items()}
    missing = [f"{name}: {path}" for name, path in paths.items() if not path.is_file()]
    if missing:
        raise InputError(
            "these datasets do not exist:" + "".join(f"\n  {each}" for each in missing),
            path=file.path,
            hint="Their paths are relative to the folder of the settings file.",
        )
    return tuple(_read_dataset(name, paths[name], config, limit) for name, config in configs.items())


def _read_dataset(name: str, path: Path, config: DatasetConfig, limit: int | None) -> Dataset:
    reader = RecordReader(
        path=path, kind="questions", needed=() if is_json(path) else ("id",), skip_bad_lines=is_json(path)
    )
    items = _read_items(reader)
    if not items:
        raise InputError("there is no question in the dataset", path=path, hint="Export or copy it again")
    _check_ids(items)
    strictness, note = _strictness(name, config)
    return Dataset(
        name=name,
        path=path,
        strictness=strictness,
        items=tuple(items[:limit]),
        skipped=tuple(
            SkippedLine(
                dataset=name,
                source=CellRef(path=str(path), cell=f"line {number}"),
                reason="this line is not a JSON object",
            )
            for number in reader.bad_lines
        ),
        notes=(*(each.replace(_SHEET_OPTION, "") for each in reader.notes), *note),
    )


def _read_items(reader: RecordReader) -> list[DatasetItem]:
    try:
        return [_item(record, position) for position, record in enumerate(reader.records(), start=1)]
    except InputError as error:
        if "--map" in (error.hint or ""):
            error.hint = _COLUMNS_HINT
        raise


def _item(record: Record, position: int) -> DatasetItem:
    fields = {**record.extras, **record.fields}
    return DatasetItem(
        id=normalise_id(fields.get("id", "")) or str(position),
        instruction=fields.get("instruction", ""),
        question=fields.get("question", ""),
        reference=(fields.get("reference") or fields.get("answer") or "").strip(),
        scenario_code=fields.get("scenario_code", ""),
        source=record.source,
    )


def _check_ids(items: Iterable[DatasetItem]) -> None:
    seen: dict[str, DatasetItem] = {}
    twice = [item for item in items if seen.setdefault(item.id, item) is not item]
    if twice:
        raise listed_problems(
            "an id occurs twice",
            ((item.source, f"id {item.id}") for item in twice),
            hint="Give every question an id of its own",
        )


def strictness_of(name: str) -> Strictness | None:
    """Return how strict the accuracy judge is with a dataset of this name: L1, L2 or L3 in it says so."""
    level = _LEVEL.search(name)
    return _LEVELS[level[1]] if level else None


def _strictness(name: str, config: DatasetConfig) -> tuple[Strictness, tuple[str, ...]]:
    named = config.strictness or strictness_of(name)
    if named:
        return named, ()
    return "balanced", (f"{name}: neither its name (L1, L2, L3) nor `strictness` says how strict; balanced is used",)
