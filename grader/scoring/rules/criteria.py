"""What the rules share whose judge answers criterion by criterion: who was answered, and whether quotes are real."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from grader.plain_text import normalise
from grader.records import Criterion, CriterionVerdict, Item
from grader.rubric import Rubric
from grader.scoring.numbers import parse_integer, parse_level
from grader.scoring.reading import Reading, UnreadableReply
from grader.scoring.rules.boolean import as_boolean

_Key = tuple[float | None, int]
"""Level and number of a criterion."""

_ELLIPSIS = re.compile(r"\[(?:\.{3}|…)\]|\.{3,}|…")
_QUOTES = "\"'“”‘’„«»‹›`「」『』 "


def criterion_verdicts(reading: Reading, item: Item, rubric: Rubric) -> tuple[CriterionVerdict, ...]:
    """Return what the judge said of each criterion, in the item's order.

    Raises:
        UnreadableReply: a criterion is answered not at all or twice, or is unknown, or two lists differ.
    """
    known = {_key(criterion): criterion for criterion in item.criteria}
    lists = [_answers(found, known) for found in reading.values[rubric.output.score]]
    for answers in lists[1:]:
        differing = [_named(key) for key in known if answers[key].met != lists[0][key].met]
        if differing:
            raise UnreadableReply(f"The reply says both met and not met of {', '.join(differing)}.")
    return tuple(lists[-1][key] for key in known)


def _answers(found: Any, known: Mapping[_Key, Criterion]) -> dict[_Key, CriterionVerdict]:
    """Return what one list says of every criterion."""
    answers: dict[_Key, CriterionVerdict] = {}
    for entry in _entries(found):
        verdict = _verdict(entry, has_levels=any(level is not None for level, _ in known))
        key = (verdict.level, verdict.number)
        if key not in known:
            raise UnreadableReply(f"The reply answers {_named(key)}, and there is none.")
        if key in answers:
            raise UnreadableReply(f"The reply answers {_named(key)} twice.")
        answers[key] = verdict
    missing = [_named(key) for key in known if key not in answers]
    if missing:
        raise UnreadableReply(f"The reply says nothing of {', '.join(missing)}.")
    return answers


def has_invented_evidence(verdicts: Sequence[CriterionVerdict], answer: str) -> bool:
    """Return whether a criterion counts as met by a quote that the answer does not hold, or by none."""
    plain = comparable(answer)
    return any(verdict.met and not _occurs(verdict.evidence, plain) for verdict in verdicts)


def is_read_leniently(reading: Reading, rubric: Rubric) -> bool:
    """Return whether the reply was repaired, or has booleans in quotes."""
    entries = [entry for found in reading.values[rubric.output.score] for entry in _entries(found)]
    return reading.is_repaired or any(isinstance(entry.get("met"), str) for entry in entries)


def _entries(found: Any) -> list[Mapping[str, Any]]:
    """Return a list's entries; objects arrive as lists of pairs, so that a key that stands twice is seen."""
    return [_unique(entry) for entry in (found if isinstance(found, list) else [found])]


def _unique(entry: Any) -> Mapping[str, Any]:
    if isinstance(entry, Mapping):
        return entry
    is_pairs = isinstance(entry, list) and all(isinstance(pair, tuple) for pair in entry)
    if not is_pairs or len({key for key, _ in entry}) != len(entry):
        raise UnreadableReply(f"“{str(entry)[:40]}” is not what is wanted for one criterion.")
    return dict(entry)


def _verdict(entry: Mapping[str, Any], *, has_levels: bool) -> CriterionVerdict:
    if "met" not in entry or "item" not in entry or (has_levels and "level" not in entry):
        wanted = "level, item and met" if has_levels else "item and met"
        raise UnreadableReply(f"Every criterion needs {wanted}.")
    return CriterionVerdict(
        level=parse_level(entry["level"]) if has_levels else None,
        number=parse_integer(entry["item"]),
        met=as_boolean(entry["met"]),
        evidence=str(entry.get("evidence") or ""),
    )


def _key(criterion: Criterion) -> _Key:
    return criterion.level, criterion.number


def _named(key: _Key) -> str:
    level, number = key
    return f"criterion {number}" if level is None else f"criterion {number} of level {level:g}"


def evidence_pieces(evidence: str) -> list[str]:
    """Return what a quote holds between its ellipses, as `comparable` has it, each piece once."""
    pieces = dict.fromkeys(comparable(piece.strip().strip(_QUOTES)) for piece in _ELLIPSIS.split(evidence))
    return [piece for piece in pieces if piece]


def _occurs(evidence: str, plain_answer: str) -> bool:
    pieces = evidence_pieces(evidence)
    return bool(pieces) and all(piece in plain_answer for piece in pieces)


def comparable(text: str) -> str:
    """Return text for comparison: white space, case and the marks that fence data off do not count."""
    folded = normalise(text).translate(_SAME_MARKS).casefold()
    return "".join(folded.split())


_SAME_MARKS = str.maketrans({"‹": "<", "›": ">", "“": '"', "”": '"', "‘": "'", "’": "'", "∶": ":"})
