"""Reads and writes the files in which workers' answers lie between the two stages; `grader score` reads them too.

A line has the question, the cleaned answer as `answer`, and the reply it came from. Workers that failed have no line:
an empty one would be graded.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.benchmark.datasets import DatasetItem
from grader.benchmark_records import BenchmarkItem, Combination, ItemStatus
from grader.errors import InputError
from grader.inputs.columns import normalise_id
from grader.inputs.problems import listed_problems
from grader.inputs.record_reader import Record, RecordReader
from grader.outputs.atomic_file import writing
from grader.records import CellRef, Reply, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAnswer:
    """An answer that a worker gave before."""

    combination: Combination
    item: DatasetItem
    worker: Reply


def answer_line(item: BenchmarkItem) -> dict[str, Any]:
    """Return the line of one answer; `system` is the model, by the name that `grader score` looks for."""
    reply = item.worker or Reply()
    usage = reply.usage
    return {
        "id": item.id,
        "system": item.combination.model,
        "dataset_short_name": item.combination.dataset,
        "worker_prompt_version": item.combination.prompt_version,
        "scenario_code": item.scenario_code,
        "instruction": item.instruction,
        "question": item.question,
        "reference_answer": item.reference,
        "answer": item.cleaned_answer,
        "worker_answer_raw": reply.text,
        "worker_output_correctly_formatted": item.is_correctly_formatted,
        "worker_prompt_tokens": usage.prompt_tokens if usage else None,
        "worker_completion_tokens": usage.completion_tokens if usage else None,
        "worker_response_time_seconds": round(reply.seconds, 3),
        "worker_cost_usd": reply.cost_usd,
        "worker_finish_reason": reply.finish_reason,
    }


def write_answers_file(path: Path, items: Iterable[BenchmarkItem]) -> int:
    """Write the answers among `items` to `path` and return how many there are."""
    count = 0
    with writing(path) as file:
        for item in items:
            if item.worker is None or item.status == ItemStatus.ERROR_WORKER_API:
                continue
            file.write(json.dumps(answer_line(item), ensure_ascii=False) + "\n")
            count += 1
    return count


def read_answers_files(
    paths: Sequence[Path], *, datasets: Sequence[str], versions: Sequence[str]
) -> tuple[GivenAnswer, ...]:
    """Return the answers in files that `write_answers_file` wrote, or that have the same fields.

    A file that does not say its dataset or prompt version belongs to the only one that the settings have; one that
    does not say its model is called after the file.

    Raises:
        InputError: a file cannot be used, does not say what it belongs to, or an answer is there twice.
    """
    answers = [answer for path in paths for answer in _read(path, datasets, versions)]
    if not answers:
        raise InputError("--answers: there is no answer in these files", hint="Run `--stage answers` first.")
    seen: dict[tuple[Combination, str], GivenAnswer] = {}
    twice = [each for each in answers if seen.setdefault((each.combination, each.item.id), each) is not each]
    if twice:
        raise listed_problems(
            "an answer is there twice",
            ((each.item.source, f"id {each.item.id}") for each in twice),
            hint="Name each file once",
        )
    return tuple(answers)


def _read(path: Path, datasets: Sequence[str], versions: Sequence[str]) -> list[GivenAnswer]:
    reader = RecordReader(path=path, kind="answers", needed=("id", "answer"))
    return [_given(record, path, datasets, versions) for record in reader.records()]


def _given(record: Record, path: Path, datasets: Sequence[str], versions: Sequence[str]) -> GivenAnswer:
    fields = {**record.extras, **record.fields}
    combination = Combination(
        dataset=_named(fields, "dataset_short_name", datasets, record.source),
        model=fields.get("system", "").strip() or path.stem,
        prompt_version=_named(fields, "worker_prompt_version", versions, record.source),
    )
    item = DatasetItem(
        id=normalise_id(fields["id"]),
        instruction=fields.get("instruction", ""),
        question=fields.get("question", ""),
        reference=fields.get("reference", "").strip(),
        scenario_code=fields.get("scenario_code", ""),
        source=record.source,
    )
    return GivenAnswer(combination=combination, item=item, worker=_reply(fields))


def _named(fields: Mapping[str, str], name: str, known: Sequence[str], source: CellRef) -> str:
    value = fields.get(name, "").strip()
    if value:
        return value
    if len(known) == 1:
        return known[0]
    raise InputError(
        f"this answer does not say its {name}, and the settings have several: {', '.join(known)}",
        path=source.path,
        cell=source.cell,
        hint=f"Add a field {name}, as `grader run --stage answers` writes it.",
    )


def _reply(fields: Mapping[str, str]) -> Reply:
    prompt_tokens, completion_tokens = (_number(fields, f"worker_{name}_tokens") for name in ("prompt", "completion"))
    usage = None
    if completion_tokens is not None:
        usage = Usage(prompt_tokens=int(prompt_tokens or 0), completion_tokens=int(completion_tokens))
    return Reply(
        text=fields.get("worker_answer_raw") or fields["answer"],
        finish_reason=fields.get("worker_finish_reason") or "stop",
        usage=usage,
        seconds=_number(fields, "worker_response_time_seconds") or 0.0,
        cost_usd=_number(fields, "worker_cost_usd"),
    )


def _number(fields: Mapping[str, str], name: str) -> float | None:
    try:
        return float(fields[name])
    except (KeyError, ValueError):
        return None
