"""What a report shows of each run, as it is handed to the page; reads and computes nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from grader.outputs.expert_views import ExpertViews
from grader.outputs.summary import Summary
from grader.records import Grade
from grader.rubric import Rubric
from grader.statistics.agreement_records import AgreementReport
from grader.statistics.item_analysis_records import ItemAnalysis

Span = tuple[int, int]
FindSpans = Callable[[str], list[Span]]
"""Where in an answer a quote stands, as begin and end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedRun:
    """One run, summed up, with the grades to be listed."""

    label: str
    """What it is called in the report: short, and no other run's."""
    record: Mapping[str, Any]
    """What summary.json says before its counts."""
    rubric: Rubric
    grades: Collection[Grade]
    views: ExpertViews
    summary: Summary
    agreement: AgreementReport | None
    analysis: ItemAnalysis
    probe: Mapping[str, Any] | None = None
    """What probe.json says, where there is one."""
    comparison: Mapping[str, Any] | None = None
    """What compare.json says, where there is one."""
