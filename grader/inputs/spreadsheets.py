"""Reads the sheets of a workbook (.xlsx .xlsm .xls .ods .xlsb) with true addresses; knows nothing of criteria."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import is_zipfile

from grader.errors import InputError, location
from grader.inputs.columns import clean_text, closest
from grader.inputs.file_kind import FileKind
from grader.inputs.our_marks import OurMarks, find_our_marks, without_spans
from grader.inputs.package_encoding import utf8_package
from grader.inputs.package_intake import DEFAULT_LIMITS, IntakeLimits, check_file_size, check_package
from grader.inputs.package_parts import WorkbookIndex, read_index
from grader.inputs.reading_once import kept
from grader.inputs.shared_text import check_shared_text
from grader.inputs.sheet import EXCEL_TEXT_LIMIT, Sheet, cell_name, too_long
from grader.inputs.sheet_scan import SheetScan, scan_sheet
from grader.inputs.zero_formats import fill_zeros, zero_widths
from grader.records import CellRef

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

_HINT_DAMAGED = "Open it in Excel or LibreOffice, which may repair it, and save it as .xlsx"


def read_sheets(
    path: Path, kind: FileKind, *, sheet: str | None = None, limits: IntakeLimits = DEFAULT_LIMITS
) -> Iterator[Sheet]:
    """Yield the workbook's visible worksheets in order, or only the one called `sheet`.

    Each is read when it is asked for. `InputError` for a file or sheet that cannot be read safely.
    """
    with _open_workbook(path, kind, limits) as workbook:
        index = read_index(path) if kind == "xlsx" else None
        marks = find_our_marks(index) if index else OurMarks()
        visible = [name for name in _visible_worksheets(workbook) if name not in marks.sheets]
        chosen = visible if sheet is None else [_named(path, workbook, sheet)]
        if not chosen:
            what = "of the expert's" if marks.sheets else "that is not hidden"
            raise InputError(f"the workbook has no worksheet {what}", path=path, hint="Name it: --sheet NAME")
        for name in chosen:
            others = tuple(other for other in visible if other != name)
            scan = _scan(path, index, name, limits) if index and name in index.sheets else None
            found = _read_sheet(path, workbook, name, others, scan, limits)
            yield without_spans(found, marks.columns.get(name, ()))


def _scan(path: Path, index: WorkbookIndex, name: str, limits: IntakeLimits) -> SheetScan:
    """Look over a sheet before its values are read; `InputError` where that would not be safe."""
    scan = scan_sheet(path, index.sheets[name], name, limits, zero_widths=zero_widths(path, index.styles))
    check_shared_text(path, index.sheets[name], index.strings, scan.shared_count, limits)
    if index.lacks_styles and scan.is_styled:
        message = "the workbook is damaged: its styles are missing, so that dates cannot be told from numbers"
        raise InputError(message, path=path, sheet=name, hint=_HINT_DAMAGED)
    if index.is_calculated_by_hand and scan.formula_count:
        scan.notes.append("the workbook calculates only when it is told to, so that its formulas may show old results")
    if scan.is_disordered:
        scan.notes.append("the file's cells are out of order; where one stands in it twice, the last counts")
    return scan


def find_sheet(path: Path, kind: FileKind, wanted: str, limits: IntakeLimits = DEFAULT_LIMITS) -> Sheet | None:
    """Return the sheet called `wanted`, whatever its case and even if hidden, or `None` where there is none."""
    with _open_workbook(path, kind, limits) as workbook:
        names = [str(name) for name in workbook.sheet_names]
    name = next((name for name in names if clean_text(name).casefold() == wanted.casefold()), None)
    return None if name is None else next(read_sheets(path, kind, sheet=name, limits=limits))


def _open_workbook(path: Path, kind: FileKind, limits: IntakeLimits) -> CalamineWorkbook:
    """Open a workbook that is safe to open; `InputError` for any other."""
    if kind == "xls":
        from grader.inputs.xls_scan import check_xls_area

        check_file_size(path, limits)
        check_xls_area(path, limits)
    else:
        kept(("safe package", path, limits), lambda: check_package(path, limits))
    if kind == "ods":
        from grader.inputs.ods_scan import check_ods_area

        check_ods_area(path, limits)
    if kind == "xlsb":
        from grader.inputs.xlsb_scan import check_xlsb_area

        check_xlsb_area(path, limits)
    with _plain_errors(path):
        from python_calamine import CalamineWorkbook

        recoded = utf8_package(path) if kind == "xlsx" else None
        return CalamineWorkbook.from_filelike(recoded) if recoded else CalamineWorkbook.from_path(str(path))


def _visible_worksheets(workbook: CalamineWorkbook) -> list[str]:
    from python_calamine import SheetTypeEnum, SheetVisibleEnum

    return [
        str(meta.name)
        for meta in workbook.sheets_metadata
        if meta.typ == SheetTypeEnum.WorkSheet and meta.visible == SheetVisibleEnum.Visible
    ]


def _named(path: Path, workbook: CalamineWorkbook, wanted: str) -> str:
    names = [str(name) for name in workbook.sheet_names]
    if wanted in names:
        return wanted
    alike = [name for name in names if clean_text(name).casefold() == clean_text(wanted).casefold()]
    if len(alike) == 1:
        return alike[0]
    close = closest(names, [wanted])
    raise InputError(
        f"there is no sheet '{wanted}'; there are {_listed(names)}",
        path=path,
        hint=f'Say --sheet "{close}"' if close else "Name one of them with --sheet",
    )


def _read_sheet(
    path: Path,
    workbook: CalamineWorkbook,
    name: str,
    others: tuple[str, ...],
    scan: SheetScan | None,
    limits: IntakeLimits,
) -> Sheet:
    if scan is not None and (scan.last_row + 1) * (scan.last_column + 1) > limits.area:
        from grader.inputs.sparse_sheet import read_table_only

        _check_area(path, name, scan.table_row + 1, scan.table_column + 1, limits)
        return read_table_only(path, name, scan, others)
    with _plain_errors(path, name):
        sheet = workbook.get_sheet_by_name(name)
        _check_area(path, name, sheet.total_height + 1, sheet.total_width + 1, limits)
        rows = sheet.to_python(skip_empty_area=False)
    fill_zeros(rows, scan.zero_widths if scan else {})
    if scan is not None and scan.cell_count and not rows:
        raise InputError("the sheet has cells, but none can be read", path=path, sheet=name, hint=_HINT_DAMAGED)
    return Sheet(
        path=str(path),
        name=name,
        rows=rows,
        faults=scan.faults if scan else {},
        faults_are_known=scan is not None,
        hidden_rows=frozenset(scan.hidden_rows) if scan else frozenset(),
        merged_tops=_merged_tops(path, sheet, len(rows), limits),
        merges=tuple(sheet.merged_cell_ranges or ()),
        others=others,
        notes=(*_notes(path, name, scan), *_long_texts(path, name, rows, limits)),
    )


def _notes(path: Path, name: str, scan: SheetScan | None) -> list[str]:
    return [f"{location(path, name, None)}: {note}" for note in scan.notes] if scan else []


def _long_texts(path: Path, name: str, rows: list[list[object]], limits: IntakeLimits) -> Iterator[str]:
    for r, row in enumerate(rows):
        for c, value in enumerate(row):
            if isinstance(value, str) and len(value) > EXCEL_TEXT_LIMIT:
                if len(value) > limits.cell_length:
                    raise too_long(value, CellRef(path=str(path), sheet=name, cell=cell_name(r, c)))
                yield (
                    f"{path} [{name}!{cell_name(r, c)}]: the cell has {len(value):,} characters, which Excel cuts at "
                    f"{EXCEL_TEXT_LIMIT:,}; it is read whole"
                )


def _check_area(path: Path, name: str, height: int, width: int, limits: IntakeLimits) -> None:
    if height * width > limits.area:
        raise InputError(
            f"the sheet's values reach over {height:,} rows and {width:,} columns, too far to read safely",
            path=path,
            sheet=name,
            hint="Delete what stands far below or to the right of the table (Ctrl+End shows it) and save",
        )


def _merged_tops(path: Path, sheet: CalamineSheet, height: int, limits: IntakeLimits) -> dict[tuple[int, int], int]:
    """Map the cells under a merged one to its row; only its first column matters, the others show nothing."""
    tops: dict[tuple[int, int], int] = {}
    covered = 0
    for (top, left), (bottom, _) in sheet.merged_cell_ranges or ():
        rows = range(top + 1, min(bottom + 1, height))
        tops.update(((row, left), top) for row in rows)
        covered += len(rows)  # merges may overlap, so the size of `tops` says nothing of the work
        if covered > limits.cell_count:
            raise InputError("the sheet has too many merged cells to read safely", path=path, sheet=sheet.name)
    return tops


@contextmanager
def _plain_errors(path: Path, sheet: str | None = None) -> Iterator[None]:
    """Turn whatever the workbook library raises, its panics included, into an `InputError`."""
    from python_calamine import CalamineError, PasswordError

    try:
        yield
    except PasswordError as error:
        raise InputError(
            "the workbook is protected by a password",
            path=path,
            hint="Open it in Excel, remove the password (File > Info > Protect Workbook) and save a copy",
        ) from error
    except (CalamineError, OSError, ValueError) as error:
        raise InputError(f"the workbook is damaged: {error}", path=path, sheet=sheet, hint=_HINT_DAMAGED) from error
    except BaseException as error:
        # A panic in the library is no Exception, so that nobody swallows it by accident; here it is a bad file.
        if type(error).__name__ != "PanicException":
            raise
        raise InputError("the workbook is damaged", path=path, sheet=sheet, hint=_HINT_DAMAGED) from error


def _listed(names: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def number_formats(path: Path, sheet: str | None, column: int) -> dict[int, str]:
    """Return how a column's numbers are shown, `0.00`, by row from 0; nothing where the file does not say."""
    if sheet is None or not is_zipfile(path):
        return {}
    import openpyxl

    try:
        workbook = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
        cells = (row[0] for row in workbook[sheet].iter_rows(min_col=column + 1, max_col=column + 1) if row)
        found = {cell.row - 1: str(cell.number_format) for cell in cells if isinstance(cell.value, float)}
        workbook.close()
    except Exception:  # an odd package that only the other reader takes; its values have been read
        return {}
    return found
