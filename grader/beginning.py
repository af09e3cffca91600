"""Says what a run is before it begins, and whether it has ended already; grades nothing and writes no file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grader import __version__
from grader.judging.judge import Call, Judge
from grader.judging.judges import REPLAY_PREFIX
from grader.judging.redact import redact
from grader.planning import Plan, Request
from grader.records import Prompt
from grader.store.run_head import RunHead, is_kept, keep_head, stored_head
from grader.store.run_store import RunStore
from grader.store.written_files import file_digest

_USUAL_PARAMETERS = ("temperature", "max_tokens", "response_format")
_OF_JUDGE = ("model", "is_baseline", "sent_parameters", "unsent_parameters")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """What the files of a run say about it beside its plan; never a key."""

    command: str
    judge: Judge
    options: Mapping[str, Any]
    """Every option as it was used."""


def graded_before(
    plan: Plan, request: Request, *, store: RunStore, command: str, options: Mapping[str, Any]
) -> RunHead | None:
    """Return the head of the same run where all of it is graded and nothing would be asked again, else `None`.

    It takes no judge: to open one may take seconds.
    """
    if not store.meta("head"):
        return None
    record = stored_head(store).record
    judge = {name: record.get(name) for name in _OF_JUDGE}
    head = _head(plan, request, _run_record(plan, request, store, judge=judge, command=command, options=options))
    is_replay = str(judge["model"]).startswith(REPLAY_PREFIX)  # its recordings may have changed
    if is_replay or not is_kept(store, head) or not store.grades().is_settled(len(head.jobs)):
        return None
    return head


def begin_run(plan: Plan, request: Request, *, store: RunStore, facts: RunFacts) -> RunHead:
    """Keep in the store what the files of the run will say beside its grades, and return it."""
    judge = _judge_record(plan, facts)
    record = _run_record(plan, request, store, judge=judge, command=facts.command, options=facts.options)
    head = _head(plan, request, record)
    keep_head(store, head)
    return head


def _head(plan: Plan, request: Request, record: Mapping[str, Any]) -> RunHead:
    return RunHead(
        record=record,
        rubric=plan.rubric,
        criteria_path=request.criteria_path.absolute(),
        jobs=tuple(plan.grades()),
        skipped=plan.skipped,
    )


def _judge_record(plan: Plan, facts: RunFacts) -> dict[str, Any]:
    """Return what a run's record says of its judge: what is sent, and which of the usual parameters are not."""
    call = Call(prompt=Prompt(item=plan.items[0], messages=()), max_tokens=facts.options.get("max_tokens"))
    sent = {name: value for name, value in facts.judge.parameters(call).items() if value is not None}
    return {
        "model": facts.judge.model,
        "is_baseline": facts.judge.is_baseline,
        "sent_parameters": sent,
        "unsent_parameters": [name for name in _USUAL_PARAMETERS if name not in sent],
    }


def _run_record(
    plan: Plan,
    request: Request,
    store: RunStore,
    *,
    judge: Mapping[str, Any],
    command: str,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the head of summary.json: which run this is, and all that decided its grades."""
    record = {
        "run_id": store.run_id,
        "grader_version": __version__,
        "created": store.meta("created"),
        "command": command,
        "model": judge["model"],
        "is_baseline": judge["is_baseline"],
        "rubric": plan.rubric.name,
        "options": dict(options),
        "sent_parameters": judge["sent_parameters"],
        "unsent_parameters": judge["unsent_parameters"],
        "sources": _sources(plan, request),
        "notes": list(plan.notes),
        "criteria_table": {"sheet": plan.criteria_sheet, "header_row": plan.header_row},
    }
    kept: dict[str, Any] = json.loads(redact(json.dumps(record, default=str)))  # a URL or a command may hold a key
    return kept


def _sources(plan: Plan, request: Request) -> dict[str, str]:
    """Return the SHA-256 of every file that decided the grades, by its path."""
    paths = [request.criteria_path, *request.answers_paths, request.questions_path, plan.template_path]
    return {str(path): file_digest(path) for path in paths if path is not None and path.is_file()}
