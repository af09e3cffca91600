"""Reads recorded replies from a JSONL file: a results.jsonl, or lines made by hand; not from a run's store."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from grader.errors import InputError
from grader.inputs.columns import normalise_id
from grader.records import RecordedReply

_HINT = (
    'Each line needs an id and a reply, as in {"system": "gpt-4o", "id": "1", "reply": "…"}; system may be left out.'
)


def read_recordings(path: Path) -> Iterator[RecordedReply]:
    """Yield the replies of a file in its order; a line without a reply (an empty answer has none) is passed over.

    Raises:
        InputError: the file cannot be read, or a line is no record with an id; the line is named.
    """
    if not path.is_file():
        hint = "Name a results.jsonl or the run.db of an earlier run."
        raise InputError("there is no such file", path=path, hint=hint)
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield from _recorded(_record(line, path, number), path, number)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the recorded replies cannot be read: {error}", path=path) from error


def _record(line: str, path: Path, number: int) -> Mapping[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON ({error})", path=path, cell=f"line {number}", hint=_HINT) from error
    if not isinstance(record, dict) or not normalise_id(record.get("id", "")):
        raise InputError("is not a record with an id", path=path, cell=f"line {number}", hint=_HINT)
    return record


def _recorded(record: Mapping[str, Any], path: Path, number: int) -> Iterator[RecordedReply]:
    text = record.get("reply", record.get("text"))
    if text is None or text == "":
        return
    sample, finish_reason = record.get("sample") or 1, record.get("finish_reason")
    if not isinstance(text, str) or not isinstance(finish_reason, str | None):
        raise InputError("the reply is not a text", path=path, cell=f"line {number}", hint=_HINT)
    if not isinstance(sample, int):
        raise InputError("the sample is not a whole number", path=path, cell=f"line {number}", hint=_HINT)
    system = record.get("system")
    yield RecordedReply(
        item_id=normalise_id(record["id"]),
        text=text,
        system=None if system is None else str(system),
        sample=sample,
        finish_reason=finish_reason,
    )
