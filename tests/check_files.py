"""Writes the small files that the rules of `grader check` are tried on."""

from __future__ import annotations

import datetime
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import xlsxwriter

from grader.planning import Request

Rows = Sequence[Sequence[object]]


@dataclass(frozen=True)
class Files:
    """What to write before a check: rows into a workbook (or a text table), and what goes beside it."""

    rows: Rows = (["id", 25, 50, 100], [1, "(1) name the ship", None, "(1) name the captain"])
    merge: Sequence[tuple[str, str]] = ()
    formats: Mapping[str, str] = field(default_factory=dict)
    formulas: Mapping[str, tuple[str, object]] = field(default_factory=dict)
    over: Mapping[str, object] = field(default_factory=dict)
    """Written over cells last of all, also under merged ones."""
    rubric_sheet: Rows = ()
    long_text: int = 0
    csv: str = ""
    raw: bytes = b""
    answers: str | Sequence[Mapping[str, object]] = ""
    rubric: str = ""
    template: str = ""
    named: str | None = None


def write_files(folder: Path, files: Files) -> Request:
    """Write the files and return the request to check them."""
    answers: tuple[Path, ...] = ()
    if files.answers:
        answers = (folder / "apollo.jsonl",)
        is_text = isinstance(files.answers, str)
        lines = files.answers if is_text else "\n".join(json.dumps(record) for record in files.answers)
        answers[0].write_text(str(lines), encoding="utf-8")
    named = files.named
    if files.rubric:
        named = str(folder / "own.yaml")
        Path(named).write_text(files.rubric, encoding="utf-8")
    if files.template:
        (folder / "own.j2").write_text(files.template, encoding="utf-8")
    return Request(criteria_path=_write_criteria(folder, files), answers_paths=answers, rubric=named)


def _write_criteria(folder: Path, files: Files) -> Path:
    if files.csv or files.raw:
        path = folder / ("criteria.csv" if files.csv else "criteria.xlsx")
        path.write_bytes(files.raw or files.csv.encode())
        return path
    path = folder / "criteria.xlsx"
    with xlsxwriter.Workbook(str(path)) as workbook:
        sheet = workbook.add_worksheet("Criteria")
        _write_rows(workbook, sheet, files)
        for cells, value in files.merge:
            sheet.merge_range(cells, value)
        for cell, over in files.over.items():
            sheet.write(cell, over)
        if files.rubric_sheet:
            rubric = workbook.add_worksheet("Rubric")
            for number, row in enumerate(files.rubric_sheet):
                rubric.write_row(number, 0, row)
    if files.long_text:
        _stretch(path, files.long_text)
    return path


def _write_rows(workbook: Any, sheet: Any, files: Files) -> None:
    date = workbook.add_format({"num_format": "d-mmm"})
    for number, row in enumerate(files.rows):
        for column, value in enumerate(row):
            is_date = isinstance(value, datetime.date)
            sheet.write(number, column, value, *([date] if is_date else []))
    for cell, (formula, result) in files.formulas.items():
        sheet.write_formula(cell, formula, None, result)
    for cell, shown in files.formats.items():
        row_number, column = int(cell[1:]) - 1, ord(cell[0]) - 65
        value = files.rows[row_number][column]
        sheet.write(row_number, column, value, workbook.add_format({"num_format": shown}))


def _stretch(path: Path, length: int) -> None:
    """Put a text of that length where LONG stands; no library writes more than Excel takes."""
    with zipfile.ZipFile(path) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in parts.items():
            package.writestr(name, data.replace(b"LONG", b"a" * length))
