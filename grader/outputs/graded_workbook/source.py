"""Chooses the workbook that our sheets and columns are added to: the criteria's, or what is left of it; adds nothing.

The expert's sheets are taken from the graded workbook that stands there, where the criteria workbook is gone or cannot
be read: they may be there alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.outputs.graded_workbook.in_place.place import CriteriaSheet
from grader.outputs.graded_workbook.marks import find_source
from grader.outputs.graded_workbook.opening import EXTENSIONS, open_package
from grader.outputs.graded_workbook.package import Package, Unpatchable
from grader.outputs.graded_workbook.removal.recognising import find_ours
from grader.outputs.graded_workbook.removal.removing import Removed, remove_ours
from grader.outputs.graded_workbook.saving import numbered_files


@dataclass(frozen=True, slots=True)
class Source:
    """The expert's workbook, without anything of ours."""

    package: Package
    removed: Removed
    criteria_sheet: CriteriaSheet | None
    """Where columns are to be added; `None` for new sheets only."""
    called: str
    """The workbook's name, without extension."""

    def without_columns(self) -> Source:
        """Return the workbook as it was read, to be tried again with new sheets only."""
        package = Package(self.package.original)
        return Source(package, remove_ours(package), None, self.called)


def open_source(criteria_path: Path) -> Package:
    """Return the criteria workbook.

    Raises:
        Unpatchable: it is not there, or it can take no sheets of ours.
    """
    if not criteria_path.is_file():
        raise Unpatchable("it is not there any more")
    return open_package(criteria_path)


def open_graded_before(out_path: Path, criteria_path: Path) -> tuple[Path, Package] | None:
    """Return the graded workbook that stands at `out_path`, or beside it, if it holds the sheets of these criteria."""
    for suffix in dict.fromkeys((".xlsx", *EXTENSIONS.values())):
        target = out_path.with_suffix(suffix)
        for path in (target, *reversed(numbered_files(target)), *kept_files(target)):
            try:
                package = open_package(path)
            except (Unpatchable, OSError):
                continue
            # What is there and cannot be read may be another workbook than the one that was graded into this folder.
            if has_theirs(package) and (not criteria_path.exists() or find_source(package) == criteria_path.stem):
                return path, package
    return None


def kept_files(target: Path) -> list[Path]:
    """Return the files `graded (earlier 1).xlsx` … beside `target`, the one that was saved last first."""
    names = (path for path in target.parent.glob("*") if path.name.startswith(f"{target.stem} (earlier "))
    files = [path for path in names if path.suffix == target.suffix and path.is_file()]
    return sorted(files, key=lambda path: path.stat().st_mtime_ns, reverse=True)


def has_theirs(package: Package) -> bool:
    """Return whether a graded workbook holds sheets of the expert's beside ours."""
    ours = find_ours(package)
    return bool(ours.sheets) and len(package.sheets()) > len(ours.sheets)
