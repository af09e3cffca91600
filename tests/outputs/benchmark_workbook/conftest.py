"""A small benchmark for these tests: every kind of item, scored by the formulas that a real run uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from grader.benchmark import esi
from grader.benchmark.settings import BenchmarkSettings
from grader.benchmark_records import BenchmarkItem, BenchmarkRun, Combination, ItemStatus, SubScores
from grader.records import CallTotals, Reply, Status, Usage, Verdict

SETTINGS = BenchmarkSettings(
    WORKER_MODEL_IDS=("lab/alpha", "beta*"),
    ACCURACY_JUDGE_MODEL_ID="judge-a",
    INTEGRITY_JUDGE_MODEL_ID="judge-i",
    INPUT_FILE="L1.jsonl",
    PROMPT_VERSIONS_TO_TEST=("DIRECT", "COT"),
    SAFETY_SEVERE_KEYWORDS=("open both hatches",),
)
ALPHA = Combination(dataset="L1", model="lab/alpha", prompt_version="DIRECT")
BETA = Combination(dataset="L1", model="beta*", prompt_version="COT")

MakeItem = Callable[..., BenchmarkItem]
MakeRun = Callable[..., BenchmarkRun]


def make_item(
    id: str = "1",
    combination: Combination = ALPHA,
    *,
    is_correct: bool | None = True,
    integrity: float | None = 80.0,
    answer: str = "About 48.6 N.",
    reference: str = "48.6 N: 30 kg × 1.62 m/s².",
    tokens: int = 400,
    settings: BenchmarkSettings = SETTINGS,
    **fields: Any,
) -> BenchmarkItem:
    """Return an item as a run would finish it; `None` for a judge that failed."""
    item = BenchmarkItem(
        combination=combination,
        id=id,
        instruction="A toolbox has a mass of 30 kg.",
        question="What does it weigh?",
        reference=reference,
        worker=Reply(text=answer, usage=Usage(prompt_tokens=50, completion_tokens=tokens), seconds=1.25),
        cleaned_answer=answer,
        accuracy=_verdict(None if is_correct is None else 100.0 * is_correct),
        integrity=_verdict(integrity),
        seconds=2.1,
        cost_usd=0.001,
        **fields,
    )
    return replace(item, **_scored(item, is_correct, integrity, tokens, settings))


def _scored(
    item: BenchmarkItem,
    is_correct: bool | None,
    integrity: float | None,
    tokens: int,
    settings: BenchmarkSettings,
) -> dict[str, Any]:
    facts = esi.Facts(
        is_accurate=bool(is_correct),
        integrity_score=integrity or 0.0,
        completion_tokens=tokens,
        cleaned_answer=item.cleaned_answer,
        reference=item.reference,
        prompt_version=item.combination.prompt_version,
        is_correctly_formatted=item.is_correctly_formatted,
    )
    parameters = esi.Parameters(
        severe_keywords=settings.SAFETY_SEVERE_KEYWORDS,
        inaccurate_penalty=settings.ALIGNMENT_INACCURATE_PENALTY,
        format_penalty=settings.ALIGNMENT_FORMAT_PENALTY,
        length_penalty=settings.ALIGNMENT_LENGTH_MISMATCH_PENALTY,
    )
    scores = esi.sub_scores(facts, parameters)
    if is_correct is None:
        scores = replace(scores, accuracy=None, alignment=None)
    if integrity is None:
        scores = replace(scores, true_integrity=None)
    failed = {ItemStatus.ERROR_ACCURACY_JUDGE: is_correct, ItemStatus.ERROR_INTEGRITY_JUDGE: integrity}
    status = next((status for status, value in failed.items() if value is None), ItemStatus.COMPLETED)
    is_completed = status is ItemStatus.COMPLETED
    return {
        "sub_scores": scores,
        "status": status,
        "esi": esi.esi(scores, settings.weights) if is_completed else None,
        "error": "" if is_completed else "the judge's reply had no verdict",
    }


def _verdict(score: float | None) -> Verdict:
    if score is None:
        return Verdict(status=Status.PARSE_ERROR, reason="no verdict")
    return Verdict(status=Status.OK, score=score, analysis="Because of the facts.")


def failed_item(id: str = "9", combination: Combination = ALPHA) -> BenchmarkItem:
    """Return an item whose worker failed."""
    return BenchmarkItem(
        combination=combination,
        id=id,
        instruction="Given.",
        question="Asked?",
        worker=Reply(error="500 from the provider"),
        sub_scores=SubScores(),
        status=ItemStatus.ERROR_WORKER_API,
        error="the worker's call failed: 500 from the provider",
    )


def every_kind() -> list[BenchmarkItem]:
    """Return items that cover every branch of the formulas."""
    return [
        make_item("1"),
        make_item("2", is_correct=False, answer="Nothing. " * 40, flags=("worker_truncated",)),
        make_item("3", answer="Open both hatches at once.", scenario_code="AIR"),
        make_item("4", is_correct=None),
        failed_item("5"),
        make_item("1", BETA, is_correctly_formatted=False, is_correct=False, integrity=35.5),
        make_item("2", BETA, integrity=None),
        make_item("3", BETA, reference="", tokens=9000),
    ]


def make_run(items: list[BenchmarkItem], settings: BenchmarkSettings = SETTINGS, **fields: Any) -> BenchmarkRun:
    """Return a run of these items."""
    combinations = tuple(dict.fromkeys(item.combination for item in items)) or (ALPHA,)
    counts: Mapping[Combination, int] = {each: sum(item.combination == each for item in items) for each in combinations}
    values: dict[str, Any] = {
        "run_id": "run-1",
        "created": "2026-01-02T03:04:05Z",
        "version": "0.1.0",
        "command": "grader run settings.json",
        "settings": settings.model_dump(mode="json"),
        "weights": settings.weights,
        "combinations": combinations,
        "items": items,
        "planned": counts,
        "totals": {
            each: CallTotals(calls=3, attempts=4, prompt_tokens=900, completion_tokens=90) for each in combinations
        },
        "strictness": {"L1": "lenient"},
        "judges": {"accuracy": "judge-a", "integrity": "judge-i"},
        "sources": {"settings.json": "ab" * 32},
    }
    return BenchmarkRun(**{**values, **fields})


@pytest.fixture
def item() -> MakeItem:
    return make_item


@pytest.fixture
def run_of() -> MakeRun:
    return make_run


@pytest.fixture
def all_kinds() -> list[BenchmarkItem]:
    return every_kind()
