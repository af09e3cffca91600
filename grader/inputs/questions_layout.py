"""Reads the questions layout of a criteria workbook: one row per question, without criteria of its own.

It serves the rubrics that judge by a reference, a context or a checklist (RUBRICS: likert, accuracy, integrity,
relevance, checklist). A checklist may have a row per point under one id. It works on a sheet that has been read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from grader.errors import InputError
from grader.inputs.columns import claimed_fields
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
from grader.inputs.problems import listed_problems, place_name
from grader.inputs.sheet import Sheet
from grader.inputs.spool import Spool, Spooled
from grader.inputs.tables import HEADER_SEARCH_ROWS, no_header, sheet_columns

_FIELDS = frozenset({"question", "reference", "answer", "checklist", "context", "instruction", "history"})
"""A header has an id and one of these; with the id alone, a line of text could pass for one."""


def find_questions_header(sheet: Sheet, column_map: Mapping[str, str]) -> TableHeader | None:
    """Return the first row with an id and a field of a question, or `None`; `InputError` where it is ambiguous."""
    for row in range(min(HEADER_SEARCH_ROWS, len(sheet.rows))):
        claimed = claimed_fields(sheet.header(row), "criteria", column_map)
        if "id" in claimed and claimed & _FIELDS:
            return TableHeader(row=row, columns=sheet_columns(sheet, row, "criteria", column_map))
    return None


def no_questions_header(sheet: Sheet, column_map: Mapping[str, str]) -> InputError:
    """Return the error for a sheet in which no row is a header of this layout."""
    return no_header(sheet, "criteria", ("id", "question"), column_map)


def read_questions_rows(sheet: Sheet, header: TableHeader, spool: Spool) -> tuple[CriteriaRows, list[str]]:
    """Return the questions, and what is to be said aloud of them.

    `InputError` for rows without an id, and for an id that occurs twice without being a list of checklist points.
    """
    kept: list[IdRow] = []
    examples: list[int] = []
    bare: list[IdRow] = []
    without_id: list[int] = []
    sums: list[int] = []
    for each in id_rows(sheet, header):
        if is_example(each.item_id):
            examples.append(each.row)
        elif not each.item_id:
            without_id.append(each.row)
        elif is_summary_line(each.item_id, _texts(sheet, header, each.row)):
            sums.append(each.row)
        elif _says_something(sheet, header, each.row):
            kept.append(each)
        else:
            bare.append(each)
    kept, left_out = _with_bare(sheet, kept, bare)
    left_out += [*sums, *_refuse_without_id(sheet, header, kept, without_id)]
    read = (_question_row(sheet, header, item_id, members) for item_id, members in grouped(kept).items())
    rows = Spooled(ROW_FORM, spool, read)
    return rows, row_notes(sheet, header, left_out=left_out, examples=examples, lacking="id or no question")


def _says_something(sheet: Sheet, header: TableHeader, row: int) -> bool:
    return any(text.strip() for text in _texts(sheet, header, row))


def _texts(sheet: Sheet, header: TableHeader, row: int) -> Iterator[str]:
    """Yield what a row says of its question."""
    columns = [column for name, column in header.columns.fields.items() if name != "id"]
    return (shown_text(sheet, row, column) for column in columns)


def _with_bare(sheet: Sheet, kept: Sequence[IdRow], bare: Sequence[IdRow]) -> tuple[list[IdRow], list[int]]:
    """Return all questions, and footnotes: a lone id is a question whose text stands elsewhere, but not down there."""
    last = kept[-1].row if kept else len(sheet.rows)
    inside, footnotes = split_footnotes(sheet, last, [each.row for each in bare])
    questions = [each for each in bare if each.row in inside]
    return sorted((*kept, *questions), key=lambda each: each.row), footnotes


def _refuse_without_id(sheet: Sheet, header: TableHeader, kept: Sequence[IdRow], rows: Sequence[int]) -> list[int]:
    """Refuse rows of the table that have no id; return those that only have other columns filled, or are footnotes."""
    inside, left_out = split_footnotes(sheet, kept[-1].row if kept else len(sheet.rows), rows)
    at_fault = [row for row in inside if _says_something(sheet, header, row)]
    if at_fault:
        raise listed_problems(
            "a question without an id",
            ((sheet.ref(row, header.id_column), "") for row in at_fault),
            hint="Give every question an id; rows of one checklist repeat it, or have its cells merged",
        )
    return left_out + [row for row in inside if row not in at_fault]


def _question_row(sheet: Sheet, header: TableHeader, item_id: str, rows: Sequence[int]) -> CriteriaRow:
    said = read_question_fields(sheet, header, rows)
    points = _checklist_points(sheet, header, rows)
    if len(rows) > 1:
        _check_is_checklist(sheet, header, item_id, rows, len(points))
    fields = dict(said.texts)
    if len(points) > 1:
        fields["checklist"] = "\n".join(points)
    return CriteriaRow(
        item_id=item_id,
        criteria=(),
        question=fields.pop("question", ""),
        reference=fields.pop("reference", ""),
        answer=fields.pop("answer", None),
        other_answers=said.others.get("answer", ()),
        fields=fields,
        source=sheet.ref(rows[0], header.id_column),
    )


def _checklist_points(sheet: Sheet, header: TableHeader, rows: Sequence[int]) -> list[str]:
    column = header.columns.fields.get("checklist")
    if column is None:
        return []
    texts = (sheet.text(row, column).strip() for row in rows if shown_row(sheet, row, column) == row)
    return [text for text in texts if text]


def _check_is_checklist(sheet: Sheet, header: TableHeader, item_id: str, rows: Sequence[int], points: int) -> None:
    """Refuse an id that occurs twice, unless each of its rows adds a point to its checklist or its id is merged."""
    is_merged = all(shown_row(sheet, row, header.id_column) == rows[0] for row in rows)
    if points < len(rows) and not is_merged:
        first = sheet.ref(rows[0], header.id_column)
        raise listed_problems(
            "an id occurs twice",
            (
                (place, f"{item_id} (first in {place_name(first, beside=place)})")
                for place in (sheet.ref(row, header.id_column) for row in rows[1:])
            ),
            hint="Give each question an id of its own; only the points of a checklist may share one",
        )
