"""Makes a finished item of what a worker and the judges said: status, sub-scores, ESI; asks nobody."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from grader.benchmark import esi
from grader.benchmark.cleaning import CleanedAnswer, clean_answer
from grader.benchmark.own_sub_scores import P_IRR, JudgedRule, Rule, checked, scaled
from grader.benchmark.planning import BenchmarkJob
from grader.benchmark.settings import BenchmarkSettings
from grader.benchmark_records import SUB_SCORES, BenchmarkItem, ItemStatus, SubScores
from grader.errors import GraderError
from grader.judging.prices import count_tokens
from grader.records import FILTER_REASONS, Grade, Message, Reply

_CUT_REASONS = frozenset({"length", "max_tokens"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What the judges said of one item: of its accuracy, of its integrity, and by users' own rubrics."""

    accuracy: Grade
    integrity: Grade
    own: Mapping[str, Grade] = field(default_factory=dict)
    """By sub-score or `p_irr`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """How items are scored: the formulas' parameters, the weights, and users' own rules."""

    parameters: esi.Parameters
    weights: Mapping[str, float]
    own_rules: Mapping[str, JudgedRule | Rule] = field(default_factory=dict)


def scoring_of(settings: BenchmarkSettings, own_rules: Mapping[str, JudgedRule | Rule]) -> Scoring:
    """Return how items are scored by `settings`."""
    parameters = esi.Parameters(
        token_budget=settings.TOKEN_BUDGET_EFFICIENCY,
        p_irr=settings.P_IRRELEVANT_EFFICIENCY,
        severe_keywords=settings.SAFETY_SEVERE_KEYWORDS,
        inaccurate_penalty=settings.ALIGNMENT_INACCURATE_PENALTY,
        format_penalty=settings.ALIGNMENT_FORMAT_PENALTY,
        length_penalty=settings.ALIGNMENT_LENGTH_MISMATCH_PENALTY,
        most_length_ratio=settings.ALIGNMENT_MAX_LENGTH_RATIO_VS_REF,
    )
    return Scoring(parameters=parameters, weights=settings.weights, own_rules=own_rules)


def begun_item(job: BenchmarkJob) -> BenchmarkItem:
    """Return the item of `job` before anybody was asked; one that lacks a part is skipped, and so finished."""
    item = job.item
    lacks = item.lacks
    return BenchmarkItem(
        combination=job.combination,
        id=item.id,
        instruction=item.instruction,
        question=item.question,
        reference=item.reference,
        scenario_code=item.scenario_code,
        source=item.source,
        status=ItemStatus.SKIPPED_DATA_INCOMPLETE if lacks else ItemStatus.COMPLETED,
        error=f"the item has {lacks}" if lacks else "",
    )


def answered_item(begun: BenchmarkItem, worker: Reply) -> BenchmarkItem:
    """Return the item with its worker's reply, cleaned; where the worker failed it is finished."""
    item = replace(begun, worker=worker, seconds=worker.seconds, cost_usd=worker.cost_usd)
    problem = _worker_problem(worker)
    if problem:
        return replace(item, status=ItemStatus.ERROR_WORKER_API, error=problem)
    cleaned: CleanedAnswer = clean_answer(worker.text, begun.combination.prompt_version)
    return replace(
        item,
        cleaned_answer=cleaned.text,
        is_correctly_formatted=cleaned.is_correctly_formatted,
        flags=tuple(_worker_flags(worker, cleaned)),
    )


def _worker_problem(worker: Reply) -> str:
    if worker.error is not None:
        return f"the worker's call failed: {worker.error}"
    if (worker.finish_reason or "").casefold() in FILTER_REASONS and not worker.text.strip():
        return "a content filter stopped the worker's reply"
    if worker.finish_reason is None and not (worker.text or worker.refusal):
        return "the worker's endpoint sent no reply: there is no choice in its answer"
    return ""


def _worker_flags(worker: Reply, cleaned: CleanedAnswer) -> Iterable[str]:
    if not cleaned.text:
        yield "empty_answer"
    if (worker.finish_reason or "").casefold() in _CUT_REASONS:
        yield "worker_truncated"
    if not _has_count(worker):
        yield "tokens_estimated"


def judged_item(item: BenchmarkItem, judged: Judged, scoring: Scoring) -> BenchmarkItem:
    """Return the item finished: verdicts, sub-scores, and the ESI where everything could be had."""
    grades = (judged.accuracy, judged.integrity, *judged.own.values())
    replies = [reply for grade in grades for reply in grade.replies]
    costs = [item.cost_usd, *(reply.cost_usd for reply in replies)]
    scores, own_problem = _scores(item, judged, scoring)
    status, error = _status(judged, own_problem)
    return replace(
        item,
        accuracy=judged.accuracy.verdict,
        accuracy_reply=_deciding_reply(judged.accuracy),
        integrity=judged.integrity.verdict,
        integrity_reply=_deciding_reply(judged.integrity),
        sub_scores=scores,
        esi=esi.esi(scores, scoring.weights) if status is ItemStatus.COMPLETED else None,
        status=status,
        error=error,
        seconds=item.seconds + sum(reply.seconds for reply in replies),
        cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
    )


def _status(judged: Judged, own_problem: str) -> tuple[ItemStatus, str]:
    """Return the first failure on the way, else COMPLETED."""
    if judged.accuracy.verdict.score is None:
        return ItemStatus.ERROR_ACCURACY_JUDGE, f"accuracy judge: {_why(judged.accuracy)}"
    if judged.integrity.verdict.score is None:
        return ItemStatus.ERROR_INTEGRITY_JUDGE, f"integrity judge: {_why(judged.integrity)}"
    if own_problem:
        return ItemStatus.ERROR_SUB_SCORE, own_problem
    return ItemStatus.COMPLETED, ""


def _why(grade: Grade) -> str:
    last = grade.replies[-1].error if grade.replies else None
    return f"{grade.verdict.status}: {last or grade.verdict.reason or 'no verdict'}"


def _deciding_reply(grade: Grade) -> Reply | None:
    """Return the reply that the verdict was read from, else the last one."""
    key = grade.verdict.reply_key
    return next((reply for reply in grade.replies if reply.key == key), grade.replies[-1] if grade.replies else None)


def _scores(item: BenchmarkItem, judged: Judged, scoring: Scoring) -> tuple[SubScores, str]:
    """Return the sub-scores that could be had, and why one of the user's own could not."""
    accuracy, integrity = judged.accuracy.verdict.score, judged.integrity.verdict.score
    facts = esi.Facts(
        is_accurate=accuracy == 100,
        integrity_score=integrity or 0.0,
        completion_tokens=_completion_tokens(item.worker),
        cleaned_answer=item.cleaned_answer,
        reference=item.reference,
        prompt_version=item.combination.prompt_version,
        is_correctly_formatted=item.is_correctly_formatted,
    )
    problem = ""
    try:
        scores = _with_own(facts, judged, scoring)
    except GraderError as error:
        scores, problem = esi.sub_scores(facts, scoring.parameters), error.message
        unknown = {"efficiency" if name == P_IRR else name for name in scoring.own_rules}
        scores = replace(scores, **dict.fromkeys(unknown & set(SUB_SCORES)))
    if accuracy is None:  # alignment takes accuracy for granted
        scores = replace(scores, accuracy=None, alignment=None)
    return (replace(scores, true_integrity=None) if integrity is None else scores), problem


def _with_own(facts: esi.Facts, judged: Judged, scoring: Scoring) -> SubScores:
    parameters = scoring.parameters
    scores = esi.sub_scores(facts, parameters)
    values = {name: _own_value(name, rule, facts, scores, judged) for name, rule in scoring.own_rules.items()}
    if P_IRR in values:
        scores = esi.sub_scores(facts, replace(parameters, p_irr=values.pop(P_IRR)))
    return replace(scores, **values)


def _own_value(name: str, rule: JudgedRule | Rule, facts: esi.Facts, scores: SubScores, judged: Judged) -> float:
    if isinstance(rule, JudgedRule):
        grade = judged.own[name]
        if grade.verdict.score is None:
            raise GraderError(f"{name} by {rule.rubric.name}: {_why(grade)}")
        value = scaled(grade.verdict.score, rule.rubric)
        return value / 100 if name == P_IRR else value
    try:
        return checked(name, rule(facts, scores))
    except GraderError:
        raise
    except Exception as error:  # a package of somebody else's: whatever it raises is its fault
        raise GraderError(f"the rule for {name} failed: {type(error).__name__}: {error}") from error


def _has_count(worker: Reply) -> bool:
    """Whether the provider counted the reply's tokens; LiteLLM says 0 where it did not."""
    return worker.usage is not None and (worker.usage.completion_tokens > 0 or not worker.text)


def _completion_tokens(worker: Reply | None) -> int:
    """Return T_used: the provider's count, or ours where it gave none (flag `tokens_estimated`)."""
    if worker is None:
        return 0
    if worker.usage is not None and _has_count(worker):
        return worker.usage.completion_tokens
    return count_tokens([Message(role="assistant", content=worker.text)]) if worker.text else 0
