"""Tells which sheets and columns of a workbook are ours: by our marks, or in older workbooks by their words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

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


@dataclass(slots=True)
class Texts:
    """Reads the texts of single cells, whichever way a program has stored them."""

    package: Package
    strings: list[etree._Element] | None = field(default=None)

    def rows(self, part: str, count: int) -> Iterator[dict[str, str]]:
        """Yield the texts of the first rows by their columns' letters."""
        rows = self.package.tree(part).iterfind(f"{main('sheetData')}/{main('row')}")
        for row, _ in zip(rows, range(count), strict=False):
            cells = ((cell.get("r", "").rstrip("0123456789"), self.text(cell)) for cell in row.iterchildren(main("c")))
            yield {column: text for column, text in cells if text}

    def text(self, cell: etree._Element) -> str:
        """Return what stands in a cell: a text, or a number as the file writes it."""
        value = cell.findtext(main("v")) or ""
        if cell.get("t") == "s":
            return self._shared(value)
        if cell.get("t") == "inlineStr":
            return _joined(cell)
        return value

    def _shared(self, number: str) -> str:
        if self.strings is None:
            part = self.package.related_part("sharedStrings")
            self.strings = list(self.package.tree(part).iterchildren(main("si"))) if part else []
        if not number.isdigit() or int(number) >= len(self.strings):
            return ""
        return _joined(self.strings[int(number)])


def find_ours(package: Package) -> Ours:
    """Return what is ours; nothing of it for a workbook that was never graded."""
    marks = find_marks(package)
    # Where there are marks, what has none is the expert's: a copy they made of Review, for example.
    found = {name: kind for kind, name in marks.sheets.items()} if marks.sheets else dict(_unmarked(package))
    in_order = tuple((found[name], name) for name in package.sheets() if name in found)
    return Ours(sheets=in_order, columns=marks.columns)


def header_texts(package: Package, sheet: str, row: int) -> dict[str, str]:
    """Return the texts of one row of a sheet by their columns' letters."""
    part = package.sheets()[sheet]
    for element in package.tree(part).iterfind(f"{main('sheetData')}/{main('row')}"):
        if element.get("r") == str(row):
            texts = Texts(package)
            return {
                cell.get("r", "").rstrip("0123456789"): texts.text(cell) for cell in element.iterchildren(main("c"))
            }
    return {}


def _joined(text: etree._Element) -> str:
    """Return a text without its formats, and without the readings that Japanese Excel keeps beside it."""
    parts = text.iter(main("t"))
    return "".join(part.text or "" for part in parts if (run := part.getparent()) is None or run.tag != main("rPh"))


def _unmarked(package: Package) -> list[tuple[str, str]]:
    """Return the sheets that older runs left without marks: name and kind; none without a Review among them."""
    texts = Texts(package)
    states = _states(package)
    found = [
        (name, kind)
        for name, part in package.sheets().items()
        if package.find(part) and (kind := _kind(texts, name, part, states.get(name, "")))
    ]
    return found if any(kind == "review" for _, kind in found) else []


def _kind(texts: Texts, name: str, part: str, state: str) -> str | None:
    """Return what kind of sheet of ours this is, by its own words; its name alone says nothing."""
    plain = name.casefold()
    if state == "veryHidden" and plain.startswith("_lists"):
        return "lists"
    if not plain.startswith(("review", "verdicts", "blind", "summary", "about")):
        return None
    rows = list(texts.rows(part, _FIRST_ROWS))
    if rows and set(rows[0].values()) >= _HEADERS:
        return next((kind for kind in ("verdicts", "blind") if plain.startswith(kind)), "review")
    column = [row.get("A", "") for row in rows]
    if column[:1] == ["About this workbook"] and "This run" in column:
        return "about"
    if column[:1] == ["Summary"] and any("graded item" in text and "Rubric: " in text for text in column[1:3]):
        return "summary"
    return None


def _states(package: Package) -> dict[str, str]:
    entries = package.tree(package.workbook).iterfind(f"{main('sheets')}/{main('sheet')}")
    return {entry.get("name", ""): entry.get("state", "") for entry in entries if entry.get(RELATION_ID)}
