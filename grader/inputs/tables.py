"""Reads any table file, by what it really is, into sheets or into records; knows fields, but not what they are for.

A sheet keeps rows and addresses, for the criteria workbook; a record is a row whose columns have become fields,
for answers and questions.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from grader.errors import InputError
from grader.inputs.columns import (
    Columns,
    TableKind,
    cell_text,
    claimed_fields,
    field_name,
    find_columns,
    missing_field,
)
from grader.inputs.file_kind import file_kind
from grader.inputs.json_records import STDIN, JsonSource
from grader.inputs.package_intake import DEFAULT_LIMITS, IntakeLimits
from grader.inputs.reading_once import hand_on, handed_on, kept_sheets
from grader.inputs.sheet import Sheet
from grader.inputs.spreadsheets import read_sheets
from grader.records import CellRef

HEADER_SEARCH_ROWS = 50
"""A header further down than this is not looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One row of a table: its fields, and where it stands."""

    fields: Mapping[str, str]
    """Text by field name (`id`, `answer`, …), for the fields that the table has."""
    extras: Mapping[str, str]
    """Text of every other column, by its own name."""
    source: CellRef
    """The cell of its id, or its line."""


@dataclass(slots=True)
class RecordReader:
    """A table file to be read once as records of `kind` that have the `needed` fields; `notes` fill up meanwhile."""

    path: Path
    kind: TableKind
    needed: Sequence[str]
    column_map: Mapping[str, str] = field(default_factory=dict)
    sheet: str | None = None
    encoding: str | None = None
    skip_bad_lines: bool = False
    limits: IntakeLimits = DEFAULT_LIMITS
    notes: list[str] = field(default_factory=list)
    bad_lines: list[int] = field(default_factory=list)
    """Numbers of the lines that were left out; fills up as `notes` does."""

    def records(self) -> Iterator[Record]:
        """Yield the table's records in order, blank rows left out; `InputError` as soon as one cannot be read."""
        handed = handed_on(self._place)
        if handed is None:
            yield from self._read()
            return
        notes, bad_lines = next(handed)
        self.notes += notes
        self.bad_lines += bad_lines
        yield from handed

    def hand_on(self, records: Iterable[Record]) -> None:
        """Leave `records`, which are all that were read, to the next reader of the same table.

        Where lines were left out, that is for one that leaves them out too.
        """
        hand_on(self._place, chain([(self.notes, self.bad_lines)], records))

    @property
    def _place(self) -> Hashable:
        columns = frozenset(self.column_map.items())
        return (self.path, self.kind, tuple(self.needed), columns, self.sheet, self.encoding, self.limits)

    def _read(self) -> Iterator[Record]:
        if is_json(self.path):
            yield from self._json_records()
            return
        sheet, header = self._sheet_with_header()
        self.notes += [*sheet.notes, *sheet_choice_note(sheet), *hidden_rows_note(sheet, header)]
        yield from self._sheet_records(sheet, header)

    def _json_records(self) -> Iterator[Record]:
        source = JsonSource(self.path, self.encoding, self.skip_bad_lines)
        known: dict[tuple[object, ...], Columns] = {}
        path = str(self.path)
        for raw, place in source.records():
            headers, values = tuple(raw), list(raw.values())
            lists = tuple([i for i, value in enumerate(values) if isinstance(value, list)])
            columns = known.get((headers, lists))
            if columns is None:
                columns = known[headers, lists] = self._columns(headers, place, lists=lists)
            yield _record(columns, values, CellRef(path=path, cell=place))
        if source.bad_lines:
            self.bad_lines += source.bad_lines
            shown = ", ".join(map(str, source.bad_lines[:10])) + (" …" if len(source.bad_lines) > 10 else "")
            lines = "line" if len(source.bad_lines) == 1 else "lines"
            self.notes.append(f"{path}: broken lines left out: {len(source.bad_lines)} ({lines} {shown})")

    def _columns(self, headers: Sequence[object], place: str, *, lists: Sequence[int]) -> Columns:
        try:
            columns = find_columns(headers, self.kind, self.column_map, lists=lists)
        except InputError as error:
            raise InputError(error.message, path=self.path, cell=place, hint=error.hint) from None
        for name in self.needed:
            if name not in columns.fields:
                message, hint = missing_field(name, headers, self.kind, "this record")
                raise InputError(message, path=self.path, cell=place, hint=hint)
        for name, position in columns.extras.items():
            if name.endswith("_column") and field_name(headers[position]) != name:
                taken = name.removesuffix("_column")
                self.notes.append(
                    f"{self.path}: another column is the {taken}, so '{headers[position]}' is kept as {name}"
                )
        return columns

    def _sheet_with_header(self) -> tuple[Sheet, int]:
        """Return the first sheet that has the needed columns, and the row of its header."""
        first: Sheet | None = None
        for sheet in open_sheets(self.path, sheet=self.sheet, encoding=self.encoding, limits=self.limits):
            header = find_header(sheet, self.kind, self.needed, self.column_map)
            if header is not None:
                return sheet, header
            if first is None or not first.rows:
                first = sheet
        assert first is not None, "a workbook without sheets has been refused"
        raise no_header(first, self.kind, self.needed, self.column_map)

    def _sheet_records(self, sheet: Sheet, header: int) -> Iterator[Record]:
        columns = sheet_columns(sheet, header, self.kind, self.column_map)
        check_widths(sheet, header)
        used = set(columns.fields.values())
        for row in range(header + 1, len(sheet.rows)):
            if sheet.is_blank(row):
                continue
            top = sheet.merged_tops.get((row, columns.fields["id"]), row)
            values = [sheet.value(row, i) if i in used else value for i, value in enumerate(sheet.rows[row])]
            if top != row:
                values[columns.fields["id"]] = sheet.value(top, columns.fields["id"])
            yield _record(columns, values, sheet.ref(row, columns.fields["id"]))


def is_json(path: Path) -> bool:
    """Whether the file is to be read as JSON or JSONL: by its name, or by how it starts."""
    if path == STDIN:
        return True
    if file_kind(path) != "text":
        return False
    if path.suffix.lower() in (".json", ".jsonl", ".ndjson"):
        return True
    with path.open("rb") as stream:
        return stream.read(200).lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b'{"', b"[{"))


def open_sheets(
    path: Path, *, sheet: str | None = None, encoding: str | None = None, limits: IntakeLimits = DEFAULT_LIMITS
) -> Iterator[Sheet]:
    """Yield a workbook's visible sheets, or the one text table there is; `InputError` for what is neither."""
    return kept_sheets((path, sheet, encoding, limits), lambda: _read_tables(path, sheet, encoding, limits))


def _read_tables(path: Path, sheet: str | None, encoding: str | None, limits: IntakeLimits) -> Iterator[Sheet]:
    kind = file_kind(path)
    if kind != "text":
        yield from read_sheets(path, kind, sheet=sheet, limits=limits)
        return
    from grader.inputs.delimited import read_delimited

    yield read_delimited(path, encoding=encoding, limits=limits)


def find_header(sheet: Sheet, kind: TableKind, needed: Iterable[str], column_map: Mapping[str, str]) -> int | None:
    """Return the first row whose columns include every needed field, or `None`."""
    wanted = set(needed)
    rows = range(min(HEADER_SEARCH_ROWS, len(sheet.rows)))
    return next((row for row in rows if wanted <= claimed_fields(sheet.header(row), kind, column_map)), None)


def likeliest_header(sheet: Sheet, kind: TableKind, column_map: Mapping[str, str]) -> int | None:
    """Return the row that looks most like a header, for messages; `None` for a sheet without values."""
    rows = [row for row in range(min(HEADER_SEARCH_ROWS, len(sheet.rows))) if not sheet.is_blank(row)]
    return max(rows, key=lambda row: len(claimed_fields(sheet.header(row), kind, column_map)), default=None)


def no_header(sheet: Sheet, kind: TableKind, needed: Iterable[str], column_map: Mapping[str, str]) -> InputError:
    """Return the error for a sheet in which no row has the needed columns."""
    row = likeliest_header(sheet, kind, column_map)
    if row is None:
        return InputError("the sheet is empty", path=sheet.path, sheet=sheet.name, hint="Name another: --sheet NAME")
    headers = sheet.header(row)
    have = claimed_fields(headers, kind, column_map)
    lacking = next((name for name in needed if name not in have), "id")
    message, hint = missing_field(lacking, headers, kind, f"row {row + 1}")
    return InputError(message, path=sheet.path, sheet=sheet.name, cell=f"row {row + 1}", hint=hint)


def sheet_columns(sheet: Sheet, header: int, kind: TableKind, column_map: Mapping[str, str]) -> Columns:
    """Return where the fields of a sheet stand; `InputError`, with the header's place, where that is not clear."""
    try:
        return find_columns(sheet.header(header), kind, column_map)
    except InputError as error:
        place = f"row {header + 1}"
        raise InputError(error.message, path=sheet.path, sheet=sheet.name, cell=place, hint=error.hint) from None


def check_widths(sheet: Sheet, header: int) -> None:
    """Refuse a text table with rows wider than its header: an unquoted delimiter has moved their values."""
    if sheet.name is not None:
        return
    width = max((i + 1 for i, value in enumerate(sheet.rows[header]) if value), default=0)
    for row in range(header + 1, len(sheet.rows)):
        if any(sheet.rows[row][width:]):
            raise sheet.error(
                f"row {row + 1} has more cells than the header has columns ({width})",
                row,
                width,
                hint="Put quotes around a value that holds the delimiter, or export the table as .xlsx",
            )


def sheet_choice_note(sheet: Sheet) -> list[str]:
    """Return what to say where a workbook has several sheets."""
    if not sheet.others:
        return []
    others = ", ".join(f"'{name}'" for name in sheet.others[:8])
    return [f"{sheet.path}: sheet '{sheet.name}' is read; there are also {others} (--sheet NAME)"]


def hidden_rows_note(sheet: Sheet, header: int) -> list[str]:
    """Return what to say where rows are hidden or filtered out: they count like any other."""
    hidden = [row for row in sorted(sheet.hidden_rows) if header < row < len(sheet.rows) and not sheet.is_blank(row)]
    return [f"{sheet.place()}: hidden or filtered out, and used all the same: {listed_rows(hidden)}"] if hidden else []


def listed_rows(rows: Sequence[int]) -> str:
    """Return rows, counted from 0, as a spreadsheet numbers them."""
    shown = ", ".join(str(row + 1) for row in rows[:10])
    return (
        f"row {shown}"
        if len(rows) == 1
        else f"rows {shown}" + (f" and {len(rows) - 10} more" if len(rows) > 10 else "")
    )


def _record(columns: Columns, values: Sequence[object], source: CellRef) -> Record:
    width = len(values)
    return Record(
        fields={name: cell_text(values[i]) if i < width else "" for name, i in columns.fields.items()},
        extras={name: cell_text(values[i]) if i < width else "" for name, i in columns.extras.items()},
        source=source,
    )
