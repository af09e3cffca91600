"""Notes that are made after a pattern are those that XlsxWriter makes one by one."""

from __future__ import annotations

from io import BytesIO

import pytest
import xlsxwriter

from grader.outputs.graded_workbook.in_place.notes import Note, make_notes, write_patterns
from grader.outputs.graded_workbook.opening import open_donor
from grader.outputs.graded_workbook.package import Package

HEADER_ROW = 3


def donor(notes: list[Note], *, one_by_one: bool) -> Package:
    data = BytesIO()
    with xlsxwriter.Workbook(data, {"in_memory": True}) as workbook:
        sheet = workbook.add_worksheet("Columns")
        sheet.set_column(4, 4, 8)
        sheet.set_column(5, 6, 54)
        sheet.write(HEADER_ROW, 4, "header")
        if one_by_one:
            sheet.set_comments_author("grader")
            for note in notes:
                sheet.write_comment(note.row, note.column, note.text, {"width": 260, "height": note.pixels})
        else:
            write_patterns(sheet, HEADER_ROW, notes)
    return open_donor(data)


@pytest.mark.parametrize("count", [1, 7, 1_023, 1_024, 2_500])
def test_they_are_to_the_letter_those_of_xlsxwriter(count: int) -> None:
    texts = ("50 on a scale of 0 to 100\nJudge: m", " a < b & c", "_x0041_", "字😀")
    notes = [
        Note(HEADER_ROW + 1 + number // 2, (4, 6)[number % 2], texts[number % 4], pixels=36 + 18 * (number % 5))
        for number in range(count)
    ]
    ours, theirs = donor(notes, one_by_one=False), donor(notes, one_by_one=True)
    make_notes(ours, notes)
    for part in ("xl/comments1.xml", "xl/drawings/vmlDrawing1.vml"):
        assert ours.data(part) == theirs.data(part)


def test_without_notes_there_is_nothing_to_make() -> None:
    empty = donor([], one_by_one=False)
    make_notes(empty, [])
    assert not [name for name in empty.names() if "comments" in name]
