"""Reads the expert's criteria workbook: finds the sheet, its header and its layout; knows nothing of answers files.

A layout is a module of its own (`tiered_layout`), which says whether a sheet has it and reads its rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from grader.errors import InputError
from grader.inputs.criteria_table import CriteriaRow, CriteriaTable
from grader.inputs.package_intake import DEFAULT_LIMITS, IntakeLimits
from grader.inputs.problems import listed_problems
from grader.inputs.sheet import Sheet, column_letters
from grader.inputs.tables import check_widths, is_json, open_sheets, sheet_choice_note
from grader.inputs.tiered_layout import TieredHeader, find_tiered_header, no_tiered_header, read_tiered_rows


def read_criteria_workbook(
    path: str | Path,
    *,
    sheet: str | None = None,
    column_map: Mapping[str, str] | None = None,
    encoding: str | None = None,
    limits: IntakeLimits = DEFAULT_LIMITS,
) -> CriteriaTable:
    """Return the criteria in the workbook or text table at `path`.

    Without `sheet`, the first visible sheet that has criteria is read. Raises `InputError`, with the file, the
    sheet and the cell, for anything that would make a question ungraded or graded by the wrong criteria.
    """
    path = Path(path)
    if is_json(path):
        raise InputError(
            "criteria are read from a workbook or a text table, and this is JSON", path=path, hint="Save it as .xlsx"
        )
    found, header = _sheet_with_criteria(path, sheet, column_map or {}, encoding, limits)
    check_widths(found, header.row)
    rows, notes = read_tiered_rows(found, header)
    if not rows:
        raise found.error(
            "the header has no rows of criteria below it",
            *(header.row, 0),
            hint="Fill in the table, or name another sheet with --sheet",
        )
    _check_unique(rows)
    return CriteriaTable(
        path=str(path),
        sheet=found.name,
        header_row=header.row + 1,
        columns=_column_letters(header),
        layout="tiered",
        rows=tuple(rows),
        notes=(*found.notes, *sheet_choice_note(found), *notes),
    )


def _sheet_with_criteria(
    path: Path, sheet: str | None, column_map: Mapping[str, str], encoding: str | None, limits: IntakeLimits
) -> tuple[Sheet, TieredHeader]:
    best: Sheet | None = None
    for candidate in open_sheets(path, sheet=sheet, encoding=encoding, limits=limits):
        header = find_tiered_header(candidate, column_map)
        if header is not None:
            return candidate, header
        if best is None or not best.rows:
            best = candidate
    assert best is not None, "a workbook without sheets has been refused"
    raise no_tiered_header(best, column_map)


def _check_unique(rows: list[CriteriaRow]) -> None:
    first: dict[str, CriteriaRow] = {}
    twice = [row for row in rows if first.setdefault(row.item_id, row) is not row]
    if twice:
        raise listed_problems(
            "an id occurs twice",
            ((row.source, f"{row.item_id} (first in {first[row.item_id].source.cell})") for row in twice),
            hint="Give each question an id of its own, or merge the id's cells where rows belong together",
        )


def _column_letters(header: TieredHeader) -> dict[str, str]:
    letters = {name: column_letters(i) for name, i in {**header.columns.extras, **header.columns.fields}.items()}
    return letters | {f"{level:g}": column_letters(i) for i, level in header.levels.items()}
