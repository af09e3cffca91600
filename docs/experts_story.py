"""The story of docs/experts.md, told for real: runs the page's commands and types what its experts type; draws nothing.

The pictures and the test of the page both come from here, so that the page, the pictures and the program agree.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openpyxl import load_workbook
from openpyxl.worksheet.worksheet import Worksheet

DOCS = Path(__file__).parent
PAGE = DOCS / "experts.md"
SAMPLE = DOCS.parent / "Data" / "server-care"
SCORE, COMMENT, VERDICT = "Expert score", "Expert comment", "Expert verdict"

Entries = Mapping[tuple[str, str], Mapping[str, object]]
"""Sheet and row (`14 verbose-13b`, `2 verbose-13b 50/1`, on Blind the id alone) to what is typed, by column."""

ANNA: Entries = {
    ("Review", "2 quick-7b"): {SCORE: 25, COMMENT: "Rebooting hides the cause instead of finding it."},
    ("Review", "6 verbose-13b"): {COMMENT: "There is no option --start; 0 is right."},
    ("Review", "14 verbose-13b"): {SCORE: 25, COMMENT: "HTTPS is let out instead of in; there is no “ufw start”."},
    ("Verdicts", "2 verbose-13b 50/1"): {VERDICT: "not met", COMMENT: "One guess among many, and it starts with fsck."},
    ("Verdicts", "16 careful-7b 50/2"): {VERDICT: "met", COMMENT: "“iif lo accept” is there."},
    ("Blind", "2"): {SCORE: 100},
    ("Blind", "3"): {SCORE: 100},
    ("Blind", "5"): {SCORE: 0},
    ("Blind", "7"): {SCORE: 25},
    ("Blind", "8"): {SCORE: 75, COMMENT: "Does not look how much it takes first."},
    ("Blind", "10"): {SCORE: 0, COMMENT: "“chmod -R 777” makes it worse."},
    ("Blind", "11"): {SCORE: 25, COMMENT: "Without the setgid bit new files stay outside the group."},
    ("Blind", "6"): {SCORE: 100},
}

BEN: Entries = {
    ("Review", "14 verbose-13b"): {SCORE: 0, COMMENT: "Follow this and you lock yourself out."},
    ("Verdicts", "2 verbose-13b 50/1"): {VERDICT: "met"},
    ("Blind", "2"): {SCORE: 100},
    ("Blind", "3"): {SCORE: 100},
    ("Blind", "5"): {SCORE: 0},
    ("Blind", "7"): {SCORE: "12,5", COMMENT: "As user root, and “as that user” is no command."},
    ("Blind", "8"): {SCORE: 100},
    ("Blind", "10"): {SCORE: 0},
    ("Blind", "11"): {SCORE: 50},
    ("Blind", "6"): {SCORE: 100},
}

EDITED = ("14", "50", "ufw allow 443/tcp", 'ufw allow 443/tcp", as the server is the one that is called')
"""Id, column, what stands in the criterion, and what Anna makes of it."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the story leaves behind, step by step."""

    criteria: Path
    started: Path
    """A workbook of `grader init`."""
    graded: Path
    """graded.xlsx as it was sent to the experts."""
    anna: Path
    """Her copy, saved by LibreOffice."""
    ben: Path
    after_anna: Path
    after_both: Path
    again: Path
    """graded.xlsx after the edited criterion."""
    said: Mapping[str, str]
    """What each step printed."""


def tell(folder: Path, soffice: str) -> Told:
    """Do what the page says, in `folder`, with LibreOffice between the experts and the program.

    Raises:
        RuntimeError: a command failed, or a row of an entry is not there.
    """
    shutil.copytree(SAMPLE, folder / "server-care")
    init, check, score, review_anna, review_ben = commands()
    said = {"init": _run(init, folder), "check": _run(check, folder), "score": _run(score, folder)}
    newest = folder / "grades" / "graded.xlsx"
    graded = _keep(newest, "sent.xlsx")
    for name, entries in (("anna", ANNA), ("ben", BEN)):
        _type(graded, entries, folder / "typed" / f"{name}.xlsx")
    _save_in_libreoffice(soffice, [folder / "typed" / "anna.xlsx", folder / "typed" / "ben.xlsx"], folder)
    said["anna"] = _run(review_anna, folder)
    after_anna = _keep(newest, "after-anna.xlsx")
    said["ben"] = _run(review_ben, folder)
    after_both = _keep(newest, "after-both.xlsx")
    criteria = folder / "server-care" / "criteria.xlsx"
    _edit(criteria)
    said["again"] = _run(score, folder)
    return Told(
        criteria=criteria,
        started=folder / "my-criteria.xlsx",
        graded=graded,
        anna=folder / "anna.xlsx",
        ben=folder / "ben.xlsx",
        after_anna=after_anna,
        after_both=after_both,
        again=newest,
        said=said,
    )


def commands() -> list[list[str]]:
    """Return the words of the page's commands, in their order."""
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text("utf-8"), re.S)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("grader ")]


def header(sheet: Worksheet) -> list[str]:
    """Return the names of a sheet's columns."""
    return [str(cell.value) for cell in sheet[1]]


def row_number(sheet: Worksheet, about: str) -> int:
    """Return the number of the row that an entry is about.

    Raises:
        RuntimeError: there is none.
    """
    names = header(sheet)
    for number, values in enumerate(sheet.iter_rows(min_row=2, values_only=True), start=2):
        row = dict(zip(names, values, strict=True))
        place = f" {row['Level']}/{row['No.']}" if "No." in row else ""
        system = f" {row['System']}" if "System" in row else ""
        if about == f"{row['ID']}{system}{place}":
            return number
    raise RuntimeError(f"{sheet.title} has no row “{about}”")


def _run(words: Sequence[str], folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "grader", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"grader {shlex.join(words)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout + done.stderr


def _keep(path: Path, name: str) -> Path:
    return Path(shutil.copy(path, path.parent.parent / name))


def _type(source: Path, entries: Entries, target: Path) -> None:
    book: Any = load_workbook(source)
    for (sheet, about), values in entries.items():
        row = row_number(book[sheet], about)
        for column, value in values.items():
            book[sheet].cell(row, header(book[sheet]).index(column) + 1).value = value
    target.parent.mkdir(exist_ok=True)
    book.save(target)


def _save_in_libreoffice(soffice: str, paths: list[Path], folder: Path) -> None:
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = [soffice, profile, "--headless", "--convert-to", "xlsx", "--outdir", str(folder), *map(str, paths)]
    subprocess.run(command, check=True, capture_output=True, timeout=180)


def _edit(criteria: Path) -> None:
    about, column, before, after = EDITED
    book: Any = load_workbook(criteria)
    sheet = book.worksheets[0]
    names = header(sheet)
    for row in sheet.iter_rows(min_row=2):
        if str(row[0].value) == about:
            cell = row[names.index(column)]
            if before not in str(cell.value):
                raise RuntimeError(f"the criterion of question {about} is another one now")
            cell.value = str(cell.value).replace(f'{before}"', after)
    book.save(criteria)
