"""Writes results.jsonl, one line for each graded item, and skipped.log; the fields are those of CONTRACT."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grader.outputs.atomic_file import writing
from grader.records import Grade, Reply, SkippedItem, Status

Record = Callable[[Grade], None]


@contextmanager
def recording(results_path: Path, skipped_path: Path, skipped: Iterable[SkippedItem]) -> Iterator[Record]:
    """Open results.jsonl and skipped.log; each grade that is recorded goes where it belongs, in the order given.

    skipped.log has system, id, status and reason, parted by tabs, of every item without a score, then of `skipped`.
    """
    with writing(results_path) as results, writing(skipped_path) as skipped_log:

        def record(grade: Grade) -> None:
            results.write(
                json.dumps(result_record(grade), ensure_ascii=False).encode("utf-8", "replace").decode() + "\n"
            )
            if grade.verdict.score is None:
                skipped_log.write(_line(grade.item.system, grade.item.id, grade.verdict.status, grade.verdict.reason))

        yield record
        for item in skipped:
            skipped_log.write(_line(item.system, item.item_id, Status.SKIPPED, item.reason))


def result_record(grade: Grade) -> dict[str, Any]:
    """Return a grade as the record of its line."""
    item, verdict, last = grade.item, grade.verdict, grade.replies[-1] if grade.replies else Reply(attempts=0)
    return {
        "system": item.system,
        "id": item.id,
        "sample": grade.sample,
        "rubric": grade.rubric,
        "score": _plain(verdict.score),
        "status": str(verdict.status),
        "flags": list(verdict.flags),
        "needs_review": grade.needs_review,
        "dimensions": {name: _plain(value) for name, value in verdict.dimensions.items()},
        "items": [asdict(criterion) for criterion in verdict.items],
        "analysis": verdict.analysis,
        "reply": last.text,
        "finish_reason": last.finish_reason,
        "model": grade.model,
        "attempts": sum(reply.attempts for reply in grade.replies),
        "usage": _usage(grade.replies),
        "cost_usd": cost_usd(grade),
        "latency_seconds": round(sum(reply.seconds for reply in grade.replies), 3),
        "question": item.question,
        "answer": item.answer,
        "reference": item.reference,
        "group": item.group,
        "error": last.error or (verdict.reason or None if verdict.score is None else None),
    }


def cost_usd(grade: Grade) -> float | None:
    """Return what all calls for this grade cost, in US dollars; `None` where a price is unknown."""
    costs = [reply.cost_usd for reply in grade.replies if reply.error is None]
    known = [cost for cost in costs if cost is not None]
    return None if len(known) < len(costs) or not costs else sum(known)


def _usage(replies: Iterable[Reply]) -> dict[str, int]:
    usages = [reply.usage for reply in replies if reply.usage is not None]
    return {
        "prompt_tokens": sum(usage.prompt_tokens for usage in usages),
        "completion_tokens": sum(usage.completion_tokens for usage in usages),
    }


def _plain(value: float | None) -> float | int | None:
    """Return whole numbers as integers, so that a score of 50 is written as 50."""
    return int(value) if value is not None and value == int(value) else value


def _line(*values: str) -> str:
    return "\t".join(" ".join(value.split()) for value in values) + "\n"
