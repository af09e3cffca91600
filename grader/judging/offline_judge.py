"""A judge that needs no network and no key: it matches text, answers in the rubric's output format, and is no LLM."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from grader.judging.judge import Call
from grader.judging.text_matching import THRESHOLD, Match, match_criterion
from grader.plain_text import normalise
from grader.records import Criterion, Item, Reply, format_number
from grader.rubric import Rubric

NOTICE = (
    "Text-matching baseline, no LLM. The terms and words of each criterion were looked up in the answer; it counts as "
    f"met from {THRESHOLD:.0%} of them, by weight, if no term is missing that the question does not name itself."
)
"""The first words of every analysis, so that nobody takes it for a model's opinion."""

_MATCHING_VERSION = 1
"""Part of a call's identity; raise it with any change to the matching, or stored replies will hide the change."""

_LONGEST_TERM = 100
"""Characters of a term that an analysis shows."""

_BRACKETS = str.maketrans("<>", "‹›")


class OfflineJudge:
    """Judges every item on this machine; the default where no model is named."""

    model = "offline"
    is_baseline = True

    def __init__(self, rubric: Rubric) -> None:
        self._rubric = rubric

    def parameters(self, call: Call) -> Mapping[str, Any]:
        """Return the version of the matching and the points, which together decide a reply."""
        return {"matching": _MATCHING_VERSION, "points": self._rubric.options.get("points", {})}

    async def ask(self, call: Call) -> Reply:
        """Return the reply to `call`; no request is made, nothing can fail."""
        return Reply(text=judge_item(call.prompt.item, self._rubric), finish_reason="stop", cost_usd=0.0)

    async def close(self) -> None:
        """Nothing to give back."""


def judge_item(item: Item, rubric: Rubric) -> str:
    """Return the reply to `item` in the form that `rubric` asks of every judge."""
    matches = [
        (criterion, match_criterion(criterion.text, item.answer, question=item.question)) for criterion in item.criteria
    ]
    score, reason = _tier_score(matches, rubric)
    analysis = _harmless("\n".join((NOTICE, *(_described(*match) for match in matches), reason)))
    output = rubric.output
    return f"<{output.analysis}>{analysis}</{output.analysis}>\n<{output.score}>{format_number(score)}</{output.score}>"


def _tier_score(matches: Iterable[tuple[Criterion, Match]], rubric: Rubric) -> tuple[float, str]:
    """Return the score by tiers and the reason for it.

    This repeats what `scoring.rules.tiered` knows: a judge is asked for a total, and judging may not import scoring.
    """
    met = Counter(criterion.level for criterion, match in matches if match.is_met and criterion.level is not None)
    if not met:
        return rubric.scale.min, "No criterion is met."
    level, count = max(met.items())
    points = {float(key): float(value) for key, value in rubric.options.get("points", {}).items()}
    score = min(rubric.scale.max, count * points.get(float(level), float(level)))
    return score, f"Level {format_number(level)} is the highest with a met criterion ({count}), which decides."


def _described(criterion: Criterion, match: Match) -> str:
    """Return what was found of a criterion, in one line."""
    level = f"Level {format_number(criterion.level)}, criterion" if criterion.level is not None else "Criterion"
    verdict = "met" if match.is_met else "not met"
    wish = ", it should not occur" if match.is_negated else ""
    evidence = "; ".join(
        f"{label}: {', '.join(map(_shown, terms))}"
        for label, terms in (("found", match.found), ("in part", match.partly), ("missing", match.missing))
        if terms
    )
    return f"{level} {criterion.number}: {verdict} ({match.coverage:.0%}{wish}). {evidence}".rstrip()


def _shown(term: str) -> str:
    line = " ".join(term.split())
    return f"“{line}”" if len(line) <= _LONGEST_TERM else f"“{line[:_LONGEST_TERM]}…”"


def _harmless(text: str) -> str:
    """Return `text` with nothing in it that a reader could take for a tag, escaped and full-width ones included."""
    return normalise(text).translate(_BRACKETS)
