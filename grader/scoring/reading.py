"""What a reader of one output format hands to a rule, or why it could not read anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grader.records import Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The parts of a reply by name, and the judge's reasons."""

    values: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """For each part everything that the reply gives for it, as text or JSON; several must mean the same."""
    analysis: str = ""
    is_repaired: bool = False
    """Whether the lenient step was needed."""

    @property
    def status(self) -> Status:
        """The status of a verdict that rests on this reading."""
        return Status.REPAIRED if self.is_repaired else Status.OK


class UnreadableReply(Exception):
    """A reply that carries no verdict; `status` says of which kind, the text says why in one sentence."""

    def __init__(self, reason: str, *, status: Status = Status.PARSE_ERROR, analysis: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status
        self.analysis = analysis
