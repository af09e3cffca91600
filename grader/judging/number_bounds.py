"""Reads what a criterion demands of a number: `larger than 30`, `(X is a number from 1 to 9)`; compares, no more."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

_RELATIONS: tuple[tuple[str, Callable[[float, float], bool]], ...] = (
    (r"(?:greater|larger|more|higher|bigger) than or equal to|at least|no less than|mindestens|>=|≥|以上", operator.ge),
    (r"(?:less|smaller|lower|fewer) than or equal to|at most|no more than|höchstens|<=|≤", operator.le),
    (r"(?:greater|larger|more|higher|bigger) than|above|exceeding|(?:größer|mehr) als|>|大于|超过", operator.gt),
    (r"(?:less|smaller|lower|fewer) than|below|(?:kleiner|weniger) als|<|小于", operator.lt),
)
"""Words for a relation, the ones that contain another's first."""

BOUND = re.compile("(?:" + "|".join(f"({words})" for words, _ in _RELATIONS) + r") ?(-?\d+(?:\.\d+)?)", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"\(?(?<!\w)(\^|[A-Za-z]{1,2}|<[^<>]+>) (?:is|are|indicates|means|denotes|stands for|=) "
    r"(?:an?|any|some) (?:\w+ )?(?:number|value|integer)\b([^()]*)\)?"
)
"""`(X indicates a number greater than 1000)`: the placeholder's name, and what is said of it."""

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?")
_PLAIN_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Bound:
    """One demand on a number, such as `larger than 30`."""

    text: str
    compare: Callable[[float, float], bool]
    limit: float

    def holds(self, number: float) -> bool:
        """Return whether `number` satisfies it."""
        return self.compare(number, self.limit)


def find_bound(text: str) -> Bound | None:
    """Return the first demand on a number in `text`."""
    match = BOUND.search(text)
    return read_bound(match) if match else None


def read_bound(match: re.Match[str]) -> Bound:
    """Return the demand that `BOUND` matched."""
    limit = float(match[len(_RELATIONS) + 1])
    compare = next(compare for found, (_, compare) in zip(match.groups(), _RELATIONS, strict=False) if found)
    return Bound(match[0], compare, limit)


def exactly(text: str) -> Bound | None:
    """Return the demand for the very number that `text` is, so that 0.40 is 0.4; `None` where it is no number."""
    return Bound(text, operator.eq, float(text)) if _PLAIN_NUMBER.fullmatch(text) else None


def cut_placeholders(text: str) -> tuple[str, dict[str, Bound | None]]:
    """Return `text` without the explanations of its placeholders, and each placeholder's bound by its name."""
    placeholders = {match[1]: find_bound(match[2]) for match in _PLACEHOLDER.finditer(text)}
    return (_PLACEHOLDER.sub(" ", text) if placeholders else text), placeholders
