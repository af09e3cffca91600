"""Reads the tables of a Rubric sheet: dimensions, aspects, bands and points of the levels; not its settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from grader.errors import InputError
from grader.inputs.columns import cell_text, clean_text, closest, header_key
from grader.inputs.points_value import parse_points
from grader.inputs.sheet import Sheet
from grader.records import CellRef
from grader.rubric import Rubric
from grader.rubric_settings import EVERY_DIMENSION, Table, has_fixed_scale, tables_of

Cells = dict[tuple[str, ...], CellRef]
"""Where a value of the rubric was read, by its place in the rubric."""


def read_tables(sheet: Sheet, first_row: int, base: Rubric, content: dict[str, Any], cells: Cells) -> list[range]:
    """Put what the tables say into `content`, a rubric as plain values; return the rows that they take up.

    A table that is not there or is empty leaves the rubric as it is. `InputError`, with its cell, for values that are
    not allowed.
    """
    readers: Mapping[str, Callable[[Sheet, range, Rubric, dict[str, Any], Cells], None]] = {
        "dimensions": _read_dimensions,
        "aspects": _read_aspects,
        "bands": _read_bands,
        "points": _read_points,
    }
    taken = []
    for table in tables_of(base):
        header = _header_row(sheet, first_row, table)
        if header is not None:
            rows = range(header + 1, _end(sheet, header + 1, len(table.header)))
            readers[table.name](sheet, rows, base, content, cells)
            taken.append(range(header, rows.stop))
    return taken


def _header_row(sheet: Sheet, first_row: int, table: Table) -> int | None:
    wanted = [header_key(name) for name in table.header[:2]]
    for row in range(first_row, len(sheet.rows)):
        if [header_key(value) for value in sheet.rows[row][:2]] == wanted:
            return row
    return None


def _end(sheet: Sheet, start: int, width: int) -> int:
    """Return the first row from `start` on that is blank over the table's width."""
    row = start
    while row < len(sheet.rows) and any(clean_text(value) for value in sheet.rows[row][:width]):
        row += 1
    return row


def _number(sheet: Sheet, row: int, column: int, what: str) -> float:
    value = sheet.value(row, column)
    if not clean_text(value):
        raise sheet.error(f"{what} is blank", row, column, hint="Write a plain number")
    try:
        return parse_points(value)
    except ValueError as error:
        raise sheet.error(f"{what}: {error}", row, column, hint="Write a plain number") from error


def _dimension(sheet: Sheet, row: int, names: list[str]) -> str:
    """Return which dimension a row is about."""
    text = sheet.text(row, 0).strip()
    known = {header_key(name): name for name in names}
    if header_key(text) in known:
        return known[header_key(text)]
    close = closest(names, [text])
    guess = f"; the closest is {close}" if close else ""
    raise sheet.error(f"there is no dimension “{text}”{guess}", row, 0, hint=f"Write one of {', '.join(names)}")


def _read_dimensions(sheet: Sheet, rows: range, base: Rubric, content: dict[str, Any], cells: Cells) -> None:
    parts = {part["name"]: part for part in content["output"]["parts"]}
    for row in rows:
        part = parts[_dimension(sheet, row, [part.name for part in base.dimensions])]
        for column, key in ((1, "min"), (2, "max")):
            bound = _number(sheet, row, column, "the end of the scale")
            if bound != part["scale"][key] and has_fixed_scale(base):
                scale = f"{part['scale']['min']:g} to {part['scale']['max']:g}"
                raise sheet.error(
                    f"the scale of a dimension of {base.name} is always {scale}, as its score is calculated from it",
                    *(row, column),
                    hint=f"Write {part['scale'][key]:g}",
                )
            part["scale"][key] = bound
        part["description"] = sheet.text(row, 3).strip() or part["description"]
        cells["output", "parts", part["name"]] = sheet.ref(row, 1)


def _read_aspects(sheet: Sheet, rows: range, base: Rubric, content: dict[str, Any], cells: Cells) -> None:
    aspects = []
    for row in rows:
        name, text = (sheet.text(row, column).strip() for column in (0, 1))
        if not (name and text):
            column, what = (1, "does not say what the judge asks itself") if name else (0, "has no name")
            raise sheet.error(f"the aspect {what}", row, column, hint="Say it in a few words, or delete the row")
        aspects.append({"name": name, "text": text})
    if aspects:
        content["aspects"] = aspects
        cells["aspects",] = sheet.ref(rows.start, 0)


def _read_bands(sheet: Sheet, rows: range, base: Rubric, content: dict[str, Any], cells: Cells) -> None:
    if not rows:
        return
    names = [part.name for part in base.dimensions]
    bands: dict[str, list[dict[str, Any]]] = {name: [] for name in (EVERY_DIMENSION, *names)}
    for row in rows:
        owner = _dimension(sheet, row, [EVERY_DIMENSION, *names]) if names else EVERY_DIMENSION
        cells["bands", owner, str(len(bands[owner]))] = sheet.ref(row, 1)
        bands[owner].append(_band(sheet, row))
    content["bands"] = bands[EVERY_DIMENSION]
    for part in content["output"]["parts"]:
        part["bands"] = bands.get(part["name"], [])


def _band(sheet: Sheet, row: int) -> dict[str, Any]:
    low, high = (_number(sheet, row, column, "the end of a band") for column in (1, 2))
    text = sheet.text(row, 3).strip()
    if low > high:
        raise sheet.error(f"the band starts at {low:g} and ends below, at {high:g}", row, 2, hint="Swap the numbers")
    if not text:
        raise sheet.error("the band does not say what an answer there is like", row, 3, hint="Say it in a few words")
    return {"min": low, "max": high, "text": text}


def check_bands(sheet: Sheet, rubric: Rubric, cells: Cells) -> None:
    """Refuse bands that are not on the scale of what they are about."""
    dimensions = {part.name: part for part in rubric.dimensions}
    shared = next(iter(dimensions.values())).scale if dimensions else rubric.scale
    owners = [(EVERY_DIMENSION, rubric.bands, shared)]
    owners += [(name, part.bands, part.scale) for name, part in dimensions.items()]
    for owner, bands, scale in owners:
        for number, band in enumerate(bands):
            ref = cells.get(("bands", owner, str(number)))
            if ref is not None and scale is not None and not scale.min <= band.min <= band.max <= scale.max:
                raise InputError(
                    f"the band from {band.min:g} to {band.max:g} is not on the scale, {scale.described()}",
                    path=sheet.path,
                    sheet=sheet.name,
                    cell=ref.cell,
                    hint="Correct the band or the scale",
                )


def _read_points(sheet: Sheet, rows: range, base: Rubric, content: dict[str, Any], cells: Cells) -> None:
    points: dict[float, float] = {}
    for row in rows:
        level = _number(sheet, row, 0, "the level")
        if cell_text(sheet.value(row, 1)).strip():
            points[_whole(level)] = _whole(_number(sheet, row, 1, "the points of a level"))
    content["options"]["points"] = points
    cells["options", "points"] = sheet.ref(rows.start, 1)


def _whole(value: float) -> float:
    return int(value) if value.is_integer() else value
