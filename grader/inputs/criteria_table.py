"""What is read from a criteria workbook, whatever its layout; reads nothing itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from grader.records import CellRef, Criterion

Layout = Literal["tiered", "points", "questions"]
"""One column per level; one row per criterion; or one row per question, without criteria."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriteriaRow:
    """One question of the workbook with its criteria, in sheet order."""

    item_id: str
    criteria: tuple[Criterion, ...]
    question: str = ""
    reference: str = ""
    answer: str | None = None
    """`None` where the workbook has no answer column."""
    other_answers: tuple[CellRef, ...] = ()
    """Cells under the same id whose answer is another one; they matter only where the workbook's answers count."""
    fields: Mapping[str, str] = field(default_factory=dict)
    source: CellRef
    """The cell of its id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriteriaTable:
    """The criteria of one workbook, in sheet order."""

    path: str
    sheet: str | None
    """`None` for a text table, which has no sheets."""
    header_row: int
    """As the spreadsheet counts, from 1."""
    columns: Mapping[str, str]
    """Column letters by field name, and by level (`"25"`)."""
    layout: Layout
    rows: tuple[CriteriaRow, ...]
    notes: tuple[str, ...] = ()
    """What is to be said aloud: rows left out, hidden rows graded, a guessed encoding, the sheet chosen."""
