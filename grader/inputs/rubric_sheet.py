"""Reads the Rubric sheet of a criteria workbook: what an expert has decided about a rubric type; not YAML files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from grader.errors import InputError
from grader.inputs.columns import cell_text, clean_text, closest, header_key
from grader.inputs.file_kind import file_kind
from grader.inputs.package_intake import DEFAULT_LIMITS, IntakeLimits
from grader.inputs.points_value import parse_points
from grader.inputs.reading_once import kept
from grader.inputs.rubric_file import list_rubrics, read_rubric
from grader.inputs.rubric_tables import Cells, check_bands, read_tables
from grader.inputs.sheet import Sheet
from grader.inputs.spreadsheets import find_sheet
from grader.rubric import Rubric
from grader.rubric_settings import SETTINGS_HEADER, SHEET_NAME, TYPE_LABEL, Setting, settings_of, tables_of

_SEARCH_ROWS = 20


@dataclass(frozen=True, slots=True)
class RubricSheet:
    """A Rubric sheet that has been found; `first_row` is the first of its settings, counted from 0."""

    sheet: Sheet
    first_row: int
    rubric_type: str
    """A rubric's name, or the path of its file."""
    type_row: int


def find_rubric_sheet(path: str | Path, *, limits: IntakeLimits = DEFAULT_LIMITS) -> RubricSheet | None:
    """Return the workbook's Rubric sheet, or `None` where it has none; a sheet of criteria can be called so too."""
    path = Path(path)
    return kept(("rubric sheet", path, limits), lambda: _find_rubric_sheet(path, limits))


def _find_rubric_sheet(path: Path, limits: IntakeLimits) -> RubricSheet | None:
    kind = file_kind(path)
    sheet = None if kind == "text" else find_sheet(path, kind, SHEET_NAME, limits)
    if sheet is None:
        return None
    wanted = tuple(map(header_key, SETTINGS_HEADER))
    for row in range(min(_SEARCH_ROWS, len(sheet.rows))):
        first, second = (header_key(value) for value in (*sheet.rows[row], "", "")[:2])
        if (first, second) == wanted or first == header_key(TYPE_LABEL):
            return _found(sheet, row if first == header_key(TYPE_LABEL) else row + 1)
    return None


def _found(sheet: Sheet, first_row: int) -> RubricSheet:
    for row in range(first_row, len(sheet.rows)):
        if header_key(_cell(sheet, row, 0)) == header_key(TYPE_LABEL):
            name = clean_text(sheet.text(row, 1))
            if name:
                return RubricSheet(sheet, first_row, name, row)
            break
    else:
        row = first_row
    raise _error(sheet, row, 1, f"the {TYPE_LABEL} is not given", f"Write one of {', '.join(list_rubrics())}")


def rubric_type_for(name_or_path: str, folder: Path) -> str:
    """Return how the Rubric sheet of a workbook in `folder` names a rubric: a file by its way from there."""
    path = Path(name_or_path)
    if path.suffix not in (".yaml", ".yml"):
        return name_or_path
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # on another drive there is no way from there
        return str(path.absolute())


def read_rubric_sheet(found: RubricSheet) -> tuple[Rubric, Path]:
    """Return the rubric that a Rubric sheet describes, and the path of its template.

    What the sheet leaves empty or out is as the rubric type has it.

    Raises:
        InputError: an unknown setting or a value that is not allowed, with its cell.
        RubricError: the file of the rubric type cannot be used.
    """
    base, template_path = _base(found)
    content = base.model_dump()
    cells: Cells = {}
    table_rows = read_tables(found.sheet, found.first_row, base, content, cells)
    for row in _setting_rows(found, base, table_rows):
        _take_setting(found.sheet, row, base, content, cells)
    try:
        rubric = Rubric.model_validate(content)
    except ValidationError as error:
        raise _invalid(found.sheet, error, cells, base, content) from error
    check_bands(found.sheet, rubric, cells)
    return rubric, template_path


def _base(found: RubricSheet) -> tuple[Rubric, Path]:
    """Return the rubric type; the path of a file counts from the workbook's folder first."""
    name, beside = found.rubric_type, Path(found.sheet.path).parent / found.rubric_type
    if Path(name).suffix in (".yaml", ".yml"):
        return read_rubric(str(beside if beside.is_file() else name))
    known = {known.casefold(): known for known in list_rubrics()}
    if name.casefold() not in known:
        close = closest(known.values(), [name])
        raise _error(
            found.sheet,
            *(found.type_row, 1),
            f"there is no rubric type “{name}”" + (f"; the closest is {close}" if close else ""),
            f"Write one of {', '.join(known.values())}",
        )
    return read_rubric(known[name.casefold()])


def _setting_rows(found: RubricSheet, base: Rubric, table_rows: Sequence[range]) -> Iterator[int]:
    """Yield the rows that hold a setting: all that are filled, outside tables, and no title."""
    titles = {header_key(table.title) for table in tables_of(base)} | {header_key(TYPE_LABEL)}
    for row in range(found.first_row, len(found.sheet.rows)):
        key = header_key(_cell(found.sheet, row, 0))
        if key and key not in titles and not any(row in rows for rows in table_rows):
            yield row


def _take_setting(sheet: Sheet, row: int, base: Rubric, content: dict[str, Any], cells: Cells) -> None:
    """Put one setting's value where the rubric has it, and note its cell."""
    settings = {header_key(setting.label): setting for setting in settings_of(base)}
    shown = cell_text(_cell(sheet, row, 0)).strip()
    setting = settings.get(header_key(shown))
    labels = [each.label for each in settings.values()]
    if setting is None:
        close = closest(labels, [shown])
        raise _error(
            sheet,
            *(row, 0),
            f"“{shown}” is no setting of the rubric {base.name}" + (f"; the closest is “{close}”" if close else ""),
            f"There are: {', '.join([TYPE_LABEL, *labels])}. Titles of its tables must stay as they are",
        )
    if setting.path in cells:
        raise _error(sheet, row, 0, f"“{setting.label}” is given twice", "Keep one of the rows")
    cells[setting.path] = sheet.ref(row, 1)
    value = sheet.value(row, 1)
    if not clean_text(value):
        return
    place = content
    for key in setting.path[:-1]:
        place = place[key]
    try:
        place[setting.path[-1]] = parse_setting(setting, value)
    except ValueError as error:
        raise _error(sheet, row, 1, f"{setting.label}: {error}", _wanted(setting)) from error


def parse_setting(setting: Setting, value: object) -> Any:
    """Return a setting's value as the rubric has it.

    Raises:
        ValueError: it is not what the setting may be.
    """
    if setting.kind == "number":
        return parse_points(value)
    text = cell_text(value).replace("\r\n", "\n").strip()
    if setting.kind == "numbers":
        pieces = [value] if isinstance(value, (int, float)) else text.replace("；", ";").split(";")
        return tuple(parse_points(piece) for piece in pieces if clean_text(piece))
    if setting.kind == "names":
        return tuple(name for piece in text.replace("、", ",").replace("，", ",").split(",") if (name := piece.strip()))
    if setting.choices:
        return _chosen(setting.choices, text)
    return text


def _chosen(choices: Sequence[str], text: str) -> str:
    known: Mapping[str, str] = {clean_text(choice).casefold(): choice for choice in choices}
    wanted = clean_text(text).casefold()
    if wanted not in known:
        close = closest(choices, [text])
        raise ValueError(f"“{text[:40]}” is not allowed" + (f"; the closest is {close}" if close else ""))
    return known[wanted]


def _wanted(setting: Setting) -> str:
    if setting.choices:
        return f"Write one of {', '.join(setting.choices)}"
    return "Write plain numbers with semicolons between them" if setting.kind == "numbers" else "Write a plain number"


def _invalid(
    sheet: Sheet, error: ValidationError, cells: Cells, base: Rubric, content: Mapping[str, Any]
) -> InputError:
    """Return the error for values that do not go together, at the cell of the first that can be told."""
    problem = error.errors()[0]
    message = problem["msg"].removeprefix("Value error, ")
    location = _named_location(problem["loc"], content)
    places = [path for path in cells if path[: len(location)] == location or path == location[: len(path)]]
    named = [path for path in places if re.search(rf"\b{re.escape(path[-1])}\b", message)]
    own = [path for path in named if _value_at(base.model_dump(), path) != _value_at(content, path)]
    best = (own or named or places)[-1:]
    ref = cells[best[0]] if best else sheet.ref(0, 0)
    return InputError(message, path=sheet.path, sheet=sheet.name, cell=ref.cell, hint="Correct the value, or empty it")


def _named_location(location: Sequence[str | int], content: Mapping[str, Any]) -> tuple[str, ...]:
    """Return where a problem is as the cells are noted: a part by its name, other lists as a whole."""
    if tuple(location[:2]) == ("output", "parts") and len(location) > 2:
        return ("output", "parts", content["output"]["parts"][location[2]]["name"])
    return tuple(part for part in location if isinstance(part, str))


def _value_at(content: Any, path: Sequence[str]) -> Any:
    """Return a value of a rubric as plain values; `None` where the path leads through a list."""
    for key in path:
        content = content.get(key) if isinstance(content, Mapping) else None
    return content


def _cell(sheet: Sheet, row: int, column: int) -> object:
    values = sheet.rows[row]
    return values[column] if column < len(values) else ""


def _error(sheet: Sheet, row: int, column: int, message: str, hint: str) -> InputError:
    return sheet.error(message, row, column, hint=hint)
