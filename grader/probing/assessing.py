"""Says what each canary showed, from the grades of its answers; pure, and asks nobody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from grader.probe_records import CanaryResult, CheckedItem, Outcome
from grader.probing.canaries import CANARIES, ENOUGH, HIGH_SHARE, LEAST_AREA, LOW_SHARE, Canary
from grader.probing.design import Check, Design, Expectation
from grader.records import Grade, Status, format_number
from grader.rubric import Scale
from grader.statistics.auc import area_under_curve
from grader.statistics.estimate import Estimate
from grader.statistics.means import mean_of
from grader.statistics.proportions import proportion

_NEAR = 1e-9
_BY_MEAN = ("reference", "other-answers")
"""Canaries that pass by a mean."""

_NOT_REACHED = "not judged: the probe stopped before it"
_RATE = "share of the answers not scored as they should be"


def assess(
    design: Design, grades: Mapping[int, Grade], readable: Mapping[int, bool], scale: Scale
) -> list[CanaryResult]:
    """Return what every canary showed, in the order of the table.

    `grades` are by the place of their job; `readable` says of each whether its first reply could be read.
    """
    results = [_format_result(design, grades, readable)]
    for canary in CANARIES[1:]:
        checks = [check for check in design.checks if check.canary == canary.name]
        items = tuple(_checked(check, design, grades, scale) for check in checks)
        if not checks:
            results.append(_untested(canary, design.untested[canary.name]))
        elif canary.name in _BY_MEAN:
            results.append(_by_mean(canary, items, _shares(design, grades, scale)))
        else:
            results.append(_all(canary, items))
    return results


def overall(results: Sequence[CanaryResult]) -> Outcome:
    """Return what came of the whole probe: what failed outweighs what is inconclusive."""
    outcomes = {result.outcome for result in results}
    return next(each for each in (Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.PASS) if each in outcomes)


def slack(scale: Scale) -> float:
    """Return a tenth of the scale, in whole steps where it has steps: none on a scale of five."""
    tenth = (scale.max - scale.min) / 10
    return tenth if scale.step is None else scale.step * round(tenth / scale.step)


def _format_result(design: Design, grades: Mapping[int, Grade], readable: Mapping[int, bool]) -> CanaryResult:
    items = []
    for job in design.jobs:
        grade = grades.get(job.position)
        failure = _failed_call(grade)
        items.append(
            CheckedItem(
                id=job.item.id,
                variant=job.item.system,
                answer=job.item.answer,
                expected="readable at the first asking",
                score=grade.verdict.score if grade else None,
                has_passed=None if failure else readable[job.position],
                status=str(grade.verdict.status) if grade else "",
                reason=failure or ("" if readable[job.position] else _unreadable(grade)),
                reply_keys=_keys(grade),
            )
        )
    return _all(CANARIES[0], tuple(items))


def _failed_call(grade: Grade | None) -> str:
    """Return why there is no reply at all; "" where there is one, readable or not."""
    if grade is None:
        return _NOT_REACHED
    return grade.verdict.reason or "the call failed" if grade.verdict.status is Status.PROVIDER_ERROR else ""


def _unreadable(grade: Grade | None) -> str:
    asked = len(grade.replies) if grade else 0
    return (grade and grade.verdict.reason) or f"asked {asked} times until it could be read"


def _checked(check: Check, design: Design, grades: Mapping[int, Grade], scale: Scale) -> CheckedItem:
    item = design.jobs[check.position].item
    grade = grades.get(check.position)
    base = grades.get(check.base) if check.base is not None else None
    score = grade.verdict.score if grade else None
    base_score = base.verdict.score if base else None
    expected, low, high = _limits(check, base_score, scale)
    found = CheckedItem(
        id=item.id,
        variant=check.variant,
        answer=item.answer,
        expected=expected,
        score=score,
        base_score=base_score,
        status=str(grade.verdict.status) if grade else "",
        reply_keys=_keys(grade),
        base_reply_keys=_keys(base),
    )
    reason = _unusable(check, grade, base, score, base_score, scale)
    if reason or score is None:
        return replace(found, reason=reason)
    margin = min(score - low, high - score) / (scale.max - scale.min)
    return replace(found, margin=round(margin, 9), has_passed=margin >= -_NEAR)


def _limits(check: Check, base: float | None, scale: Scale) -> tuple[str, float, float]:
    """Return between which scores one passes, and that in words."""
    span, near = check.ceiling - scale.min, slack(scale)
    base = scale.min if base is None else base
    top, bottom = float("inf"), float("-inf")
    match check.expectation:
        case Expectation.FLOOR:
            high = scale.min + near
            return f"at most {_said(high)}", bottom, high
        case Expectation.HIGH:
            low = scale.min + HIGH_SHARE * span
            return f"at least {_said(low)}", low, top
        case Expectation.LOW:
            high = scale.min + LOW_SHARE * span
            return f"at most {_said(high)}", bottom, high
        case Expectation.NO_RISE:
            return f"at most {_said(base + near)}, without it {_said(base)}", bottom, base + near
        case Expectation.SAME:
            near = max(near, scale.step or 0.0)
    within = f" ± {_said(near)}" if near else ""
    return f"{_said(base)}{within}", base - near, base + near


def _unusable(
    check: Check, grade: Grade | None, base: Grade | None, score: float | None, base_score: float | None, scale: Scale
) -> str:
    """Return why a check says nothing; "" where it does."""
    if score is None:
        return _no_score(grade)
    if check.base is None:
        return ""
    if base_score is None:
        return f"nothing to compare it with: {_no_score(base)}"
    if check.expectation is Expectation.NO_RISE and base_score > (scale.min + scale.max) / 2:
        return f"the wrong answer alone gets {_said(base_score)}: that it rises could not be seen"
    return ""


def _no_score(grade: Grade | None) -> str:
    return (grade.verdict.reason or str(grade.verdict.status)) if grade else _NOT_REACHED


def _all(canary: Canary, items: tuple[CheckedItem, ...]) -> CanaryResult:
    """Return a result that passes where every usable answer does."""
    usable = [item for item in items if item.has_passed is not None]
    failed = sum(item.has_passed is False for item in usable)
    margins = [item.margin for item in usable if item.margin is not None]
    return _result(canary, items, is_failed=failed > 0, margin=min(margins, default=None))


def _by_mean(canary: Canary, items: tuple[CheckedItem, ...], shares: Mapping[str, list[float]]) -> CanaryResult:
    """Return a result that passes by the mean, and for answers to other questions also by the area under the curve."""
    mean = _on_scale(mean_of(shares[canary.name], "answer"))
    figures = {"mean_share": mean}
    if mean.value is None:
        return _result(canary, items, is_failed=False, margin=None, figures=figures)
    margin = mean.value - HIGH_SHARE
    if canary.name == "other-answers":
        area = area_under_curve(shares["reference"], shares["other-answers"])
        figures["auc"] = area
        margins = [LOW_SHARE - mean.value, *([] if area.value is None else [area.value - LEAST_AREA])]
        margin = min(margins)
    return _result(canary, items, is_failed=margin < -_NEAR, margin=round(margin, 9), figures=figures)


def _on_scale(mean: Estimate) -> Estimate:
    """Return the mean of shares, its interval cut where the scale ends."""
    if mean.low is None or mean.high is None:
        return mean
    return replace(mean, low=max(0.0, mean.low), high=min(1.0, mean.high), method=f"{mean.method}, within the scale")


def _shares(design: Design, grades: Mapping[int, Grade], scale: Scale) -> dict[str, list[float]]:
    """Return the scores as shares of what is in reach, by the canaries that pass by a mean."""
    shares: dict[str, list[float]] = {name: [] for name in _BY_MEAN}
    for check in design.checks:
        grade = grades.get(check.position)
        if check.canary in shares and grade is not None and grade.verdict.score is not None:
            shares[check.canary].append((grade.verdict.score - scale.min) / (check.ceiling - scale.min))
    return shares


def _result(
    canary: Canary,
    items: tuple[CheckedItem, ...],
    *,
    is_failed: bool,
    margin: float | None,
    figures: Mapping[str, Estimate] | None = None,
) -> CanaryResult:
    usable = [item for item in items if item.has_passed is not None]
    failures = sum(item.has_passed is False for item in usable)
    outcome, reason = Outcome.FAIL if is_failed else Outcome.PASS, ""
    if not is_failed and (not usable or len(usable) < ENOUGH * len(items)):
        outcome = Outcome.INCONCLUSIVE
        reason = f"only {len(usable)} of {len(items)} answers could be used"
    rate = proportion(failures, len(usable), _RATE)
    if not usable:
        rate = replace(rate, reason="not computable: no answer could be used")
    return CanaryResult(
        name=canary.name,
        title=canary.title,
        wants=canary.wants,
        outcome=outcome,
        failures=rate,
        at_most=min(1.0, 3 / len(usable)) if usable and not failures else None,
        margin=margin,
        planned=len(items),
        figures=figures or {},
        items=items,
        reason=reason,
    )


def _untested(canary: Canary, reason: str) -> CanaryResult:
    rate = Estimate(n=0, value=None, method=_RATE, reason=f"not tested: {reason}")
    return CanaryResult(
        name=canary.name,
        title=canary.title,
        wants=canary.wants,
        outcome=Outcome.NOT_TESTED,
        failures=rate,
        reason=reason,
    )


def _keys(grade: Grade | None) -> tuple[str, ...]:
    return tuple(reply.key for reply in grade.replies) if grade else ()


def _said(score: float) -> str:
    return format_number(round(score, 4))
