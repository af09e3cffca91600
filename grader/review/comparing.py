"""What makes two entries about the same, and the same: of rows of a workbook and of stored overrides; reads none."""

from __future__ import annotations

from grader.outputs.expert_scores import criterion_of, override_key
from grader.outputs.graded_workbook.entry_rows import EntryRow
from grader.outputs.graded_workbook.expert_entries import same_score
from grader.records import Override

Value = float | bool | None
Place = tuple[object, ...]
"""Row key, criterion, and whether it is the blind entry: what an override is about."""


def place_of(override: Override) -> Place:
    """Return what an override is about."""
    return override_key(override), criterion_of(override), override.is_blind


def place_of_row(row: EntryRow) -> Place:
    """Return what an entry in a row is about."""
    return row.key, row.criterion, row.kind == "blind"


def said_by(override: Override) -> tuple[object, ...]:
    """Return what makes two entries one: the same words of the same person, saved at the same moment."""
    value = (override.score, override.met, override.comment)
    return (*place_of(override), override.reviewer, override.text_hash, override.entered, *value)


def value_of(override: Override) -> Value:
    """Return the verdict of an override, or its score."""
    return override.met if override.met is not None else override.score


def is_same(one: Value, other: Value) -> bool:
    """Return whether two scores or verdicts are one."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return same_score(one, other)
