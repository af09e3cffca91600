"""Finds the numbers that a workbook shows as percentages, which look like `50%` and are stored as 0.5."""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.etree.ElementTree import ParseError, iterparse  # of packages that have been checked to have no DTD

_STYLES = "xl/styles.xml"
_BUILT_IN_PERCENT = frozenset({"9", "10"})


def percent_rows(path: Path, sheet: str, column: int) -> frozenset[int]:
    """Return the rows, from 0, whose cell in `column` is a number shown as a percentage.

    Only .xlsx files say; for any other the result is empty. A workbook without such a style costs nothing more.
    """
    if not zipfile.is_zipfile(path) or not _has_percent_style(path):
        return frozenset()
    import openpyxl

    try:
        workbook = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
        cells = (row[0] for row in workbook[sheet].iter_rows(min_col=column + 1, max_col=column + 1) if row)
        found = frozenset(
            cell.row - 1
            for cell in cells
            if isinstance(cell.value, (int, float)) and "%" in str(cell.number_format or "")
        )
        workbook.close()
    except Exception:  # an odd package that only the other reader takes; its values have been read
        return frozenset()
    return found


def _has_percent_style(path: Path) -> bool:
    """Whether some cell style of the workbook shows percentages."""
    custom: set[str] = set()
    is_used = False
    try:
        with zipfile.ZipFile(path) as package, package.open(_STYLES) as stream:
            depth_of_cells = 0
            for event, element in iterparse(stream, events=("start", "end")):
                kind = element.tag.rpartition("}")[2]
                if kind == "cellXfs":
                    depth_of_cells += 1 if event == "start" else -1
                elif kind == "numFmt" and event == "start" and "%" in element.get("formatCode", ""):
                    custom.add(element.get("numFmtId", ""))
                elif kind == "xf" and event == "start" and depth_of_cells:
                    is_used = is_used or element.get("numFmtId", "") in _BUILT_IN_PERCENT | custom
    except (KeyError, OSError, ParseError, zipfile.BadZipFile):
        return False
    return is_used
