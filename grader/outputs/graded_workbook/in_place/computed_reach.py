"""Says how far formulas reach whose cells are computed, by OFFSET or INDIRECT: as far as plain arguments tell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grader.outputs.graded_workbook.area import MOST_COLUMNS, MOST_ROWS, Area, Reference, bounds, references

_CALL = re.compile(r"(?<![\w.])(OFFSET|INDIRECT)\s*\(", re.IGNORECASE)
_WHOLE_NUMBER = re.compile(r"\s*([+-]?[0-9]{1,7})\s*")
_TEXT = re.compile(r'\s*"((?:[^"]|"")*)"\s*')
_TEXT_START = re.compile(r'\s*"(?:\'((?:[^\'"]|\'\')+)\'|([^\W\d][\w.]*))!')
_COMPUTED_END = re.compile(r"\)\s*:|:\s*[A-Za-z.]+\(")
_EVERYWHERE = Area(1, MOST_ROWS, 1, MOST_COLUMNS)


@dataclass(frozen=True, slots=True)
class Reach:
    """What a formula may read through one of its functions."""

    words: str
    """The function, in capitals."""
    target: Reference


def computed_reach(formula: str) -> Iterator[Reach]:
    """Yield where a formula's computed references may lie; all over the sheet, or anywhere, where nothing says more.

    The target's sheet is `None` for the formula's own, and `*` for any.
    """
    for call in _CALL.finditer(formula):
        name, arguments = call[1].upper(), _arguments(formula[call.end() :])
        yield Reach(name, _offset(arguments) if name == "OFFSET" else _indirect(arguments))
    if _COMPUTED_END.search(formula):
        by_sheet: dict[str | None, list[Area]] = {}
        for each in references(formula):
            by_sheet.setdefault(each.sheet, []).append(each.area)
        for sheet, areas in by_sheet.items():
            yield Reach("a range with a computed end", Reference(sheet, bounds(areas) or _EVERYWHERE))


def _offset(arguments: list[str]) -> Reference:
    """Return the cells of OFFSET: unknown rows are all rows, and unknown columns all columns, of its sheet."""
    start = list(references(arguments[0])) if arguments else []
    if len(start) != 1 or any(mark in arguments[0] for mark in "(,"):
        return Reference("*", _EVERYWHERE)
    sheet, area = start[0].sheet, start[0].area
    rows = _span(arguments, 1, area.first_row, area.last_row, MOST_ROWS)
    columns = _span(arguments, 2, area.first_column, area.last_column, MOST_COLUMNS)
    return Reference(sheet, Area(*rows, *columns))


def _span(arguments: list[str], place: int, first: int, last: int, most: int) -> tuple[int, int]:
    """Return the first and last row, or column, that the arguments at `place` and two behind it lead to."""
    moved = _whole_number(arguments, place, 0)
    size = _whole_number(arguments, place + 2, last - first + 1)
    if moved is None or size is None:
        return 1, most
    start = first + moved
    ends = (start, start + size - 1 if size >= 0 else start + size + 1)
    return min(ends), max(ends)


def _whole_number(arguments: list[str], place: int, otherwise: int) -> int | None:
    """Return a plain number among the arguments, `otherwise` for an empty one, `None` for what is computed."""
    text = arguments[place] if place < len(arguments) else ""
    if not text.strip():
        return otherwise
    number = _WHOLE_NUMBER.fullmatch(text)
    return int(number[1]) if number else None


def _indirect(arguments: list[str]) -> Reference:
    """Return the cells of INDIRECT: those of a plain text, else at most its sheet, where the text begins with one."""
    text = arguments[0] if arguments else ""
    plain = _TEXT.fullmatch(text)
    if plain is not None:
        found = list(references(plain[1].replace('""', '"')))
        if len(found) == 1:
            return found[0]
    start = _TEXT_START.match(text)
    if start is not None:
        return Reference((start[1] or start[2]).replace("''", "'"), _EVERYWHERE)
    return Reference("*", _EVERYWHERE)


def _arguments(text: str) -> list[str]:
    """Return the arguments of a call whose opening bracket stands before `text`."""
    arguments, depth, start, quote = [], 0, 0, ""
    for place, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "({":
            depth += 1
        elif char in ")}" and depth:
            depth -= 1
        elif char == ")" or (char == "," and not depth):
            arguments.append(text[start:place])
            start = place + 1
            if char == ")":
                break
    return arguments
