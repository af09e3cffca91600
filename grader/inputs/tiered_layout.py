"""Reads the tiered layout of criteria: one row per question, one column per level whose header is a number.

From RUBRICS, tiered. It works on a sheet that has been read; it opens no file and applies no points.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.errors import InputError
from grader.inputs.columns import (
    Columns,
    cell_text,
    claimed_fields,
    field_name,
    listed_headers,
    missing_field,
    normalise_id,
)
from grader.inputs.criteria_table import ROW_FORM, CriteriaRow, CriteriaRows
from grader.inputs.id_rows import TableHeader, is_example, is_summary_line, row_notes
from grader.inputs.numbering import split_numbered
from grader.inputs.problems import listed_problems
from grader.inputs.sheet import Sheet
from grader.inputs.spool import Spool, Spooled
from grader.inputs.tables import (
    HEADER_SEARCH_ROWS,
    likeliest_header,
    sheet_columns,
)
from grader.records import CellRef, Criterion

_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_ROW_LIMIT = 100_000
_HINT_LONG = "Split the workbook, or delete what is not part of the table"


@dataclass(frozen=True, slots=True, kw_only=True)
class TieredHeader:
    """Where a tiered table's header stands and what its columns are; positions count from 0."""

    row: int
    columns: Columns
    levels: Mapping[int, float]
    """Column position to level."""


def find_tiered_header(sheet: Sheet, column_map: Mapping[str, str]) -> TieredHeader | None:
    """Return the first row with an id column and level columns, or `None`; `InputError` where it is ambiguous."""
    for row in range(min(HEADER_SEARCH_ROWS, len(sheet.rows))):
        headers = sheet.header(row)
        levels = _levels(headers, column_map)
        if levels and "id" in claimed_fields(headers, "criteria", column_map):
            _check_levels(sheet, row, levels)
            return TieredHeader(row=row, columns=_columns(sheet, row, levels, column_map), levels=levels)
    return None


def no_tiered_header(sheet: Sheet, column_map: Mapping[str, str]) -> InputError:
    """Return the error for a sheet in which no row is a tiered header: what is missing, or apart."""
    rows = range(min(HEADER_SEARCH_ROWS, len(sheet.rows)))
    with_id = next((row for row in rows if "id" in claimed_fields(sheet.header(row), "criteria", column_map)), None)
    with_levels = next((row for row in rows if _is_level_row(sheet, row, column_map)), None)
    if with_levels is not None and with_id is not None:
        return sheet.error(
            f"the header is in two rows: the id in row {with_id + 1}, the levels in row {with_levels + 1}",
            *(max(with_id, with_levels), 0),
            hint="Put all column names into one row",
        )
    row = (
        with_id if with_id is not None else next((row for row in rows if _levels(sheet.header(row), column_map)), None)
    )
    row = likeliest_header(sheet, "criteria", column_map) if row is None else row
    if row is None:
        return InputError("the sheet is empty", path=sheet.path, sheet=sheet.name, hint="Name another: --sheet NAME")
    if row != with_id:
        message, hint = missing_field("id", sheet.header(row), "criteria", f"row {row + 1}")
        return InputError(message, path=sheet.path, sheet=sheet.name, cell=f"row {row + 1}", hint=hint)
    return InputError(
        f"no level columns: none of {listed_headers(sheet.header(row))} is a number such as 25, 50 or 100",
        path=sheet.path,
        sheet=sheet.name,
        cell=f"row {row + 1}",
        hint="Give each column of criteria its level as its header, or say it: --map 50=COLUMN",
    )


def read_tiered_rows(sheet: Sheet, header: TieredHeader, spool: Spool) -> tuple[CriteriaRows, list[str]]:
    """Return the questions with their criteria, and what is to be said aloud of them.

    `InputError` for blank ids and for questions without criteria, each kind with all its cells.
    """
    id_column = header.columns.fields["id"]
    too_far = header.row + 1 + _ROW_LIMIT
    if len(sheet.rows) > too_far:
        raise sheet.error(f"the table has more than {_ROW_LIMIT:,} rows", too_far, id_column, hint=_HINT_LONG)
    rows: CriteriaRows = Spooled(ROW_FORM, spool)
    left_out: list[int] = []
    examples: list[int] = []
    blank_ids: list[CellRef] = []
    bare: list[tuple[int, str]] = []
    last = header.row
    for group in _row_groups(sheet, header):
        item_id = normalise_id(sheet.value(group[0], id_column))
        criteria = _criteria(sheet, header, group, item_id)
        if is_example(item_id):
            examples.append(group[0])
        elif is_summary_line(item_id, (each.text for each in criteria)):
            left_out.append(group[0])
        elif criteria and item_id:
            rows.add(_criteria_row(sheet, header, group[0], item_id, criteria))
            last = group[-1]
        elif criteria:
            blank_ids.append(sheet.ref(group[0], id_column))
        elif item_id:
            bare.append((group[0], item_id))
        else:
            left_out.append(group[0])
    if rows:
        left_out += _drop_footnotes(sheet, last, bare)
    _refuse(sheet, id_column, blank_ids, bare)
    table = TableHeader(row=header.row, columns=header.columns)
    return rows, row_notes(sheet, table, left_out=left_out, examples=examples, lacking="id or no criteria")


def _levels(headers: Sequence[object], column_map: Mapping[str, str]) -> dict[int, float]:
    mapped = {field_name(column): name for name, column in column_map.items()}
    levels: dict[int, float] = {}
    for column, header in enumerate(headers):
        name = field_name(mapped.get(field_name(header), header))
        if not isinstance(header, bool) and _NUMBER.fullmatch(name):
            levels[column] = float(name)
    return levels


def _is_level_row(sheet: Sheet, row: int, column_map: Mapping[str, str]) -> bool:
    """Whether a row has levels and nothing to its left, so that it is half a header rather than a row of data."""
    levels = _levels(sheet.header(row), column_map)
    before = sheet.header(row)[: min(levels, default=0)]
    return (
        len(levels) > 1 and sorted(levels.values()) == sorted(set(levels.values())) and not any(map(field_name, before))
    )


def _check_levels(sheet: Sheet, row: int, levels: Mapping[int, float]) -> None:
    seen: dict[float, int] = {}
    for column, level in levels.items():
        if not 1 <= level <= 100:
            percent = f" (for {level:.0%}, type {level * 100:g})" if 0 < level < 1 else ""
            raise sheet.error(
                f"the column header {level:g} is no level: levels are points from 1 to 100{percent}",
                *(row, column),
                hint="Correct the number, or give the column a name if it holds no criteria",
            )
        if seen.setdefault(level, column) != column:
            other = sheet.ref(row, seen[level]).cell
            raise sheet.error(
                f"level {level:g} has two columns, here and in {other}", row, column, hint="Keep one column per level"
            )


def _columns(sheet: Sheet, row: int, levels: Mapping[int, float], column_map: Mapping[str, str]) -> Columns:
    # A `--map 50=Good` names a level, which is none of the fields.
    fields_only = {name: column for name, column in column_map.items() if not _NUMBER.fullmatch(field_name(name))}
    columns = sheet_columns(sheet, row, "criteria", fields_only)
    return Columns(columns.fields, {name: i for name, i in columns.extras.items() if i not in levels})


def _row_groups(sheet: Sheet, header: TieredHeader) -> Iterator[list[int]]:
    """Yield the rows of each question: one, or those over which its id is merged; blank rows are left out."""
    id_column = header.columns.fields["id"]
    group: list[int] = []
    for row in range(header.row + 1, len(sheet.rows)):
        top = sheet.merged_tops.get((row, id_column), row)
        if group and top == group[0]:
            group.append(row)
            continue
        if group:
            yield group
        group = [] if sheet.is_blank(row) else [row]
    if group:
        yield group


def _criteria(sheet: Sheet, header: TieredHeader, group: Sequence[int], item_id: str) -> tuple[Criterion, ...]:
    criteria: list[Criterion] = []
    for column, level in header.levels.items():
        number = 0
        for row in group:
            top = sheet.merged_tops.get((row, column), row)
            if top != row and top in group:
                continue  # shown, and counted, in the first row of the merge
            source = sheet.ref(row, column)
            for text in split_numbered(sheet.text(top, column)):
                number += 1
                criteria.append(Criterion(item_id=item_id, text=text, number=number, level=level, source=source))
    return tuple(criteria)


def _criteria_row(
    sheet: Sheet, header: TieredHeader, row: int, item_id: str, criteria: tuple[Criterion, ...]
) -> CriteriaRow:
    def text(column: int | None) -> str:
        return sheet.text(sheet.merged_tops.get((row, column or 0), row), column)

    fields = {name: text(column) for name, column in header.columns.fields.items() if name != "id"}
    question, reference = fields.pop("question", ""), fields.pop("reference", "")
    answer = fields.pop("answer", None)
    for name, column in header.columns.extras.items():
        fields[name] = cell_text(sheet.rows[row][column]) if column < len(sheet.rows[row]) else ""
    return CriteriaRow(
        item_id=item_id,
        criteria=criteria,
        question=question,
        reference=reference,
        answer=answer,
        fields=fields,
        source=sheet.ref(row, header.columns.fields["id"]),
    )


def _drop_footnotes(sheet: Sheet, last: int, bare: list[tuple[int, str]]) -> list[int]:
    """Take out of `bare` what stands below the table's `last` row, behind a blank one: footnotes, not questions."""
    gap = next((row for row in range(last + 1, len(sheet.rows)) if sheet.is_blank(row)), len(sheet.rows))
    footnotes = [row for row, _ in bare if row > gap]
    bare[:] = [(row, item_id) for row, item_id in bare if row < gap]
    return footnotes


def _refuse(sheet: Sheet, id_column: int, blank_ids: list[CellRef], bare: list[tuple[int, str]]) -> None:
    if blank_ids:
        raise listed_problems(
            "criteria without an id", ((ref, "") for ref in blank_ids), hint="Give every row of criteria its id"
        )
    if bare:
        raise listed_problems(
            "a question has no criteria at any level",
            ((sheet.ref(row, id_column), f"id {item_id}") for row, item_id in bare),
            hint="Fill in at least one level, or delete the row",
        )
