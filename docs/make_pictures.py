"""Draws the pictures of docs/experts.md and of the README from a run of the story; needs LibreOffice and pdftoppm.

Not run by any test: look at the pictures before you commit them. In a picture, columns and rows are hidden so that
what is left can be read; nothing in a cell is changed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from experts_story import DOCS, Told, header, row_number, tell
from openpyxl import load_workbook
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

PICTURES = DOCS / "pictures"
_WIDTH = 1400
_MOST_BYTES = 150_000
_MARGIN = 12
_A2 = 66

Rows = Callable[[Worksheet], Sequence[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A part of a sheet."""

    name: str
    sheet: str
    rows: Rows
    columns: Sequence[str] = ()
    """Headers; all that are not hidden by the workbook itself where none is named."""
    widths: dict[str, float] = field(default_factory=dict)
    """Of columns that would take up too much room."""
    height: float = 0
    """Of each row in points, where the sheet's own are too high for a picture."""


def main() -> None:
    """Tell the story in a folder of its own, and draw it."""
    missing = [name for name in ("soffice", "pdftoppm", "pdftotext") if shutil.which(name) is None]
    if missing:
        sys.exit(
            f"{', '.join(missing)} not found: the pictures need LibreOffice and poppler-utils; install them first."
        )
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        told = tell(folder, "soffice")
        for picture, workbook in _pictures(told):
            _draw(picture, workbook, folder)
        _draw_page(told.after_both, "Summary", "summary", folder, bottom=0.53)
        _draw_page(told.after_both, "Agreement", "agreement", folder)
        _draw_page(told.graded, "Summary", "summary-before", folder, bottom=0.53)
    shutil.copy(PICTURES / "review.png", DOCS / "graded-workbook.png")


def _pictures(told: Told) -> list[tuple[Picture, Path]]:
    """Return the parts of sheets to draw, each with the workbook that it is of."""
    item, judge = ("ID", "System", "Question", "Answer"), ("Judge score", "Verdict", "Judge analysis")
    expert, result = ("Expert score", "Expert comment"), ("Final", "Difference")
    fourteen = _about("14 quick-7b", "14 verbose-13b")
    return [
        (Picture(name="fill-in", sheet="Criteria", rows=_first(5)), told.criteria),
        (
            Picture(
                name="criteria-sheet",
                sheet="Criteria",
                rows=_first(4),
                columns=("id", "50", "100", *_of("careful-7b"), *_of("quick-7b")[:2]),
                widths={"50": 32, "100": 32},
            ),
            told.graded,
        ),
        (
            Picture(
                name="review",
                sheet="Review",
                rows=_about("14 careful-7b", "14 quick-7b", "14 verbose-13b"),
                columns=(*item, *judge, *expert, *result),
            ),
            told.anna,
        ),
        (
            Picture(
                name="verdicts",
                sheet="Verdicts",
                rows=_about(*(f"2 verbose-13b {place}" for place in ("25/1", "50/1", "50/2", "100/1"))),
                widths={"ID": 5, "Criterion": 40, "Evidence": 36},
                height=30,
            ),
            told.anna,
        ),
        (Picture(name="blind", sheet="Blind", rows=_about("11", "8", "10")), told.anna),
        (
            Picture(
                name="masked",
                sheet="Review",
                rows=_about("8 careful-7b", "8 quick-7b"),
                columns=(*item, *judge, "Expert score", "Final"),
            ),
            told.graded,
        ),
        (
            Picture(
                name="two-experts",
                sheet="Review",
                rows=fourteen,
                columns=("ID", "System", "Answer", "Judge score", "Needs review", *expert, *result),
                height=200,
            ),
            told.after_both,
        ),
        (
            Picture(
                name="stale",
                sheet="Review",
                rows=fourteen,
                columns=("ID", "System", "Criteria", "Judge score", "Needs review", *expert, "Stale entry", "Final"),
                height=170,
            ),
            told.again,
        ),
    ]


def _of(system: str) -> tuple[str, ...]:
    return tuple(f"{system} {what}" for what in ("score", "verdict", "analysis"))


def _first(count: int) -> Rows:
    return lambda sheet: range(2, 2 + count)


def _about(*rows: str) -> Rows:
    return lambda sheet: [row_number(sheet, about) for about in rows]


def _draw(picture: Picture, workbook: Path, folder: Path) -> None:
    """Draw a part of a sheet: everything else is hidden in a copy, which is printed on one page."""
    book: Any = load_workbook(workbook)
    sheet = book[picture.sheet]
    _hide_columns(sheet, picture)
    _hide_rows(sheet, picture)
    for other in book.worksheets:
        other.print_area = other.print_title_rows = None  # else LibreOffice prints the sheets that have them, only
        if other is not sheet:
            other.sheet_state = "hidden"
    book.active = book.worksheets.index(sheet)
    sheet.print_options.headings = True
    sheet.oddFooter.left.text = sheet.oddFooter.right.text = ""
    sheet.page_setup.paperSize, sheet.page_setup.orientation = _A2, "landscape"
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 1
    sheet.sheet_properties.pageSetUpPr.fitToPage = True
    copy = folder / f"picture-{picture.name}.xlsx"
    book.save(copy)
    _save_png(_page_image(_as_pdf(copy, folder), 1), picture.name)


def _hide_columns(sheet: Any, picture: Picture) -> None:
    for number, name in enumerate(header(sheet), start=1):
        column = sheet.column_dimensions[get_column_letter(number)]
        if picture.columns:
            column.hidden = column.hidden or name not in picture.columns
        column.width = picture.widths.get(name, column.width)


def _hide_rows(sheet: Any, picture: Picture) -> None:
    shown = {1, *picture.rows(sheet)}
    for number in range(1, sheet.max_row + 1):
        row = sheet.row_dimensions[number]
        row.hidden = number not in shown
        if number > 1 and picture.height:
            row.height = picture.height


def _draw_page(workbook: Path, sheet: str, name: str, folder: Path, *, bottom: float = 0.94) -> None:
    """Draw a sheet as it prints; openpyxl would lose its charts. The foot of the page says which sheet it is."""
    pdf = _as_pdf(Path(shutil.copy(workbook, folder / f"picture-{name}.xlsx")), folder)
    pages = subprocess.run(["pdftotext", "-layout", pdf, "-"], check=True, capture_output=True, text=True).stdout
    number = next(number for number, text in enumerate(pages.split("\f"), 1) if f"\n{sheet} " in text[-400:])
    image = _page_image(pdf, number)
    _save_png(image.crop((0, 0, image.width, round(image.height * bottom))), name)


def _as_pdf(path: Path, folder: Path) -> Path:
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = ["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", str(folder), str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=180)
    return path.with_suffix(".pdf")


def _page_image(pdf: Path, number: int) -> Any:
    from PIL import Image

    target = pdf.with_suffix("")
    page = ["-f", str(number), "-l", str(number), "-singlefile"]
    subprocess.run(["pdftoppm", "-png", "-r", "200", *page, str(pdf), str(target)], check=True, capture_output=True)
    return Image.open(target.with_suffix(".png")).convert("RGB")


def _save_png(image: Any, name: str) -> None:
    """Save what is not white, at the width of a page on the screen, in so few colours that it stays small."""
    from PIL import Image, ImageChops

    left, top, right, bottom = ImageChops.difference(image, Image.new("RGB", image.size, "white")).getbbox()
    far = (min(right + _MARGIN, image.width), min(bottom + _MARGIN, image.height))
    cut = image.crop((max(left - _MARGIN, 0), max(top - _MARGIN, 0), *far))
    small = cut.resize((_WIDTH, round(cut.height * _WIDTH / cut.width)), Image.Resampling.LANCZOS)
    path = PICTURES / f"{name}.png"
    for colours in (64, 32, 16):
        small.quantize(colours).save(path, optimize=True)
        if path.stat().st_size <= _MOST_BYTES:
            break
    sys.stdout.write(f"{path.name}: {path.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
