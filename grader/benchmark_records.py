"""The frozen records of a benchmark: combinations, finished items, and a whole run; they compute and write nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from grader.records import CallTotals, CellRef, Reply, Verdict

SUB_SCORES = ("accuracy", "true_integrity", "efficiency", "safety", "alignment")
"""The parts of the ESI in the order in which they are always shown; also the fields of `SubScores`."""


class ItemStatus(StrEnum):
    """How an item of a benchmark ended, exactly one per item; only COMPLETED carries an ESI."""

    COMPLETED = "COMPLETED"
    ERROR_WORKER_API = "ERROR_WORKER_API"
    ERROR_ACCURACY_JUDGE = "ERROR_ACCURACY_JUDGE"
    ERROR_INTEGRITY_JUDGE = "ERROR_INTEGRITY_JUDGE"
    ERROR_SUB_SCORE = "ERROR_SUB_SCORE"
    """A sub-score that the user computes by a rule of their own could not be had."""
    SKIPPED_DATA_INCOMPLETE = "SKIPPED_DATA_INCOMPLETE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Combination:
    """One dataset answered by one worker model under one version of the worker's prompt."""

    dataset: str
    """The dataset's short name, such as `L1`."""
    model: str
    """The worker model as the settings name it, such as `internlm/x`."""
    prompt_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SubScores:
    """The parts of an item's ESI, each 0–100, or `None` where it could not be had."""

    accuracy: float | None = None
    true_integrity: float | None = None
    efficiency: float | None = None
    safety: float | None = None
    alignment: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkItem:
    """One finished item: what was asked, what the worker answered, what the judges said, and what it comes to."""

    combination: Combination
    id: str
    instruction: str = ""
    question: str = ""
    reference: str = ""
    """Empty where the dataset has none."""
    scenario_code: str = ""
    worker: Reply | None = None
    """The worker's reply, its whole text included; with an `error` where it failed, `None` where it was not asked."""
    cleaned_answer: str = ""
    is_correctly_formatted: bool = True
    """False only for COT without its `Final Answer:` line."""
    accuracy: Verdict | None = None
    """Score 100 or 0; `None` where the judge was not asked. Its `analysis` is the judge's reasoning."""
    accuracy_reply: Reply | None = None
    """The reply that the verdict was read from; `None` where no call was needed (an empty answer)."""
    integrity: Verdict | None = None
    integrity_reply: Reply | None = None
    sub_scores: SubScores = field(default_factory=SubScores)
    esi: float | None = None
    """0–100, unrounded; `None` unless the status is COMPLETED."""
    status: str = ItemStatus.COMPLETED
    error: str = ""
    """Why there is no ESI, in one sentence; keys redacted."""
    seconds: float = 0.0
    """Of all calls for this item that have a reply, the worker's and the judges', added up."""
    cost_usd: float | None = None
    """Of the same calls; `None` where a price is not known."""
    flags: tuple[str, ...] = ()
    """Such as `empty_answer`; those of the verdicts are in the verdicts."""
    source: CellRef | None = None
    """The line or row of the dataset's file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedLine:
    """A line of a dataset that could not be read at all, so that it never became an item."""

    dataset: str
    source: CellRef
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkRun:
    """A whole benchmark, finished or stopped: what its workbook and its summaries are written from."""

    run_id: str
    created: str
    """ISO 8601, UTC."""
    version: str
    """Of grader, such as `0.1.0`."""
    command: str
    """The command line that goes on with the run; keys redacted."""
    settings: Mapping[str, Any]
    """The settings as used, by their keys in the file, defaults filled in, without tokens."""
    weights: Mapping[str, float]
    """By the names in SUB_SCORES, normalised to sum 1."""
    combinations: tuple[Combination, ...]
    """In the order of the settings: dataset, then model, then prompt version."""
    items: Iterable[BenchmarkItem]
    """All finished items by combination, then in the order of the dataset; can be gone through again."""
    planned: Mapping[Combination, int]
    """How many items each combination has; a stopped run has finished fewer."""
    skipped: tuple[SkippedLine, ...] = ()
    totals: Mapping[Combination, CallTotals] = field(default_factory=dict)
    """What the calls of a combination took, in every go, failed ones and re-asks included."""
    strictness: Mapping[str, str] = field(default_factory=dict)
    """Of the accuracy judge: lenient, balanced or strict, by dataset."""
    judges: Mapping[str, str] = field(default_factory=dict)
    """The judges' models by rubric: `accuracy`, `integrity`."""
    is_baseline: bool = False
    """Whether any judge or worker only matches text and is no LLM, which every output must say."""
    notes: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of settings, datasets, templates and rubrics, by path."""
