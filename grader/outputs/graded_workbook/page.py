"""How our sheets print: landscape, one page wide, with page numbers."""

from __future__ import annotations

from grader.outputs.graded_workbook.sheet import Sheet

_A4 = 9


def set_up_page(sheet: Sheet) -> None:
    """Set a sheet up for paper; rows that repeat on each page are the sheet's own business."""
    raw = sheet.raw
    raw.set_landscape()
    raw.set_paper(_A4)
    raw.fit_to_pages(1, 0)
    raw.set_margins(left=0.4, right=0.4, top=0.5, bottom=0.6)
    raw.set_footer("&L&8&A&R&8Page &P of &N")
