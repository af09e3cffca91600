"""Says in words what came back from experts: values, places, and what a sheet has lost; decides nothing."""

from __future__ import annotations

from pathlib import Path

from grader.errors import location
from grader.outputs.graded_workbook.entry_rows import KEY, LostColumns
from grader.records import CellRef, format_number

_MOST_CHARACTERS = 40
"""Of a comment, that are shown."""


def lost_words(lost: LostColumns) -> str:
    """Return what a sheet has lost, and what is to be done."""
    if lost.is_unclear:
        return (
            "it cannot be told whether this is Review or Blind, as columns were renamed or deleted: give them the names"
            " that they have in the run's graded.xlsx"
        )
    if not lost.missing:
        return "the row with the names of the columns is gone: copy it back from the run's graded.xlsx"
    if KEY in lost.missing:
        return (
            "the hidden columns “Key” and “Text hash” are not there any more, by which rows are known: copy the entries"
            " into a copy of the run's graded.xlsx"
        )
    names = " and ".join(f"“{name}”" for name in lost.missing)
    return f"the column {names} is not there any more: name it so again, or copy it back from the run's graded.xlsx"


def shown_value(value: float | bool | None) -> str:
    """Return a score or a verdict as a person writes it."""
    return {True: "met", False: "not met"}[value] if isinstance(value, bool) else format_number(value or 0.0)


def entry_words(value: float | bool | None, comment: str) -> str:
    """Return an entry: `50, “why”`."""
    words = f"“{comment if len(comment) <= _MOST_CHARACTERS else comment[:_MOST_CHARACTERS] + '…'}”" if comment else ""
    return ", ".join(filter(None, ("" if value is None else shown_value(value), words)))


def short_place(cell: CellRef) -> str:
    """Return where a cell is, without the folder."""
    return location(Path(cell.path).name, cell.sheet, cell.cell)
