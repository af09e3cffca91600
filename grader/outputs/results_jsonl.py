"""Writes results.jsonl, one line for each graded item, and skipped.log; the fields are those of CONTRACT."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from grader.outputs.atomic_file import writing
from grader.records import Grade, Reply, SkippedItem, Status


class Recorder:
    """Writes results.jsonl and skipped.log, each grade or item where it belongs, in the order given."""

    def __init__(self, results: TextIO, skipped_log: TextIO) -> None:
        self._results, self._skipped_log = results, skipped_log

    def grade(self, grade: Grade) -> None:
        """Write a grade, and of one without a score why."""
        self._results.write(json.dumps(result_record(grade), ensure_ascii=False) + "\n")
        if grade.verdict.score is None:
            self._log(grade.item.system, grade.item.id, grade.verdict.status, grade.verdict.reason)

    def skipped(self, item: SkippedItem) -> None:
        """Write that there is no grade, and why."""
        self._log(item.system, item.item_id, Status.SKIPPED, item.reason)

    def _log(self, *values: str) -> None:
        self._skipped_log.write("\t".join(" ".join(value.split()) for value in values) + "\n")


@contextmanager
def recording(results_path: Path, skipped_path: Path) -> Iterator[Recorder]:
    """Open both files; they take their places when all is written without error."""
    with writing(results_path) as results, writing(skipped_path) as skipped_log:
        yield Recorder(results, skipped_log)


def result_record(grade: Grade) -> dict[str, Any]:
    """Return a grade as the record of its line."""
    item, verdict, reply = grade.item, grade.verdict, _deciding_reply(grade)
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
        "reply": reply.text,
        "finish_reason": reply.finish_reason,
        "model": grade.model,
        "attempts": sum(reply.attempts for reply in grade.replies),
        "usage": _usage(grade.replies),
        "cost_usd": cost_usd(grade),
        "latency_seconds": round(sum(reply.seconds for reply in grade.replies), 3),
        "question": item.question,
        "answer": item.answer,
        "reference": item.reference,
        "group": item.group,
        "error": (verdict.reason or None) if verdict.score is None else None,
    }


def _deciding_reply(grade: Grade) -> Reply:
    """Return the reply that the verdict was read from, which an unusable one may have followed."""
    decided = [reply for reply in grade.replies if reply.key == grade.verdict.reply_key]
    return next(reversed(decided or grade.replies), Reply(attempts=0))


def cost_usd(grade: Grade) -> float | None:
    """Return what all calls for this grade cost, in US dollars; `None` where a price is unknown."""
    costs = [reply.cost_usd for reply in grade.replies if reply.error is None]
    known = [cost for cost in costs if cost is not None]
    if not grade.replies:
        return 0.0  # nobody was asked
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
