"""Reads only the table of a sheet in which a lone value stands very far away; for no other sheet.

The usual reader lays out every cell between the first value and the last, which a single forgotten value in the
last cell of a sheet makes 17 billion. This one goes row by row, and is several times slower.
"""

from __future__ import annotations

from pathlib import Path

from grader.errors import InputError
from grader.inputs.sheet import Sheet, cell_name
from grader.inputs.sheet_scan import SheetScan


def read_table_only(path: Path, name: str, scan: SheetScan, others: tuple[str, ...]) -> Sheet:
    """Return the rows and columns up to where `scan` found the table's end; what is beyond is said in a note."""
    import openpyxl

    try:
        workbook = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
        cells = workbook[name].iter_rows(
            min_row=1, max_row=scan.table_row + 1, max_col=scan.table_column + 1, values_only=True
        )
        rows = [list(row) for row in cells]
        workbook.close()
    except Exception as error:  # whatever a damaged or odd package makes the library raise
        raise InputError(
            f"the sheet has a value in {cell_name(scan.last_row, scan.last_column)} or so, too far away to read",
            path=path,
            sheet=name,
            hint="Delete what stands far below or to the right of the table (Ctrl+End shows it) and save",
        ) from error
    note = f"{path} [{name}]: left out, far from the table: what stands around {scan.far_cell}"
    return Sheet(
        path=str(path),
        name=name,
        rows=rows,
        faults=scan.faults,
        faults_are_known=True,
        hidden_rows=frozenset(scan.hidden_rows),
        others=others,
        notes=(note, *(f"{path} [{name}]: {note}" for note in scan.notes)),
    )
