"""Writes results.jsonl, one line for each graded item, and skipped.log; the fields are those of CONTRACT."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

from grader.outputs.atomic_file import writing
from grader.outputs.graded_workbook.expert_entries import NO_ENTRY, ExpertEntry, final_criteria
from grader.records import Grade, Reply, SkippedItem, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpertView:
    """What experts make of a grade, and why one should look at it."""

    entry: ExpertEntry = NO_ENTRY
    """What all experts together entered."""
    final_score: float | None = None
    """The score that counts: see `graded_workbook.expert_entries.final_score`."""
    experts: Sequence[Mapping[str, Any]] = ()
    """What each expert entered; see `expert_scores.expert_records`."""
    needs_review: bool = False


def unreviewed(grade: Grade) -> ExpertView:
    """Return how a grade stands that no expert has looked at."""
    return ExpertView(final_score=grade.verdict.score, needs_review=grade.needs_review)


_as_json = json.JSONEncoder(ensure_ascii=False).encode  # `json.dumps` would make an encoder for each line


class Recorder:
    """Writes results.jsonl and skipped.log, each grade or item where it belongs, in the order given."""

    def __init__(self, results: TextIO, skipped_log: TextIO) -> None:
        self._results, self._skipped_log = results, skipped_log

    def grade(self, grade: Grade, view: ExpertView | None = None) -> None:
        """Write a grade, and of one without a score of the judge's why."""
        self._results.write(_as_json(result_record(grade, view)) + "\n")
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


def result_record(grade: Grade, view: ExpertView | None = None) -> dict[str, Any]:
    """Return a grade as the record of its line; without `view` as one that no expert has looked at."""
    item, verdict, reply = grade.item, grade.verdict, _deciding_reply(grade)
    view = view or unreviewed(grade)
    return {
        "system": item.system,
        "id": item.id,
        "sample": grade.sample,
        "rubric": grade.rubric,
        "score": _plain(verdict.score),
        "status": str(verdict.status),
        "flags": list(verdict.flags),
        "needs_review": view.needs_review,
        "expert_score": _plain(view.entry.number),
        "expert_comment": "\n".join(filter(None, (view.entry.comment, view.entry.blind_comment))),
        "final_score": _plain(view.final_score),
        "experts": list(view.experts),
        "dimensions": {name: _plain(value) for name, value in verdict.dimensions.items()},
        "items": _criterion_records(grade, view.entry),
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


def _criterion_records(grade: Grade, entry: ExpertEntry) -> list[dict[str, Any]]:
    """Return the judge's verdict on each criterion, with the expert's and the one that counts where there are any."""
    records = [asdict(verdict) for verdict in grade.verdict.items]
    if not entry.criteria:
        return records
    by_key = {(record["level"], record["number"]): record for record in records}
    for key, entered in entry.criteria.items():
        if key not in by_key:  # the judge said nothing of it
            by_key[key] = {"number": key[1], "met": None, "level": key[0], "evidence": ""}
            records.append(by_key[key])
        by_key[key] |= {"expert_met": entered.met, "expert_comment": entered.comment}
    for verdict in final_criteria(grade, entry) or ():
        if (verdict.level, verdict.number) in by_key:
            by_key[(verdict.level, verdict.number)]["final_met"] = verdict.met
    return records


def _deciding_reply(grade: Grade) -> Reply:
    """Return the reply that the verdict was read from, which an unusable one may have followed."""
    decided = [reply for reply in grade.replies if reply.key == grade.verdict.reply_key]
    return next(reversed(decided or grade.replies), Reply(attempts=0))


def cost_usd(grade: Grade) -> float | None:
    """Return what all calls for this grade cost, in US dollars, failed ones too; `None` where a price is unknown."""
    if not grade.replies:
        return 0.0  # nobody was asked
    known = [reply.cost_usd for reply in grade.replies if reply.cost_usd is not None]
    is_unknown = any(reply.error is None and reply.cost_usd is None for reply in grade.replies)
    return None if is_unknown or not known else sum(known)


def _usage(replies: Iterable[Reply]) -> dict[str, int]:
    usages = [reply.usage for reply in replies if reply.usage is not None]
    return {
        "prompt_tokens": sum(usage.prompt_tokens for usage in usages),
        "completion_tokens": sum(usage.completion_tokens for usage in usages),
    }


def _plain(value: float | None) -> float | int | None:
    """Return whole numbers as integers, so that a score of 50 is written as 50."""
    return int(value) if value is not None and value == int(value) else value
