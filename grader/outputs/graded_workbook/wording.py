"""Statuses, flags and criteria in an expert's words; decides nothing about them."""

from __future__ import annotations

from collections.abc import Iterable

from grader.records import Criterion, CriterionVerdict, Item, Status, Verdict, format_number

STATUS_WORDS = {
    Status.OK: "Scored",
    Status.REPAIRED: "Scored, though the reply was not quite in the asked form",
    Status.PARSE_ERROR: "Not scored: no clear verdict in the judge's reply",
    Status.OUT_OF_RANGE: "Not scored: the judge's number is off the scale",
    Status.TRUNCATED: "Not scored: the judge's reply was cut off",
    Status.EMPTY_REPLY: "Not scored: the judge's reply was empty",
    Status.REFUSED: "Not scored: the judge refused",
    Status.CONTENT_FILTER: "Not scored: stopped by the provider's content filter",
    Status.PROVIDER_ERROR: "Not scored: the call to the judge failed",
    Status.SKIPPED: "Not scored: skipped",
}

FLAG_WORDS = {
    "empty_answer": "The answer is empty: lowest score, without asking the judge",
    "unreachable_score": "These criteria cannot give this score",
    "evidence_not_found": "A quote given as evidence is not in the answer",
    "no_context": "No context was given",
    "capped": "Limited because accuracy is low",
    "final_recomputed": "The judge's own total was wrong and has been recomputed",
    "suspicious": "The answer seems to address the judge",
}


def verdict_words(verdict: Verdict) -> str:
    """Return a verdict in plain words, one line each for its status, flags, partial scores and criteria."""
    lines = [_reached(verdict) or STATUS_WORDS[verdict.status], *map(flag_words, verdict.flags)]
    if verdict.reason:
        lines.append(verdict.reason)
    lines += [f"{_titled(name)}: {format_number(value)}" for name, value in verdict.dimensions.items()]
    lines += [criteria_words(verdict.items, is_met) for is_met in (True, False)]
    return "\n".join(line for line in lines if line)


def _reached(verdict: Verdict) -> str:
    """Return which level the criteria put a plainly scored answer on; empty where there are no levels."""
    levels = [item.level for item in verdict.items if item.level is not None and item.met]
    if verdict.status is not Status.OK or not any(item.level is not None for item in verdict.items):
        return ""
    return f"Reached level {format_number(max(levels))}" if levels else "Reached no level"


def flag_words(flag: str) -> str:
    """Return a flag in plain words; one without words of its own is read as a phrase."""
    return FLAG_WORDS.get(flag, _titled(flag))


def criteria_words(items: Iterable[CriterionVerdict], is_met: bool) -> str:
    """Return which criteria are met, or not, by their labels; empty where there are none."""
    labels = [criterion_label(item.level, item.number) for item in items if item.met is is_met]
    return f"{'Met' if is_met else 'Not met'}: {', '.join(labels)}" if labels else ""


def criterion_label(level: float | None, number: int) -> str:
    """Return `100 (2)` for the second criterion of level 100, `(2)` where there are no levels."""
    return f"({number})" if level is None else f"{format_number(level)} ({number})"


def criteria_text(item: Item) -> str:
    """Return an item's criteria, one per line."""
    return "\n".join(map(_criterion_line, item.criteria))


def _criterion_line(criterion: Criterion) -> str:
    points = "" if criterion.points == 1 else f" [{format_number(criterion.points)} points]"
    return f"{criterion_label(criterion.level, criterion.number)} {criterion.text}{points}"


def _titled(name: str) -> str:
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]
