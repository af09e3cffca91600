"""What a check finds and what a rule is; holds no rule and reads nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from grader.errors import location
from grader.records import CellRef


class Severity(StrEnum):
    """Whether grading is refused, or an expert should have a look."""

    ERROR = "error"
    WARNING = "warning"


Part = Literal["table", "rubric", "answers", "matching"]
"""What a rule looks at: the criteria, the rubric with its template, each answers file, or all of these together."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One place at which a rule has something to say; the rule's own fix is the hint unless one is given here."""

    place: CellRef
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One thing that is looked for."""

    id: str
    """Short and stable: people silence a rule by it, and scripts look for it."""
    severity: Severity
    part: Part
    find: Callable[[Any], Iterable[Finding]]
    """Takes the part's view; see `views`."""
    finds: str
    """What it finds, as a sentence for the list of rules."""
    why: str
    fix: str
    stops_scoring: bool = True
    """For an error: whether `score` refuses the workbook because of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A finding with its rule: all that a user is told."""

    rule: str
    severity: Severity
    file: str
    sheet: str | None
    cell: str | None
    """Such as `B7`; `row 3` or `line 12` where it is no single cell."""
    message: str
    hint: str

    @property
    def place(self) -> str:
        """The place inside its file, as Excel writes it: `Sheet!B7`."""
        return "!".join(part for part in (self.sheet, self.cell) if part)

    def __str__(self) -> str:
        where = location(self.file, self.sheet, self.cell)
        return f"{where}: {self.message}"


def as_problem(rule: Rule, finding: Finding) -> Problem:
    """Return what a user is told of a finding."""
    return Problem(
        rule=rule.id,
        severity=rule.severity,
        file=finding.place.path,
        sheet=finding.place.sheet,
        cell=finding.place.cell,
        message=finding.message,
        hint=finding.hint or rule.fix,
    )
