"""Writes a new criteria workbook for a rubric, ready to be filled in; changes no workbook that is there already."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from openpyxl import Workbook

from grader.errors import InputError
from grader.outputs.atomic_file import write_new_file
from grader.outputs.new_workbook.criteria_sheet import write_criteria_sheet
from grader.outputs.new_workbook.how_to_sheet import write_how_to_sheet
from grader.outputs.new_workbook.rubric_sheet import write_rubric_sheet
from grader.rubric import Rubric


def write_new_workbook(path: str | Path, rubric: Rubric, *, rubric_type: str | None = None) -> None:
    """Write the sheets Criteria, Rubric and How to into a new file at `path`.

    `rubric_type` is how the Rubric sheet names the type, by default the rubric's name; for a rubric with a file of
    its own it is the file's path, seen from the workbook.

    Raises:
        InputError: there is such a file already, its name is not that of a workbook, or its folder does not exist.
    """
    path = Path(path)
    _check_target(path)
    workbook = Workbook()
    workbook.remove(workbook.worksheets[0])
    write_criteria_sheet(workbook, rubric)
    write_rubric_sheet(workbook, rubric, rubric_type or rubric.name)
    write_how_to_sheet(workbook, rubric, path.name)
    workbook.properties.title = rubric.title
    workbook.properties.creator = "grader"
    _save(workbook, path)


def _check_target(path: Path) -> None:
    if path.suffix.lower() != ".xlsx":
        raise InputError("the workbook's name must end in .xlsx", path=path, hint=f"Call it {path.stem or 'new'}.xlsx")
    if path.exists():
        raise _is_there(path)
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {path.parent}", path=path, hint="Make it first, or choose another")


def _save(workbook: Workbook, path: Path) -> None:
    from lxml.etree import LxmlError

    content = BytesIO()
    try:
        workbook.save(content)  # by way of temporary files, for which there may be no room
        write_new_file(path, content.getvalue())
    except FileExistsError as error:
        raise _is_there(path) from error
    except (OSError, LxmlError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"the file cannot be written: {reason}", path=path, hint="Choose another folder") from error


def _is_there(path: Path) -> InputError:
    return InputError(
        "the file is there already, and is never overwritten", path=path, hint="Choose another name, or move it away"
    )
