"""Turns the records of a run into rows of its store and back; opens nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import orjson

from grader.records import (
    CellRef,
    Criterion,
    CriterionVerdict,
    Grade,
    Item,
    Override,
    Reply,
    Status,
    StoredCall,
    StoredGrade,
    StoredItem,
    Usage,
    Verdict,
)


def now() -> str:
    """Return the time as the store writes it, in UTC."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def call_row(call: StoredCall) -> tuple[Any, ...]:
    """Return a call as the values of its row, without the row's id."""
    reply, usage = call.reply, call.reply.usage
    return _storable(
        *(reply.key, int(call.is_finished), now(), call.model),
        *(call.system, call.item_id, call.sample, call.ask),
        *(reply.text, reply.finish_reason, reply.refusal),
        *((usage.prompt_tokens, usage.completion_tokens) if usage else (None, None)),
        *(reply.cost_usd, reply.seconds, reply.attempts, reply.error),
    )


def grade_row(stored: StoredGrade) -> tuple[Any, ...]:
    """Return a grade as the values of its row."""
    grade = stored.grade
    return _storable(
        *(stored.position, grade.item.system, grade.item.id, grade.sample, grade.rubric, grade.model),
        *(_dump(grade.item), _dump(grade.verdict), _dump([reply.key for reply in grade.replies])),
    )


def item_row(stored: StoredItem) -> tuple[Any, ...]:
    """Return a finished item of a benchmark as the values of its row."""
    return (stored.position, stored.content, _dump(stored.reply_keys))


def as_stored_item(row: Mapping[str, Any]) -> StoredItem:
    """Return a finished item of a benchmark from its row."""
    return StoredItem(position=row["position"], content=row["content"], reply_keys=tuple(json.loads(row["reply_keys"])))


def override_row(override: Override) -> tuple[Any, ...]:
    """Return what an expert entered as the values of its row, without the row's id."""
    return _storable(
        *(now(), override.reviewer, override.entered),
        *(override.system, override.item_id, override.sample, override.level, override.number),
        *(int(override.is_blind), override.score, None if override.met is None else int(override.met)),
        *(override.comment, override.text_hash, _dump(override.source) if override.source else None),
    )


def _storable(*values: Any) -> tuple[Any, ...]:
    """Return values that SQLite can hold: what UTF-8 has no form for becomes a question mark."""
    return tuple(value.encode("utf-8", "replace").decode() if isinstance(value, str) else value for value in values)


def _dump(value: Any) -> str:
    """Return JSON of plain values and records that SQLite can hold: a lone surrogate stays an escape."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # it takes no lone surrogate
        return json.dumps(value, default=asdict, ensure_ascii=True, separators=(",", ":"))


def _load(text: str) -> Any:
    """Return what `_dump` made a text of."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:  # it takes no lone surrogate
        return json.loads(text)


def as_grade(row: Mapping[str, Any], find_reply: Callable[[str], Reply]) -> Grade:
    """Return a grade from its row, with its replies looked up by their calls' keys."""
    return Grade(
        item=as_item(_load(row["item"])),
        verdict=as_verdict(_load(row["verdict"])),
        rubric=row["rubric"],
        model=row["model"],
        sample=row["sample"],
        replies=tuple(find_reply(key) for key in _load(row["call_keys"])),
    )


def as_reply(row: Mapping[str, Any]) -> Reply:
    """Return a reply from its call's row."""
    usage = None
    if row["prompt_tokens"] is not None:
        usage = Usage(prompt_tokens=row["prompt_tokens"], completion_tokens=row["completion_tokens"])
    return Reply(
        key=row["key"],
        text=row["text"],
        finish_reason=row["finish_reason"],
        refusal=row["refusal"],
        usage=usage,
        seconds=row["seconds"],
        cost_usd=row["cost_usd"],
        attempts=row["attempts"],
        error=row["error"],
    )


def as_override(row: Mapping[str, Any]) -> Override:
    """Return what an expert entered from its row."""
    return Override(
        system=row["system"],
        item_id=row["item_id"],
        sample=row["sample"],
        number=row["number"],
        level=row["level"],
        score=row["score"],
        met=None if row["met"] is None else bool(row["met"]),
        comment=row["comment"],
        is_blind=bool(row["is_blind"]),
        text_hash=row["text_hash"],
        reviewer=row["reviewer"],
        entered=row["entered"],
        source=_as_cell(json.loads(row["source"])) if row["source"] else None,
    )


def as_item(content: Mapping[str, Any]) -> Item:
    """Return an item from what `grade_row` kept of it."""
    criteria = tuple(map(_as_criterion, content["criteria"]))
    return Item(**{**content, "criteria": criteria, "source": _as_cell(content["source"])})


def _as_criterion(content: Mapping[str, Any]) -> Criterion:
    return Criterion(**{**content, "source": _as_cell(content["source"])})


def _as_cell(content: Mapping[str, Any] | None) -> CellRef | None:
    return CellRef(**content) if content else None


def as_verdict(content: Mapping[str, Any]) -> Verdict:
    """Return a verdict from what `grade_row` kept of it."""
    items = tuple(CriterionVerdict(**verdict) for verdict in content["items"])
    return Verdict(**{**content, "status": Status(content["status"]), "flags": tuple(content["flags"]), "items": items})
