"""Opens graded workbooks that came back from experts: our sheets' rows, who saved them and when; compares nothing.

The same limits hold as for every workbook that is read, only wider: a graded one has a row for each grade.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import InputError
from grader.inputs.file_kind import file_kind
from grader.inputs.our_marks import find_our_marks
from grader.inputs.package_intake import DEFAULT_LIMITS, check_package
from grader.inputs.package_parts import WorkbookIndex, read_index
from grader.inputs.percent_cells import percent_rows
from grader.inputs.sheet import Sheet, cell_name
from grader.inputs.spreadsheets import read_sheets
from grader.outputs.graded_workbook.defined_names import areas
from grader.outputs.graded_workbook.entry_rows import KEY, EntryRow, Kind, LostColumns, entry_rows
from grader.outputs.graded_workbook.entry_values import entered_comment
from grader.records import CellRef
from grader.rubric import Scale

if TYPE_CHECKING:
    from lxml.etree import _Element

LIMITS = replace(DEFAULT_LIMITS.times(5), ratio=DEFAULT_LIMITS.ratio)
"""For a hundred thousand rows of ours beside the expert's own sheets."""

_OUR_NAMES: Mapping[Kind, str] = {"review": "Review", "verdicts": "Verdicts", "blind": "Blind"}
_STARTS = tuple(_OUR_NAMES.values())
_MARK = "_grader_"
_CORE, _CUSTOM = "docProps/core.xml", "docProps/custom.xml"
_RUN_PROPERTY = "grader Run"
_HINT_NOT_GRADED = "Name a graded.xlsx that grader score has written, or a copy of it"


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedFile:
    """A graded workbook as it came back."""

    path: Path
    saved_by: str
    """Who the file says has saved it last; may be a program's name, or empty."""
    saved: str
    """When, as the file says or its date in the folder: ISO 8601, UTC."""
    run_id: str
    """The run that it says it is of; empty where a program has dropped that."""
    rows: tuple[EntryRow, ...]
    lost: tuple[LostColumns, ...]
    faults: Mapping[tuple[str, int, int], str]
    """What is wrong with a cell, by sheet, row and column from 0: error values, formulas without a result."""
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    """What each sheet with rows of ours is, by its name."""
    gone: tuple[str, ...] = ()
    """Sheets of ours that were there when it was written, and are there no more."""

    def ref(self, sheet: str, row: int, column: int) -> CellRef:
        """Return a cell's place, for records and messages."""
        return CellRef(path=str(self.path), sheet=sheet, cell=cell_name(row, column))


class PercentCells:
    """Which scores are shown as percentages, `50%` being stored as 0.5; looked up where a score is that small."""

    def __init__(self, file: GradedFile, scale: Scale) -> None:
        self._file, self._is_possible = file, scale.max > 1
        self._rows: dict[tuple[str, int], frozenset[int]] = {}

    def has(self, row: EntryRow, value: float) -> bool:
        """Return whether the score in a row is one of them."""
        if not self._is_possible or not isinstance(row.value, float) or not 0 < value <= 1:
            return False
        column = (row.sheet, row.value_column)
        if column not in self._rows:
            self._rows[column] = percent_rows(self._file.path, *column)
        return row.row in self._rows[column]


def read_graded_file(path: Path) -> GradedFile:
    """Return what came back in `path`.

    Raises:
        InputError: it is no workbook, not safe to read, damaged, or no sheet of ours is in it.
    """
    if file_kind(path) != "xlsx":
        raise InputError("this is not a workbook of the kind .xlsx", path=path, hint=_HINT_NOT_GRADED)
    check_package(path, LIMITS)
    index = read_index(path)
    marks = _marked(index)
    found: list[EntryRow | LostColumns] = []
    kinds: dict[str, Kind] = {}
    faults: dict[tuple[str, int, int], str] = {}
    for sheet in _sheets(path, index):
        name = sheet.name or ""
        rows = list(entry_rows(name, sheet.rows, kind=_kind_of(name, marks)))
        found += rows
        if rows and isinstance(rows[0], EntryRow):
            kinds[name] = rows[0].kind
        if rows:
            faults |= {(name, *cell): fault for cell, fault in sheet.faults.items()}
    if not found:
        what = "there is no sheet Review of grader's in this workbook"
        what += ": it was there, and has been deleted" if "review" in marks else ""
        raise InputError(what, path=path, hint=_HINT_NOT_GRADED)
    there = {*kinds.values(), *(kind for kind, name in marks.items() if name in index.sheets)}
    there |= {kind for kind, name in _OUR_NAMES.items() if any(_is_lost(each, name) for each in found)}
    core, custom = _part(path, _CORE), _part(path, _CUSTOM)
    return GradedFile(
        path=path,
        saved_by=_text(core, "lastModifiedBy"),
        saved=_saved(path, _text(core, "modified")),
        run_id=_run_id(custom),
        rows=tuple(each for each in found if isinstance(each, EntryRow)),
        lost=tuple(each for each in found if isinstance(each, LostColumns) and _is_ours(each, marks, kinds)),
        faults=faults,
        kinds=kinds,
        gone=tuple(name for kind, name in _OUR_NAMES.items() if kind in {"review", *marks} and kind not in there),
    )


def _marked(index: WorkbookIndex) -> dict[Kind, str]:
    """Return the sheets with entries that are marked as ours, those too that have been deleted, with any name."""
    names = {name.casefold(): text for name, text in index.defined_names}
    marked: dict[Kind, str] = {}
    for kind in _OUR_NAMES:
        if _MARK + kind in names:
            cells = areas(names[_MARK + kind])
            marked[kind] = cells[0][0] if cells else ""
    return marked


def _kind_of(sheet: str, marks: Mapping[Kind, str]) -> Kind | None:
    return next((kind for kind, name in marks.items() if name.casefold() == sheet.casefold()), None)


def _is_lost(each: EntryRow | LostColumns, name: str) -> bool:
    return isinstance(each, LostColumns) and each.sheet.startswith(name)


def _is_ours(lost: LostColumns, marks: Mapping[Kind, str], kinds: Mapping[str, Kind]) -> bool:
    """Return whether a sheet that has lost columns is ours for sure; an expert's own may have some of our columns."""
    has_hidden = bool(lost.missing) and KEY not in lost.missing
    is_known = has_hidden or lost.sheet in marks.values() or lost.sheet.startswith(_STARTS)
    return is_known or "review" not in kinds.values()


def _sheets(path: Path, index: WorkbookIndex) -> Iterator[Sheet]:
    """Yield every sheet, hidden ones and copies that an expert made of ours too.

    One of the expert's own that cannot be read is passed over.
    """
    marked = find_our_marks(index).sheets
    for name in index.sheets:
        try:
            yield from read_sheets(path, "xlsx", sheet=name, limits=LIMITS)
        except InputError:
            if name in marked or name.startswith(_STARTS):
                raise


def _part(path: Path, name: str) -> _Element | None:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        with zipfile.ZipFile(path) as package:
            return etree.fromstring(package.read(name), parser)
    except (KeyError, etree.XMLSyntaxError):  # a program may write none; nothing depends on it alone
        return None


def _text(root: _Element | None, name: str) -> str:
    text = None if root is None else root.findtext(f"{{*}}{name}")
    return " ".join(entered_comment(text or "").split())


def _run_id(custom: _Element | None) -> str:
    if custom is None:
        return ""
    values = [entry for entry in custom.iterfind("{*}property") if entry.get("name") == _RUN_PROPERTY]
    return "".join(str(text).strip() for text in values[0].itertext()) if values else ""


def _saved(path: Path, text: str) -> str:
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        when = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    when = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    return f"{when:%Y-%m-%dT%H:%M:%SZ}"
