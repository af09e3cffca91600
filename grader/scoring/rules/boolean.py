"""The rule of yes-or-no types such as accuracy: true is the top of the scale, false its floor."""

from __future__ import annotations

from typing import Any

from grader.records import Item, Status, Verdict
from grader.rubric import Rubric
from grader.scoring.reading import Reading, UnreadableReply

_WORDS = {"true": True, "false": False}


def score_boolean(reading: Reading, item: Item, rubric: Rubric) -> Verdict:
    """Return the scale's top for true and its floor for false; the words in quotes count as repaired.

    Raises:
        UnreadableReply: it is not one boolean.
    """
    found = reading.values[rubric.output.score]
    booleans = {as_boolean(value) for value in found}
    if len(booleans) != 1:
        raise UnreadableReply(f"The reply says both true and false for “{rubric.output.score}”.")
    is_repaired = reading.is_repaired or any(isinstance(value, str) for value in found)
    return Verdict(
        status=Status.REPAIRED if is_repaired else Status.OK,
        score=rubric.scale.max if booleans.pop() else rubric.scale.min,
        analysis=reading.analysis,
    )


def as_boolean(value: Any) -> bool:
    """Return the boolean that a JSON value is, `"true"` and `"false"` included.

    Raises:
        UnreadableReply: it is anything else; 1 is no boolean.
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().casefold() in _WORDS:
        return _WORDS[value.strip().casefold()]
    raise UnreadableReply(f"“{str(value)[:40]}” is neither true nor false.")
