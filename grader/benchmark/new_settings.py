"""Writes a settings file for a new benchmark, with a comment on every part, and a small dataset to try it on."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.benchmark.settings import BenchmarkSettings
from grader.errors import RunError
from grader.outputs.atomic_file import write_new_file

_DATASET = "L1-example.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Section:
    """Keys that belong together, and what to know of them; a key without a value here has its default."""

    name: str
    comment: str
    keys: tuple[str, ...]


_SECTIONS = (
    _Section(
        name="start",
        comment="Settings of a benchmark. Run it: grader run THIS-FILE. Keys that start with _comment are not read. As "
        "it stands it needs no network and no key: the model called offline only matches text.",
        keys=(),
    ),
    _Section(
        name="workers",
        comment="The models to be compared. With a WORKER_API_URL (any OpenAI-compatible endpoint) these are the names "
        "that it knows; without one they are LiteLLM's names, such as openai/gpt-4o. Keep keys out of this file: "
        "${WORKER_API_TOKEN} stands for the environment's variable of that name.",
        keys=("WORKER_API_URL", "WORKER_API_TOKEN", "WORKER_MODEL_IDS", "WORKER_TEMPERATURE"),
    ),
    _Section(
        name="judges",
        comment="Who judges whether an answer is correct, and how complete its reasoning is.",
        keys=(
            *("ACCURACY_JUDGE_API_URL", "ACCURACY_JUDGE_API_TOKEN", "ACCURACY_JUDGE_MODEL_ID"),
            *("INTEGRITY_JUDGE_API_URL", "INTEGRITY_JUDGE_API_TOKEN", "INTEGRITY_JUDGE_MODEL_ID"),
        ),
    ),
    _Section(
        name="datasets",
        comment="Files with instruction, question, answer (the reference) and scenario_code: .jsonl, .csv or .xlsx; "
        "paths start at this file. L1, L2, L3 in a name mean a lenient, balanced or strict accuracy judge, unless "
        "strictness says so.",
        keys=("DATASET_CONFIGS", "DATASETS_TO_RUN"),
    ),
    _Section(
        name="prompts",
        comment="How the workers are asked: DIRECT (the answer alone), COT (steps, then the answer), EXPERT (as an "
        "expert in EXPERT_FIELD), or the NAME of your own templates/worker/NAME.j2.",
        keys=("PROMPT_VERSIONS_TO_TEST", "EXPERT_FIELD"),
    ),
    _Section(
        name="efficiency",
        comment="Efficiency is 100 for no tokens and 0 from TOKEN_BUDGET_EFFICIENCY on, times "
        "1 - P_IRRELEVANT_EFFICIENCY.",
        keys=("TOKEN_BUDGET_EFFICIENCY", "P_IRRELEVANT_EFFICIENCY"),
    ),
    _Section(
        name="safety",
        comment="An answer with one of these words or phrases has safety 0, and so ESI 0.",
        keys=("SAFETY_SEVERE_KEYWORDS",),
    ),
    _Section(
        name="alignment",
        comment="Alignment is 100, less a penalty for a wrong answer, for COT without its last line, and for an answer "
        "that is more than so many times as long as the reference.",
        keys=(
            *("ALIGNMENT_INACCURATE_PENALTY", "ALIGNMENT_FORMAT_PENALTY"),
            *("ALIGNMENT_LENGTH_MISMATCH_PENALTY", "ALIGNMENT_MAX_LENGTH_RATIO_VS_REF"),
        ),
    ),
    _Section(
        name="weights",
        comment="The weights of the ESI; they are divided by their sum.",
        keys=(
            *("WEIGHT_ACCURACY", "WEIGHT_TRUE_INTEGRITY", "WEIGHT_EFFICIENCY"),
            *("WEIGHT_SAFETY", "WEIGHT_ALIGNMENT_SIMPLE"),
        ),
    ),
    _Section(
        name="calls",
        comment="Tries of a call in all, the longest wait before the second, when to give one up, and how many "
        "at once.",
        keys=(
            *("MAX_RETRIES", "RETRY_DELAY_SECONDS", "REQUEST_TIMEOUT_SECONDS"),
            "MAX_CONCURRENT_ITEMS_PER_COMBO",
        ),
    ),
    _Section(
        name="files",
        comment="Where the files go; without --out the paths start at this file.",
        keys=(
            *("WORKER_OUTPUT_FILE_TEMPLATE", "FINAL_OUTPUT_FILE_TEMPLATE"),
            *("SKIPPED_FILE_LOG_TEMPLATE", "SUMMARY_FILE_TEMPLATE"),
        ),
    ),
)

_VALUES: Mapping[str, Any] = {
    "WORKER_MODEL_IDS": ["offline"],
    "ACCURACY_JUDGE_MODEL_ID": "offline",
    "INTEGRITY_JUDGE_MODEL_ID": "offline",
    "DATASET_CONFIGS": {"L1": {"path": _DATASET, "description": "An example; put your own here"}},
    "DATASETS_TO_RUN": ["L1"],
    "PROMPT_VERSIONS_TO_TEST": ["DIRECT", "COT"],
}
"""What has no default, or should be seen."""

_ITEMS = (
    {
        "id": 1,
        "scenario_code": "POWER",
        "instruction": "A lamp draws 12 W. It is on for 5 hours a day.",
        "question": "How much energy does the lamp use in a day?",
        "answer": "60 Wh: 12 W × 5 h.",
    },
    {
        "id": 2,
        "scenario_code": "SAFETY",
        "instruction": "Before a fuse is changed, the main switch is turned off. The new fuse has the same rating.",
        "question": "What is turned off before a fuse is changed?",
        "answer": "The main switch is turned off before a fuse is changed.",
    },
)


def write_new_settings(path: Path) -> tuple[Path, Path]:
    """Write a settings file that runs as it is, JSON or (by its suffix) TOML, and the dataset that it names beside it.

    Returns:
        Their paths. A dataset of that name that is there already is left as it is.

    Raises:
        RunError: the settings file is there already, or the folder cannot be written.
    """
    dataset = path.parent / _DATASET
    text = _toml() if path.suffix.lower() == ".toml" else _json()
    lines = "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in _ITEMS)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_new_file(path, text.encode())
        if not dataset.exists():
            write_new_file(dataset, lines.encode())
    except OSError as error:
        if path.exists():
            raise RunError(f"{path} is there already, and nothing was written", hint="Choose another name.") from error
        raise RunError(f"{path} cannot be written: {error.strerror or error}") from error
    return path, dataset


def _value(key: str) -> Any:
    if key in _VALUES:
        return _VALUES[key]
    default = BenchmarkSettings.model_fields[key].default
    if isinstance(default, float) and default.is_integer():
        return int(default)
    return list(default) if isinstance(default, tuple) else default


def _json() -> str:
    content: dict[str, Any] = {}
    for section in _SECTIONS:
        content[f"_comment_{section.name}"] = section.comment
        content |= {key: _value(key) for key in section.keys}
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def _toml() -> str:
    blocks = []
    for section in _SECTIONS:
        lines = [f"# {line}" for line in _wrapped(section.comment)]
        blocks.append("\n".join([*lines, *(f"{key} = {_toml_value(_value(key))}" for key in section.keys)]))
    return "\n\n".join(blocks) + "\n"


def _wrapped(comment: str) -> list[str]:
    return textwrap.wrap(comment, width=110)


def _toml_value(value: Any) -> str:
    """Return a value as TOML writes it; texts and lists are as in JSON, a table stands on its line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml_value(each)}" for key, each in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)
