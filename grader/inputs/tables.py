"""Reads any table file, by what it really is, into sheets, and finds their headers; knows fields, not their use.

A sheet keeps rows and addresses, for the criteria workbook; `record_reader` makes records of its rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from grader.errors import InputError
from grader.inputs.columns import Columns, TableKind, claimed_fields, find_columns, missing_field
from grader.inputs.file_kind import file_kind
from grader.inputs.json_records import STDIN
from grader.inputs.package_intake import DEFAULT_LIMITS, IntakeLimits
from grader.inputs.reading_once import kept_sheets
from grader.inputs.sheet import Sheet
from grader.inputs.spool import Spool
from grader.inputs.spreadsheets import read_sheets

HEADER_SEARCH_ROWS = 50
"""A header further down than this is not looked for."""


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
    path: Path,
    *,
    sheet: str | None = None,
    encoding: str | None = None,
    limits: IntakeLimits = DEFAULT_LIMITS,
    spool: Spool | None = None,
) -> Iterator[Sheet]:
    """Yield a workbook's visible sheets, or the one text table there is; `InputError` for what is neither."""
    return kept_sheets((path, sheet, encoding, limits), lambda: _read_tables(path, sheet, encoding, limits, spool))


def _read_tables(
    path: Path, sheet: str | None, encoding: str | None, limits: IntakeLimits, spool: Spool | None
) -> Iterator[Sheet]:
    kind = file_kind(path)
    if kind != "text":
        yield from read_sheets(path, kind, sheet=sheet, limits=limits)
        return
    from grader.inputs.delimited import read_delimited

    yield read_delimited(path, encoding=encoding, limits=limits, spool=spool)


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
