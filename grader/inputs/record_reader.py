"""Reads any table file into records, for answers and questions; knows fields, but not what they are for.

A record is a row whose columns have become fields.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.errors import InputError
from grader.inputs.columns import Columns, TableKind, cell_text, field_name, find_columns, missing_field, normalise_id
from grader.inputs.json_records import JsonSource
from grader.inputs.package_intake import DEFAULT_LIMITS, IntakeLimits
from grader.inputs.reading_once import hand_on, handed_on
from grader.inputs.sheet import Sheet
from grader.inputs.spool import Form, Spool, Spooled
from grader.inputs.tables import (
    check_widths,
    find_header,
    hidden_rows_note,
    is_json,
    no_header,
    open_sheets,
    sheet_choice_note,
    sheet_columns,
)
from grader.records import CellRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One row of a table: its fields, and where it stands."""

    fields: Mapping[str, str]
    """Text by field name (`id`, `answer`, …), for the fields that the table has."""
    extras: Mapping[str, str]
    """Text of every other column, by its own name."""
    source: CellRef
    """The cell of its id, or its line."""


def _pack(record: Record) -> tuple[Any, ...]:
    source = record.source
    return dict(record.fields), dict(record.extras), source.path, source.sheet, source.cell


def _unpack(packed: Any) -> Record:
    fields, extras, path, sheet, cell = packed
    return Record(fields=fields, extras=extras, source=CellRef(path=path, sheet=sheet, cell=cell))


def _weigh(record: Record) -> int:
    return _BYTES + sum(map(len, record.fields.values())) + sum(map(len, record.extras.values()))


def _key(record: Record) -> tuple[str, str]:
    fields = record.fields
    return sys.intern(fields.get("system", "").strip()), sys.intern(normalise_id(fields["id"]))


_BYTES = 800
"""About what a record takes beside its texts."""

Records = Spooled[Record, tuple[str, str]]
"""The records of a file; the key of each is its system, "" where it names none, and its id."""

RECORD_FORM = Form(_pack, _unpack, _weigh, _key)


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
    spool: Spool = field(default_factory=Spool)
    """Where what is read is kept while memory has no room for it."""
    notes: list[str] = field(default_factory=list)
    bad_lines: list[int] = field(default_factory=list)
    """Numbers of the lines that were left out; fills up as `notes` does."""

    def records(self) -> Iterator[Record]:
        """Yield the table's records in order, blank rows left out; `InputError` as soon as one cannot be read."""
        if is_json(self.path):
            yield from self._json_records()
            return
        sheet, header = self._sheet_with_header()
        self.notes += [*sheet.notes, *sheet_choice_note(sheet), *hidden_rows_note(sheet, header)]
        yield from self._sheet_records(sheet, header)

    def all_records(self) -> Records:
        """Return the same, all of them: those that were left by who read the table before, if there are any."""
        handed = handed_on(self._place)
        if handed is None:
            return Spooled(RECORD_FORM, self.spool, self.records())
        notes, bad_lines, records = handed
        self.notes += notes
        self.bad_lines += bad_lines
        return records  # type: ignore[no-any-return]

    def hand_on(self, records: Records) -> None:
        """Leave `records`, which are all that were read, to the next reader of the same table.

        Where lines were left out, that is for one that leaves them out too.
        """
        hand_on(self._place, (self.notes, self.bad_lines, records))

    @property
    def _place(self) -> Hashable:
        columns = frozenset(self.column_map.items())
        return (self.path, self.kind, tuple(self.needed), columns, self.sheet, self.encoding, self.limits)

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
        for sheet in open_sheets(
            self.path, sheet=self.sheet, encoding=self.encoding, limits=self.limits, spool=self.spool
        ):
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


def _record(columns: Columns, values: Sequence[object], source: CellRef) -> Record:
    width = len(values)
    return Record(
        fields={name: cell_text(values[i]) if i < width else "" for name, i in columns.fields.items()},
        extras={name: cell_text(values[i]) if i < width else "" for name, i in columns.extras.items()},
        source=source,
    )
