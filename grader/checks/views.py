"""Opens the files of a request as views for the rules; what cannot be opened at all is kept as the error it raised."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from grader.checks.table import Table
from grader.errors import GraderError, InputError
from grader.inputs.answers import STDIN_SYSTEM
from grader.inputs.columns import Columns, cell_text, claimed_fields, field_name, find_columns
from grader.inputs.criteria_table import Layout
from grader.inputs.criteria_workbook import guessed_layouts, read_criteria_workbook
from grader.inputs.json_records import STDIN
from grader.inputs.package_intake import IntakeLimits
from grader.inputs.record_reader import RECORD_FORM, RecordReader, Records
from grader.inputs.sheet import Sheet
from grader.inputs.spool import Spool, Spooled
from grader.inputs.tables import HEADER_SEARCH_ROWS, is_json, open_sheets
from grader.records import CellRef
from grader.rubric import Rubric

_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")


class Files(Protocol):
    """The files to check and how to read them; a `planning.Request` is one."""

    @property
    def criteria_path(self) -> Path:
        """The criteria workbook."""
        ...

    @property
    def answers_paths(self) -> tuple[Path, ...]:
        """Files of answers; none where the workbook has them, or only it is checked."""
        ...

    @property
    def questions_path(self) -> Path | None:
        """The table of questions."""
        ...

    @property
    def sheet(self) -> str | None:
        """The sheet with the criteria, where it is named."""
        ...

    @property
    def rubric(self) -> str | None:
        """Name or path of a rubric, where one is named."""
        ...

    @property
    def column_map(self) -> Mapping[str, str]:
        """Field to column, as `--map` gives it."""
        ...

    @property
    def encoding(self) -> str | None:
        """The encoding of text files that are not UTF-8."""
        ...

    @property
    def skip_bad_lines(self) -> bool:
        """Whether broken lines are to be left out."""
        ...

    @property
    def limits(self) -> IntakeLimits:
        """How large a file may be."""
        ...

    @property
    def spool(self) -> Spool:
        """Where what is read is kept while memory has no room for it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricView:
    """The rubric and its template, or why there is none."""

    path: str
    rubric: Rubric | None = None
    template_path: Path | None = None
    error: GraderError | None = None
    sheet: str | None = None
    """The Rubric sheet, where the rubric is the workbook's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersView:
    """One file of answers, or of questions, as far as it can be read."""

    path: str
    kind: str
    records: Records = field(default_factory=lambda: Spooled(RECORD_FORM, Spool()))
    bad_lines: tuple[int, ...] = ()
    error: InputError | None = None
    file_system: str = ""

    def item_ids(self) -> Iterator[tuple[str, str, int]]:
        """Yield system, id and position of each record; the system is "" in a file of questions."""
        for position, (system, item_id) in enumerate(self.records.keys):
            yield (system or self.file_system) if self.kind == "answers" else "", item_id, position


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """All tables together."""

    table: Table
    files: Sequence[AnswersView]
    rubric: Rubric | None


def open_table(files: Files, layout: Layout | None, known_names: frozenset[str], *, has_rubric_sheet: bool) -> Table:
    """Return the view of the criteria.

    Raises:
        InputError: no sheet has criteria, or the file cannot be read; it says why, as the reader would.
    """
    if is_json(files.criteria_path):
        read_criteria_workbook(files.criteria_path)  # which says why not
    for sheet in open_sheets(
        files.criteria_path, sheet=files.sheet, encoding=files.encoding, limits=files.limits, spool=files.spool
    ):
        table = _as_table(sheet, layout, files.column_map)
        if table is not None:
            return replace(
                table,
                has_rubric_sheet=has_rubric_sheet,
                has_answers_files=bool(files.answers_paths),
                known_names=known_names,
            )
    read_criteria_workbook(
        files.criteria_path,
        sheet=files.sheet,
        layout=layout,
        column_map=files.column_map,
        encoding=files.encoding,
        limits=files.limits,
    )
    raise InputError("no sheet has criteria", path=files.criteria_path, hint="Name it: --sheet NAME")


def open_answers(path: Path, kind: str, files: Files) -> AnswersView:
    """Return the view of a file of `answers` or `questions`."""
    reader = RecordReader(
        path=path,
        kind="answers" if kind == "answers" else "questions",
        needed=("id", "answer") if kind == "answers" else ("id",),
        column_map=files.column_map,
        encoding=files.encoding,
        limits=files.limits,
        spool=files.spool,
        skip_bad_lines=True,
    )
    records = Spooled(RECORD_FORM, files.spool)
    error: InputError | None = None
    try:
        for record in reader.records():
            records.add(record)
    except InputError as caught:
        error = caught
    else:
        if files.skip_bad_lines or not reader.bad_lines:
            reader.hand_on(records)
    system = STDIN_SYSTEM if path == STDIN else path.stem
    is_told = files.skip_bad_lines or error is not None or path == STDIN
    return AnswersView(
        path=str(path),
        kind=kind,
        records=records,
        error=error,
        file_system=system,
        bad_lines=() if is_told else tuple(reader.bad_lines),
    )


def _as_table(sheet: Sheet, layout: Layout | None, column_map: Mapping[str, str]) -> Table | None:
    for kind in (layout,) if layout else guessed_layouts(sheet, column_map):
        table = _tiered(sheet, column_map) if kind == "tiered" else _by_criterion_or_question(sheet, kind, column_map)
        if table is not None:
            return table
    return None


def _by_criterion_or_question(sheet: Sheet, layout: Layout, column_map: Mapping[str, str]) -> Table | None:
    if layout == "points":
        from grader.inputs.points_layout import find_points_header as find_header
    else:
        from grader.inputs.questions_layout import find_questions_header as find_header

    header = find_header(sheet, column_map)
    return None if header is None else _table(sheet, layout, header.row, header.columns)


def _tiered(sheet: Sheet, column_map: Mapping[str, str]) -> Table | None:
    """Return the table where a row has an id and numbers for levels, even such as are no proper ones."""
    mapped = {field_name(column): name for name, column in column_map.items()}
    fields_only = {name: column for name, column in column_map.items() if not _NUMBER.fullmatch(field_name(name))}
    for row in range(min(HEADER_SEARCH_ROWS, len(sheet.rows))):
        headers = sheet.header(row)
        names = [field_name(mapped.get(field_name(header), header)) for header in headers]
        levels = {column: float(name) for column, name in enumerate(names) if _NUMBER.fullmatch(name)}
        if levels and "id" in claimed_fields(headers, "criteria", column_map):
            columns = find_columns(headers, "criteria", fields_only)
            extras = {cell_text(headers[i]).strip(): i for i in columns.extras.values() if i not in levels}
            return Table(
                sheet=sheet, layout="tiered", header_row=row, fields=columns.fields, levels=levels, extras=extras
            )
    return None


def _table(sheet: Sheet, layout: Layout, row: int, columns: Columns) -> Table:
    headers = sheet.header(row)
    extras = {cell_text(headers[i]).strip(): i for i in columns.extras.values()}
    return Table(sheet=sheet, layout=layout, header_row=row, fields=columns.fields, levels={}, extras=extras)


def place_of(error: GraderError, path: str) -> CellRef:
    """Return where an error stands; the whole file where it does not say."""
    sheet = error.sheet if isinstance(error, InputError) else None
    cell = error.cell if isinstance(error, InputError) else None
    return CellRef(path=str(getattr(error, "path", None) or path), sheet=sheet, cell=cell)
