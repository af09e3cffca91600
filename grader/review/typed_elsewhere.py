"""Finds what was typed into an expert's copy outside the expert's columns, so that it can be said; reads no entry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from string import digits

from lxml import etree

from grader.outputs.graded_workbook.cell_texts import CellTexts
from grader.outputs.graded_workbook.entry_rows import COMMENT, KEY, SCORE, TEXT_HASH, VERDICT, Kind
from grader.outputs.graded_workbook.ooxml import main
from grader.outputs.graded_workbook.opening import open_package
from grader.outputs.graded_workbook.package import Package, Unpatchable
from grader.outputs.graded_workbook.removal.changes import changes_by_hand
from grader.outputs.graded_workbook.removal.recognising import find_ours

_FORMULAS = frozenset({"Final", "Difference", "Final verdict", "Expert result", "Blind score"})
_EXPERTS = frozenset({SCORE, VERDICT, COMMENT})
_MOST_PLACES = 5
_CELL, _FORMULA = main("c"), main("f")
_OVER, _OUTSIDE = "a value stands where a formula of ours stood", "something stands beside or below the table"


def typed_elsewhere(path: Path, kinds: Mapping[str, Kind]) -> list[str]:
    """Return in words what else was changed in a copy; `kinds` are its sheets of ours by name.

    Cells are named where that can be told from the copy alone, else the sheet is.
    """
    try:
        package = open_package(path)
        ours = find_ours(package)
        known = {name for _, name in ours.sheets}
        unmarked = tuple((kind, name) for name, kind in kinds.items() if name not in known and kind not in ours.names())
        ours = replace(ours, sheets=(*ours.sheets, *unmarked))
        places = [place for name in kinds if name in package.sheets() for place in _cells(package, name)]
        reasons = list(changes_by_hand(package, ours))
    except Unpatchable:
        return []
    told = [_listed(words, [cell for what, cell in places if what == words]) for words in (_OVER, _OUTSIDE)]
    return [*filter(None, told), *reasons]


def _listed(words: str, cells: list[str]) -> str:
    return f"{words} ({', '.join(cells[:_MOST_PLACES])}{' …' if len(cells) > _MOST_PLACES else ''})" if cells else ""


def _cells(package: Package, sheet: str) -> Iterator[tuple[str, str]]:
    """Yield cells of a sheet of ours that hold what we did not write: what it is, and where."""
    texts = CellTexts(package)
    header: dict[str, str] = {}
    for row in package.passing_rows(package.sheets()[sheet]):
        cells = [(cell, text) for cell in row.iterchildren(_CELL) if (text := texts.text(cell).strip())]
        if not header:
            names = {_column(cell): " ".join(text.split()) for cell, text in cells}
            header = names if {KEY, TEXT_HASH} & set(names.values()) else {}
            continue
        # Of a row with an entry it is known what it is about, or it has been named.
        is_of_table = KEY not in header.values() or any(
            header.get(_column(cell)) in {KEY, *_EXPERTS} for cell, _ in cells
        )
        for cell, _ in cells:
            name = header.get(_column(cell), "")
            if name in _FORMULAS and cell.find(_FORMULA) is None:
                yield _OVER, f"{sheet}!{cell.get('r')}"
            elif not name or not is_of_table:
                yield _OUTSIDE, f"{sheet}!{cell.get('r')}"


def _column(cell: etree._Element) -> str:
    return (cell.get("r") or "").rstrip(digits)
