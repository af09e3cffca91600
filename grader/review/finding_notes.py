"""Says in words what was found in experts' workbooks beside their entries; finds nothing itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grader.errors import location
from grader.records import CellRef
from grader.review.findings import NewOverrides

_MOST_PLACES = 5


def place_notes(found: NewOverrides) -> list[str]:
    """Return in words what is to be said of rows and cells, with their places."""
    told = (
        (found.stale, "made for texts that have changed since: stored as stale, and not counted"),
        (found.unknown, "about rows that this run does not have: stored, and not counted"),
        (found.unplaced, "in rows that do not say what they are about: not stored, they stay in the workbook"),
        (found.keyless, "in rows whose hidden key is gone: taken for the answers that their ID and system show"),
        (found.hashless, "in rows whose hidden text hash is gone: they count where the row shows today's texts"),
        (found.unveiled, "on Blind, in a workbook that shows the judge's score already: counted, but not as blind"),
    )
    notes = list(found.contradictions)
    notes += [
        f"{_counted(len(cells), 'entry', 'entries')} {words} ({_places(cells)})" for cells, words in told if cells
    ]
    if found.changed_judge_cells:
        rows = _counted(len(found.changed_judge_cells), "row", "rows")
        notes.append(
            f"the judge's cells were changed by hand in {rows}: what the judge gave counts, and an expert's score"
            f" belongs under Expert score ({_places(found.changed_judge_cells)})"
        )
    if found.cleared_for_others:
        cells = _counted(len(found.cleared_for_others), "cell was emptied that holds", "cells were emptied that hold")
        notes.append(
            f"{cells} what other experts entered, which stays; to take it back as one of them, say so with"
            f" --reviewer ({_places(found.cleared_for_others)})"
        )
    return notes


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def _places(cells: Sequence[CellRef]) -> str:
    shown = [location(Path(cell.path).name, cell.sheet, cell.cell) for cell in cells[:_MOST_PLACES]]
    return ", ".join(shown) + (" …" if len(cells) > _MOST_PLACES else "")
