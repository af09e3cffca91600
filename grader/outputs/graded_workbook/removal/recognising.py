"""Tells which sheets and columns of a workbook are ours: by our marks, or in older workbooks by their words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from string import digits

from grader.outputs.graded_workbook.cell_texts import CellTexts
from grader.outputs.graded_workbook.marks import find_marks
from grader.outputs.graded_workbook.ooxml import RELATION_ID, main
from grader.outputs.graded_workbook.package import Package
from grader.outputs.graded_workbook.review_columns import Column

_HEADERS = {str(Column.KEY), str(Column.TEXT_HASH)}
_FIRST_ROWS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Ours:
    """What is ours in a workbook."""

    sheets: tuple[tuple[str, str], ...] = ()
    """Kind and name of each sheet, in the workbook's order; a workbook of old runs may have two of a kind."""
    columns: tuple[tuple[str, str], ...] = ()
    """Sheet and header cells, `G1:L1`, of our columns in the expert's sheets."""

    def __bool__(self) -> bool:
        return bool(self.sheets or self.columns)

    def names(self) -> dict[str, str]:
        """Return a name for each kind: the first of it, unless the expert has two."""
        return dict(reversed(self.sheets))


def find_ours(package: Package) -> Ours:
    """Return what is ours; nothing of it for a workbook that was never graded."""
    marks = find_marks(package)
    # Where there are marks, what has none is the expert's: a copy they made of Review, for example.
    found = {name: kind for kind, name in marks.sheets.items()} if marks.sheets else dict(_unmarked(package))
    in_order = tuple((found[name], name) for name in package.sheets() if name in found)
    return Ours(sheets=in_order, columns=marks.columns)


def header_texts(package: Package, sheet: str, row: int) -> dict[str, str]:
    """Return the texts of one row of a sheet by their columns' letters."""
    for element in package.passing_rows(package.sheets()[sheet]):
        if element.get("r") == str(row):
            texts = CellTexts(package)
            return {cell.get("r", "").rstrip(digits): texts.text(cell) for cell in element.iterchildren(main("c"))}
    return {}


def _unmarked(package: Package) -> list[tuple[str, str]]:
    """Return the sheets that older runs left without marks: name and kind; none without a Review among them."""
    states = _states(package)
    found = [
        (name, kind)
        for name, part in package.sheets().items()
        if package.find(part) and (kind := _kind(package, name, part, states.get(name, "")))
    ]
    return found if any(kind == "review" for _, kind in found) else []


def _kind(package: Package, name: str, part: str, state: str) -> str | None:
    """Return what kind of sheet of ours this is, by its own words; its name alone says nothing."""
    plain = name.casefold()
    if state == "veryHidden" and plain.startswith("_lists"):
        return "lists"
    if not plain.startswith(("review", "verdicts", "blind", "summary", "about")):
        return None
    rows = list(_first_rows(package, part))
    if rows and set(rows[0].values()) >= _HEADERS:
        return next((kind for kind in ("verdicts", "blind") if plain.startswith(kind)), "review")
    column = [row.get("A", "") for row in rows]
    if column[:1] == ["About this workbook"] and "This run" in column:
        return "about"
    if column[:1] == ["Summary"] and any("graded item" in text and "Rubric: " in text for text in column[1:3]):
        return "summary"
    return None


def _first_rows(package: Package, part: str) -> Iterator[dict[str, str]]:
    """Yield the texts of the first rows by their columns' letters."""
    texts = CellTexts(package)
    for row in islice(package.passing_rows(part), _FIRST_ROWS):
        cells = ((cell.get("r", "").rstrip(digits), texts.text(cell)) for cell in row.iterchildren(main("c")))
        yield {column: text for column, text in cells if text}


def _states(package: Package) -> dict[str, str]:
    entries = package.tree(package.workbook).iterfind(f"{main('sheets')}/{main('sheet')}")
    return {entry.get("name", ""): entry.get("state", "") for entry in entries if entry.get(RELATION_ID)}
