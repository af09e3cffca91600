"""Reads the points layout of criteria: one row per criterion with its points, several rows per question.

From RUBRICS, points. It works on a sheet that has been read, and applies no points.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.errors import InputError
from grader.inputs.columns import clean_text
from grader.inputs.criteria_table import ROW_FORM, CriteriaRow, CriteriaRows
from grader.inputs.id_rows import (
    IdRow,
    TableHeader,
    grouped,
    id_rows,
    is_example,
    is_summary_line,
    read_question_fields,
    row_notes,
    shown_row,
    shown_text,
    split_footnotes,
)
from grader.inputs.percent_cells import percent_rows
from grader.inputs.points_value import parse_points
from grader.inputs.problems import listed_problems
from grader.inputs.sheet import Sheet
from grader.inputs.spool import Spool, Spooled
from grader.inputs.tables import find_header, listed_rows, no_header, sheet_columns
from grader.records import CellRef, Criterion

NEEDED = ("id", "criterion")


def find_points_header(sheet: Sheet, column_map: Mapping[str, str]) -> TableHeader | None:
    """Return the first row with an id and a criterion column, or `None`; `InputError` where it is ambiguous."""
    row = find_header(sheet, "points", NEEDED, column_map)
    return None if row is None else TableHeader(row=row, columns=sheet_columns(sheet, row, "points", column_map))


def no_points_header(sheet: Sheet, column_map: Mapping[str, str]) -> InputError:
    """Return the error for a sheet in which no row is a header of this layout."""
    return no_header(sheet, "points", NEEDED, column_map)


@dataclass(slots=True)
class _Sorted:
    """The rows of a table by what they are."""

    kept: list[IdRow] = field(default_factory=list)
    examples: list[int] = field(default_factory=list)
    left_out: list[int] = field(default_factory=list)
    bare: list[IdRow] = field(default_factory=list)
    """Rows with an id and no criterion."""
    blank_ids: list[CellRef] = field(default_factory=list)


def read_points_rows(sheet: Sheet, header: TableHeader, spool: Spool) -> tuple[CriteriaRows, list[str]]:
    """Return the questions with their criteria, numbered from 1 within each id, and what is to be said aloud.

    `InputError` for blank ids, blank criteria, points that are no number and ids without positive points, each kind
    with all its cells.
    """
    found = _sorted(sheet, header)
    points = _read_points(sheet, header, found.kept)
    groups = grouped(found.kept)
    _check_positive(sheet, header, groups, points)
    read = (_criteria_row(sheet, header, item_id, members, points) for item_id, members in groups.items())
    rows = Spooled(ROW_FORM, spool, read)
    notes = row_notes(
        sheet, header, left_out=found.left_out, examples=found.examples, lacking="id or no criterion"
    ) + _notes(sheet, header, found.kept)
    return rows, notes


def _sorted(sheet: Sheet, header: TableHeader) -> _Sorted:
    found = _Sorted()
    column = header.columns.fields["criterion"]
    for each in id_rows(sheet, header):
        if shown_row(sheet, each.row, column) != each.row:
            continue  # one criterion in a cell merged over several rows
        text = sheet.text(each.row, column).strip()
        if is_example(each.item_id):
            found.examples.append(each.row)
        elif is_summary_line(each.item_id, [text]):
            found.left_out.append(each.row)
        elif text and each.item_id:
            found.kept.append(each)
        elif text:
            found.blank_ids.append(sheet.ref(each.row, header.id_column))
        elif each.item_id:
            found.bare.append(each)
        else:
            found.left_out.append(each.row)
    _refuse(sheet, header, found)
    return found


def _refuse(sheet: Sheet, header: TableHeader, found: _Sorted) -> None:
    if found.blank_ids:
        raise listed_problems(
            "a criterion without an id",
            ((ref, "") for ref in found.blank_ids),
            hint="Repeat the id on each row of a question, or merge its cells over them",
        )
    last = found.kept[-1].row if found.kept else len(sheet.rows)
    inside, footnotes = split_footnotes(sheet, last, [each.row for each in found.bare])
    found.left_out += footnotes
    if inside:
        ids = {each.row: each.item_id for each in found.bare}
        column = header.columns.fields["criterion"]
        raise listed_problems(
            "the criterion is blank",
            ((sheet.ref(row, column), f"id {ids[row]}") for row in inside),
            hint="Fill it in, or delete the row",
        )


def _read_points(sheet: Sheet, header: TableHeader, rows: Sequence[IdRow]) -> dict[int, float]:
    """Return the points of each row; 1 where the cell is blank or there is no such column."""
    column = header.columns.fields.get("points")
    if column is None:
        return {each.row: 1.0 for each in rows}
    percentages = percent_rows(Path(sheet.path), sheet.name, column) if sheet.name else frozenset()
    points: dict[int, float] = {}
    bad: list[tuple[CellRef, str]] = []
    for each in rows:
        try:
            if fault := sheet.faults.get((each.row, column)):
                raise ValueError(fault)
            value = sheet.value(shown_row(sheet, each.row, column), column)
            if each.row in percentages and isinstance(value, (int, float)):
                raise ValueError(f"{value * 100:g}% is a percentage")
            if shown_row(sheet, each.row, column) != each.row:
                raise ValueError("the cell is merged over several criteria")
            points[each.row] = 1.0 if not clean_text(value) else parse_points(value)
        except ValueError as error:
            bad.append((sheet.ref(each.row, column), str(error)))
    if bad:
        raise listed_problems("points cannot be read", bad, hint="Write each as a plain number, such as 5, 2.5 or -2")
    return points


def _criteria_row(
    sheet: Sheet, header: TableHeader, item_id: str, rows: Sequence[int], points: Mapping[int, float]
) -> CriteriaRow:
    column = header.columns.fields["criterion"]
    said = read_question_fields(sheet, header, rows, without=(*NEEDED, "points"))
    fields = dict(said.texts)
    return CriteriaRow(
        item_id=item_id,
        criteria=tuple(
            Criterion(
                item_id=item_id,
                text=shown_text(sheet, row, column).strip(),
                number=number,
                points=points[row],
                source=sheet.ref(row, column),
            )
            for number, row in enumerate(rows, start=1)
        ),
        question=fields.pop("question", ""),
        reference=fields.pop("reference", ""),
        answer=fields.pop("answer", None),
        other_answers=said.others.get("answer", ()),
        fields=fields,
        source=sheet.ref(rows[0], header.id_column),
    )


def _check_positive(
    sheet: Sheet, header: TableHeader, groups: Mapping[str, Sequence[int]], points: Mapping[int, float]
) -> None:
    without = [(rows[0], item_id) for item_id, rows in groups.items() if not any(points[row] > 0 for row in rows)]
    if without:
        raise listed_problems(
            "no criterion of an id has positive points, so that there is nothing to reach",
            ((sheet.ref(row, header.id_column), f"id {item_id}") for row, item_id in without),
            hint="Give at least one criterion of each id points above 0",
        )


def _notes(sheet: Sheet, header: TableHeader, rows: Sequence[IdRow]) -> list[str]:
    """Return what to say of points left blank, of ids whose rows stand apart, and of questions that differ."""
    notes: list[str] = []
    column = header.columns.fields.get("points")
    if column is None:
        notes.append(f"{sheet.place()}: there is no points column, so every criterion counts 1")
    else:
        blank = [each.row for each in rows if not shown_text(sheet, each.row, column).strip()]
        notes += [f"{sheet.place()}: points are blank and count as 1: {listed_rows(blank)}"] if blank else []
    for name in ("question", "reference"):
        notes += _differing(sheet, header, rows, name)
    starts = Counter(each.item_id for i, each in enumerate(rows) if i == 0 or rows[i - 1].item_id != each.item_id)
    apart = [item_id for item_id, count in starts.items() if count > 1]
    if apart:
        notes.append(f"{sheet.place()}: rows of one id stand apart and are taken together: {', '.join(apart[:10])}")
    return notes


def _differing(sheet: Sheet, header: TableHeader, rows: Sequence[IdRow], name: str) -> list[str]:
    if name not in header.columns.fields:
        return []
    cells = [
        cell.cell or ""
        for members in grouped(rows).values()
        for cell in read_question_fields(sheet, header, members).others.get(name, ())
    ]
    more = f" and {len(cells) - 5} more" if len(cells) > 5 else ""
    shown = f"{', '.join(cells[:5])}{more}"
    return [f"{sheet.place()}: the {name} differs within an id, and the first counts: {shown}"] if cells else []
