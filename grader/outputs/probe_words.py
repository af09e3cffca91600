"""The figures of a probe as people read them, the same in the terminal and in the workbook; computes none."""

from __future__ import annotations

from grader.probe_records import CanaryResult, CheckedItem, Outcome, ProbeReport
from grader.records import format_number
from grader.statistics.estimate import Estimate

VERDICTS = {
    Outcome.PASS: "PASS: nothing speaks against this judge with this rubric, as far as so few answers can tell.",
    Outcome.FAIL: "FAIL: do not trust this judge with this rubric before what failed is put right.",
    Outcome.INCONCLUSIVE: "INCONCLUSIVE: too little could be judged, which counts as not passed.",
}
_ONE_SCORE = (
    "INCONCLUSIVE: every answer got the same score, which a judge that reads nothing could give as well; this counts as"
    " not passed. Give references, or real answers of different quality with --answers, and probe again."
)


def verdict_words(report: ProbeReport) -> str:
    """Return what came of the probe, and how much of it was not tested."""
    untested = sum(canary.outcome is Outcome.NOT_TESTED for canary in report.canaries)
    missing = f" {untested} of {len(report.canaries)} canaries could not be tested." if untested else ""
    # No canary is inconclusive by itself where it is the sameness of all scores that leaves the outcome open.
    is_open = report.outcome is Outcome.INCONCLUSIVE
    is_one_score = is_open and all(canary.outcome is not Outcome.INCONCLUSIVE for canary in report.canaries)
    return (_ONE_SCORE if is_one_score else VERDICTS[report.outcome]) + missing


def failure_words(canary: CanaryResult) -> str:
    """Return how many of the usable answers failed: `1 of 25 (1 to 20 %)`, `0 of 25 (at most 12 %)`."""
    rate = canary.failures
    if rate.value is None:
        return "–"
    count = f"{len(canary.failed)} of {rate.n}"
    if canary.at_most is not None:
        return f"{count} (at most {100 * canary.at_most:.0f} %)"
    return f"{count} ({100 * (rate.low or 0):.0f} to {100 * (rate.high or 0):.0f} %)"


def margin_words(canary: CanaryResult) -> str:
    """Return the room that is left, in hundredths of the scale."""
    return "–" if canary.margin is None else f"{round(100 * canary.margin) + 0:+d} %"


def detail_words(canary: CanaryResult) -> str:
    """Return what else there is to say: why nothing was tested, or the figures behind a mean."""
    words = [canary.reason] if canary.reason else []
    mean, area = canary.figures.get("mean_share"), canary.figures.get("auc")
    if mean is not None and mean.value is not None:
        words.append(f"mean {100 * mean.value:.0f} % of what is in reach{_between(mean, 100, 0)}")
    if area is not None:
        words.append(f"AUC {area.reason}" if area.value is None else f"AUC {area.value:.2f}{_between(area, 1, 2)}")
    unusable = len(canary.unusable)
    if unusable:
        words.append(f"{unusable} not usable")
    return "; ".join(words)


def _between(estimate: Estimate, factor: float, decimals: int) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f" ({factor * estimate.low:.{decimals}f} to {factor * estimate.high:.{decimals}f})"


def item_words(item: CheckedItem) -> tuple[str, str, str, str]:
    """Return an answer's id and kind, its score, and what that should be."""
    score = "–" if item.score is None else format_number(round(item.score, 4))
    return item.id, item.variant, score, item.expected
