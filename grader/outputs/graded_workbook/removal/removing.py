"""Takes a graded workbook back to what the expert gave, so that it can be graded again; judges no cell's meaning."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.outputs.graded_workbook.area import Area, parse_area
from grader.outputs.graded_workbook.marks import find_source, remove_marks
from grader.outputs.graded_workbook.merge.properties import remove_properties
from grader.outputs.graded_workbook.package import Package
from grader.outputs.graded_workbook.removal.columns import remove_columns
from grader.outputs.graded_workbook.removal.recognising import find_ours, header_texts
from grader.outputs.graded_workbook.removal.sheets import remove_sheets
from grader.outputs.graded_workbook.review_columns import column_letters

_OUR_HEADER = re.compile(r".+ (score|verdict|analysis)( \(?\d+\)?)?", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """What was removed, as far as the new sheets must know."""

    names: Mapping[str, str] = field(default_factory=dict)
    """What our sheets were called, by kind: the new ones must be called the same for the expert's formulas."""
    position: int | None = None
    """How many of the expert's sheets stood before ours; `None` where there were none of ours."""
    source: str | None = None
    """What the expert's workbook was called when it was graded first."""
    notes: tuple[str, ...] = ()
    """One sentence each on what of ours had to stay."""


def remove_ours(package: Package) -> Removed:
    """Remove our sheets, columns, marks and properties from a package; one that was never graded stays untouched."""
    ours = find_ours(package)
    if not ours:
        return Removed()
    notes = [note for sheet, reference in ours.columns if (note := _remove_columns(package, sheet, reference))]
    sheets = list(package.sheets())
    names = {name for _, name in ours.sheets}
    position = next((place for place, name in enumerate(sheets) if name in names), None)
    source = find_source(package)
    remove_marks(package)
    remove_sheets(package, [name for _, name in ours.sheets])
    remove_properties(package)
    return Removed(names=ours.names(), position=position, source=source, notes=tuple(notes))


def our_columns(package: Package, sheet: str, reference: str) -> Area | None:
    """Return the header cells of our columns, or `None` where the marked ones are not all ours any more."""
    header = parse_area(reference)
    if header is None:
        return None
    texts = header_texts(package, sheet, header.first_row)
    columns = range(header.first_column - 1, header.last_column)
    is_ours = [_OUR_HEADER.fullmatch(texts.get(column_letters(column), "").strip()) for column in columns]
    return header if all(is_ours) else None


def _remove_columns(package: Package, sheet: str, reference: str) -> str | None:
    """Remove marked columns; return what is to be said where they stay."""
    header = our_columns(package, sheet, reference)
    if header is not None and remove_columns(package, package.sheets()[sheet], header):
        return None
    why = (
        "their headers were changed, or a column was inserted among them"
        if header is None
        else "a table or filter goes on behind them"
    )
    return (
        f"The columns {reference} on the sheet {sheet} are from an earlier run and were left there, because {why}; "
        "delete them if they are not needed."
    )
