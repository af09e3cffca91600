"""The record of what came back from experts, beside what is to be said of it; it does nothing itself."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from grader.records import CellRef, Override


@dataclass(slots=True)
class NewOverrides:
    """What came back, and what is to be said of it."""

    overrides: list[Override] = field(default_factory=list)
    problems: list[tuple[CellRef, str]] = field(default_factory=list)
    """Cells that cannot be stored; where there is one, nothing is."""
    stale: list[CellRef] = field(default_factory=list)
    """New entries made for texts that have changed since."""
    unknown: list[CellRef] = field(default_factory=list)
    """New entries about rows that the run does not have, or no longer: they are stored and count for nothing."""
    unplaced: list[CellRef] = field(default_factory=list)
    """Entries about rows of other runs that do not say what they are about: they stay in their workbook."""
    keyless: list[CellRef] = field(default_factory=list)
    """Entries in rows whose key is gone, which were known by what they show."""
    hashless: list[CellRef] = field(default_factory=list)
    """Entries in rows whose text hash is gone."""
    unveiled: list[CellRef] = field(default_factory=list)
    """New scores on Blind where the judge's were shown already."""
    contradictions: list[str] = field(default_factory=list)
    """What one reviewer says in one workbook and otherwise in another, in words."""
    changed_judge_cells: list[CellRef] = field(default_factory=list)
    counts: dict[Path, Counter[str]] = field(default_factory=dict)
    """By file what is new in it: `score`, `blind score`, `verdict`, `comment`, and `taken back`."""
    cleared_for_others: list[CellRef] = field(default_factory=list)
    """Cells that were emptied by somebody who had entered nothing there: what others entered stays."""
