"""How our sheets print: landscape, one page wide, with page numbers."""

from __future__ import annotations

from grader.outputs.graded_workbook.sheet import Sheet

_A3, _A4 = 8, 9


def set_up_page(sheet: Sheet, *, is_wide: bool = False, is_one_page: bool = False) -> None:
    """Set a sheet up for paper; rows that repeat on each page are the sheet's own business."""
    raw = sheet.raw
    raw.set_landscape()
    raw.set_paper(_A3 if is_wide else _A4)
    raw.fit_to_pages(1, 1 if is_one_page else 0)
    raw.set_margins(left=0.4, right=0.4, top=0.5, bottom=0.6)
    raw.set_footer("&L&8&A&R&8Page &P of &N")
