"""Writes a copy of a workbook with notes on its cells and a sheet that lists them all; knows nothing of what they say.

Nothing of the original is lost: parts are added to its package, as for graded.xlsx. A sheet that has notes of its own
is left as it is, and what would stand there is in the list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path

from grader.outputs.graded_workbook.lint import check_copy
from grader.outputs.graded_workbook.merge.sheets import SheetCarrier
from grader.outputs.graded_workbook.merge.styles import merge_styles
from grader.outputs.graded_workbook.ooxml import RELATION_ID, WORKSHEET_ORDER, child_in_order, main
from grader.outputs.graded_workbook.opening import file_extension, open_donor, open_package
from grader.outputs.graded_workbook.package import Package, Unpatchable
from grader.outputs.graded_workbook.saving import save_beside

_SHEET = "Check"
_WIDTHS = (10, 28, 16, 10, 70, 60, 24)
_AUTHOR = "grader check"
_NOTE_PARTS = ("vmlDrawing", "comments")
_LONGEST_NOTE = 2_000


def write_annotated_copy(
    out_path: Path, source: Path, notes: Mapping[str, Mapping[str, str]], rows: Sequence[Sequence[str]]
) -> tuple[Path, tuple[str, ...]]:
    """Write the copy and return where it is, with what is to be said of it.

    Args:
        out_path: Where it goes; its suffix follows the workbook's kind.
        source: The workbook, which is never changed.
        notes: Sheet to cell (`B7`) to the note's text.
        rows: The list for the sheet of ours, its header first.

    Raises:
        RunError: the folder cannot be written to.
    """
    try:
        package = open_package(source)
        target = out_path.with_suffix(file_extension(package))
        path, said = save_beside(target, lambda beside: _write_copy(beside, package, notes, rows))
    except Unpatchable as reason:
        said = [f"{source.name} could not be copied, because {reason}; the file holds the list alone"]
        path, _ = save_beside(out_path.with_suffix(".xlsx"), lambda beside: beside.write_bytes(_list_workbook(rows)))
    return path, tuple(said)


def _write_copy(
    path: Path, package: Package, notes: Mapping[str, Mapping[str, str]], rows: Sequence[Sequence[str]]
) -> list[str]:
    said: list[str] = []
    for sheet, cells in notes.items():
        part = package.sheets().get(sheet, "")
        if not package.find(part) or not _can_take_notes(package, part):
            said.append(
                f"the sheet {sheet} has notes or controls of its own and is left as it is: see the sheet {_SHEET}"
            )
        else:
            _add_notes(package, part, cells)
    donor = open_donor(BytesIO(_list_workbook(rows, _free_name(package))))
    SheetCarrier(package, donor, merge_styles(package, donor)).add_all()
    package.save(path)
    problems = check_copy(Package(package.original), path, touched=package.changed_names)
    if problems:
        raise Unpatchable(f"the copy did not pass our check ({'; '.join(problems[:3])})")
    return said


def _can_take_notes(package: Package, part: str) -> bool:
    kinds = {relation.kind.casefold() for relation in package.relations(part)}
    has_drawing = package.tree(part).find(main("legacyDrawing")) is not None
    return not has_drawing and not kinds & {"comments", "vmldrawing", "threadedcomment"}


def _add_notes(package: Package, part: str, cells: Mapping[str, str]) -> None:
    """Carry over the parts that XlsxWriter makes for notes in the same cells."""
    donor = open_donor(BytesIO(_notes_workbook(cells)))
    source = next(iter(donor.sheets().values()))
    for relation in donor.relations(source):
        if relation.kind in _NOTE_PARTS:
            name = package.free_name(relation.target)
            package.add(name, donor.data(relation.target), donor.content_type(relation.target) or "application/xml")
            relation_id = package.relate(part, relation.type, name)
            if relation.kind == "vmlDrawing":
                drawing = child_in_order(package.touch(part), "legacyDrawing", WORKSHEET_ORDER)
                drawing.set(RELATION_ID, relation_id)


def _notes_workbook(cells: Mapping[str, str]) -> bytes:
    import xlsxwriter

    data = BytesIO()
    with xlsxwriter.Workbook(data, {"in_memory": True}) as workbook:
        sheet = workbook.add_worksheet()
        sheet.set_comments_author(_AUTHOR)
        for cell, text in cells.items():
            lines = sum(1 + len(line) // 45 for line in text.splitlines())
            sheet.write_comment(cell, text[:_LONGEST_NOTE], {"width": 320, "height": min(400, 16 * lines + 12)})
    return data.getvalue()


def _list_workbook(rows: Sequence[Sequence[str]], name: str = _SHEET) -> bytes:
    import xlsxwriter

    data = BytesIO()
    as_text = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(data, {"in_memory": True, **as_text}) as workbook:
        sheet = workbook.add_worksheet(name)
        wrapped = workbook.add_format({"text_wrap": True, "valign": "top"})
        bold = workbook.add_format({"bold": True, "bottom": 1})
        for column, width in enumerate(_WIDTHS):
            sheet.set_column(column, column, width)
        for number, row in enumerate(rows):
            for column, text in enumerate(row):
                sheet.write_string(number, column, text, wrapped if number else bold)
            if number:
                sheet.set_row(number, 15 * max(1, *(1 + len(text) // w for text, w in zip(row, _WIDTHS, strict=True))))
        sheet.freeze_panes(1, 0)
        sheet.autofilter(0, 0, max(1, len(rows) - 1), len(_WIDTHS) - 1)
    return data.getvalue()


def _free_name(package: Package) -> str:
    taken = {name.casefold() for name in package.sheets()}
    names = [_SHEET, *(f"{_SHEET} ({number})" for number in range(2, len(taken) + 3))]
    return next(name for name in names if name.casefold() not in taken)
