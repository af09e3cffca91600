"""What is read from a criteria workbook, whatever its layout; reads nothing itself."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from grader.inputs.spool import Form, Spooled
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


def _pack(row: CriteriaRow) -> tuple[Any, ...]:
    criteria = tuple((each.text, each.number, each.level, each.points, _cell(each.source)) for each in row.criteria)
    others = tuple(map(_cell, row.other_answers))
    fields = dict(row.fields)
    return row.item_id, criteria, row.question, row.reference, row.answer, others, fields, _cell(row.source)


def _unpack(packed: Any) -> CriteriaRow:
    item_id, criteria, question, reference, answer, others, fields, source = packed
    return CriteriaRow(
        item_id=item_id,
        criteria=tuple(
            Criterion(item_id=item_id, text=text, number=number, level=level, points=points, source=_ref(cell))
            for text, number, level, points, cell in criteria
        ),
        question=question,
        reference=reference,
        answer=answer,
        other_answers=tuple(map(_ref, others)),
        fields=fields,
        source=_ref(source),
    )


def _cell(source: CellRef | None) -> tuple[str, str | None, str | None]:
    assert source is not None, "what was read from a workbook has its place"
    return source.path, source.sheet, source.cell


def _ref(cell: tuple[str, str | None, str | None]) -> CellRef:
    path, sheet, name = cell
    return CellRef(path=path, sheet=sheet, cell=name)


def _weigh(row: CriteriaRow) -> int:
    texts = (row.question, row.reference, row.answer or "", *row.fields.values(), *(c.text for c in row.criteria))
    return _ROW_BYTES + _CRITERION_BYTES * len(row.criteria) + sum(map(len, texts))


def _key(row: CriteriaRow) -> str:
    return sys.intern(row.item_id)


_ROW_BYTES, _CRITERION_BYTES = 600, 300
"""About what a row and each of its criteria take beside their texts."""

CriteriaRows = Spooled[CriteriaRow, str]
"""The rows of a workbook; the key of each is its id."""

ROW_FORM = Form(_pack, _unpack, _weigh, _key)


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
    rows: Sequence[CriteriaRow]
    ids: Sequence[str]
    """The id of each row, so that nobody need take a row to know it."""
    notes: tuple[str, ...] = ()
    """What is to be said aloud: rows left out, hidden rows graded, a guessed encoding, the sheet chosen."""
