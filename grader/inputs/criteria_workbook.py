"""Reads the expert's criteria workbook: finds the sheet, its header and its layout; knows nothing of answers files.

A layout is a module of its own (`tiered_layout`, `points_layout`, `questions_layout`), which says whether a sheet has
it and reads its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from grader.errors import InputError, location
from grader.inputs.columns import listed_headers, normalise_id
from grader.inputs.criteria_table import CriteriaRows, CriteriaTable, Layout
from grader.inputs.id_rows import TableHeader, is_example
from grader.inputs.package_intake import DEFAULT_LIMITS, IntakeLimits
from grader.inputs.problems import listed_problems
from grader.inputs.rubric_file import list_rubrics, read_rubric
from grader.inputs.sheet import Sheet, column_letters
from grader.inputs.spool import Spool
from grader.inputs.tables import check_widths, find_header, is_json, open_sheets, sheet_choice_note

if TYPE_CHECKING:
    from grader.inputs.tiered_layout import TieredHeader

    Header = TieredHeader | TableHeader

Rows = tuple[CriteriaRows, list[str]]


@dataclass(frozen=True, slots=True)
class _Reader:
    """How one layout is found and read; a function of a header takes what its `find` returned."""

    find: Callable[[Sheet, Mapping[str, str]], Header | None]
    missing: Callable[[Sheet, Mapping[str, str]], InputError]
    read: Callable[[Sheet, Any, Spool], Rows]
    columns: str
    """What the layout looks like, for messages."""


def _reader(layout: Layout) -> _Reader:
    """Return how a layout is found and read; its module is imported now, as most sheets need one of them."""
    if layout == "tiered":
        from grader.inputs.tiered_layout import find_tiered_header, no_tiered_header, read_tiered_rows

        return _Reader(find_tiered_header, no_tiered_header, read_tiered_rows, "a column for each level")
    if layout == "points":
        from grader.inputs.points_layout import find_points_header, no_points_header, read_points_rows

        return _Reader(find_points_header, no_points_header, read_points_rows, "a criterion on each row")
    from grader.inputs.questions_layout import find_questions_header, no_questions_header, read_questions_rows

    return _Reader(find_questions_header, no_questions_header, read_questions_rows, "a question on each row")


def guessed_layouts(sheet: Sheet, column_map: Mapping[str, str]) -> tuple[Layout, ...]:
    """Return the layouts in the order in which to try them on a sheet."""
    # Beside columns of criteria and points, a number in the header is a remark and no level.
    has_points = find_header(sheet, "points", ("id", "criterion", "points"), column_map) is not None
    return ("points", "tiered") if has_points else ("tiered", "points")


def read_criteria_workbook(
    path: str | Path,
    *,
    sheet: str | None = None,
    layout: Layout | None = None,
    column_map: Mapping[str, str] | None = None,
    encoding: str | None = None,
    other_sheets: Collection[str] = (),
    limits: IntakeLimits = DEFAULT_LIMITS,
    spool: Spool | None = None,
) -> CriteriaTable:
    """Return the criteria in the workbook or text table at `path`.

    `layout` is what the rubric needs; by default the columns tell. Without `sheet`, the first visible sheet that has
    the layout is read; `other_sheets` are known to hold something else, so that nothing is said of them. Rows that
    `spool` has no room for are read from it as they are taken. Raises `InputError`, with the file, the sheet and the
    cell, for anything that would make a question ungraded or graded by the wrong criteria.
    """
    path = Path(path)
    if is_json(path):
        raise InputError(
            "criteria are read from a workbook or a text table, and this is JSON", path=path, hint="Save it as .xlsx"
        )
    sheets = open_sheets(path, sheet=sheet, encoding=encoding, limits=limits, spool=spool)
    found, kind, header = _sheet_with_criteria(sheets, layout, column_map or {})
    check_widths(found, header.row)
    rows, notes = _reader(kind).read(found, header, spool or Spool())
    if not rows:
        raise _no_rows(found, header)
    _check_unique(rows)
    others = tuple(name for name in found.others if name not in other_sheets)
    return CriteriaTable(
        path=str(path),
        sheet=found.name,
        header_row=header.row + 1,
        columns=_column_letters(header),
        layout=kind,
        rows=rows,
        ids=rows.keys,
        notes=(*found.notes, *sheet_choice_note(replace(found, others=others)), *notes),
    )


def _sheet_with_criteria(
    sheets: Iterable[Sheet], layout: Layout | None, column_map: Mapping[str, str]
) -> tuple[Sheet, Layout, Header]:
    """Return the first sheet that has the layout, or one that tells its rubric: questions could be for several."""
    best: Sheet | None = None
    for candidate in sheets:
        for kind in (layout,) if layout else guessed_layouts(candidate, column_map):
            header = _reader(kind).find(candidate, column_map)
            if header is not None:
                return candidate, kind, header
        if best is None or not best.rows:
            best = candidate
    assert best is not None, "a workbook without sheets has been refused"
    raise _no_layout(best, layout, column_map)


def _no_layout(sheet: Sheet, layout: Layout | None, column_map: Mapping[str, str]) -> InputError:
    """Return the error for a sheet that lacks the layout, or any that could be guessed."""
    found = {kind: _reader(kind).find(sheet, column_map) for kind in get_args(Layout) if kind != layout}
    other = next(((kind, header) for kind, header in found.items() if header is not None), None)
    if layout is None:
        return _reader("tiered").missing(sheet, column_map) if other is None else _names_no_rubric(sheet, other[1])
    missing = _reader(layout).missing(sheet, column_map)
    if other is not None and other[0] != "questions":
        hint = f"The sheet has {_reader(other[0]).columns}, which is what --rubric {other[0]} wants. {missing.hint}"
        return InputError(_bare(missing), path=missing.path, sheet=missing.sheet, cell=missing.cell, hint=hint)
    return missing


def _bare(error: InputError) -> str:
    """Return an error's message without its place, which is put in front again."""
    return error.message.removeprefix(f"{location(error.path, error.sheet, error.cell)}: ")


def _names_no_rubric(sheet: Sheet, header: Header) -> InputError:
    types = [name for name in list_rubrics() if read_rubric(name)[0].needed_layout == "questions"]
    return InputError(
        "these are questions without criteria: none of "
        f"{listed_headers(sheet.header(header.row))} is a level such as 25, 50 or 100, or a criterion",
        path=sheet.path,
        sheet=sheet.name,
        cell=f"row {header.row + 1}",
        hint=f"Say by which rubric to judge them: --rubric {', '.join(types)}; or add columns of criteria",
    )


def _no_rows(sheet: Sheet, header: Header) -> InputError:
    id_column = header.columns.fields["id"]
    ids = (normalise_id(row[id_column]) for row in sheet.rows[header.row + 1 :] if id_column < len(row))
    if any(map(is_example, ids)):
        return sheet.error(
            "the table still holds only the examples it came with",
            *(header.row + 1, id_column),
            hint="Type your own rows below the examples, or over them, each with an id of its own (see How to)",
        )
    return sheet.error(
        "the header has no rows of criteria below it",
        *(header.row, 0),
        hint="Fill in the table, or name another sheet with --sheet",
    )


def _check_unique(rows: CriteriaRows) -> None:
    first: dict[str, int] = {}
    twice = [(place, item_id) for place, item_id in enumerate(rows.keys) if first.setdefault(item_id, place) != place]
    if twice:
        raise listed_problems(
            "an id occurs twice",
            (
                (rows[place].source, f"{item_id} (first in {rows[first[item_id]].source.cell})")
                for place, item_id in twice
            ),
            hint="Give each question an id of its own, or merge the id's cells where rows belong together",
        )


def _column_letters(header: Header) -> dict[str, str]:
    letters = {name: column_letters(i) for name, i in {**header.columns.extras, **header.columns.fields}.items()}
    levels = {} if isinstance(header, TableHeader) else header.levels
    return letters | {f"{level:g}": column_letters(i) for i, level in levels.items()}
