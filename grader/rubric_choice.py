"""Decides which rubric a run uses and says why: the one named, the workbook's Rubric sheet, or its columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.errors import InputError
from grader.inputs.criteria_table import Layout
from grader.inputs.package_intake import DEFAULT_LIMITS, IntakeLimits
from grader.inputs.problems import listed_problems
from grader.inputs.rubric_file import read_rubric
from grader.inputs.rubric_sheet import RubricSheet, find_rubric_sheet, read_rubric_sheet
from grader.records import CellRef, Item
from grader.rubric import Rubric

HOW_TO_SHEET = "How to"
"""The sheet of instructions that `grader init` writes beside the Rubric sheet."""

_CRITERIA_FIELDS = ("criteria", "answer")
"""Inputs whose absence is an error of its own, found while reading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricChoice:
    """A rubric, the path of its template, and the sentence that says why it was chosen."""

    rubric: Rubric
    template_path: Path
    note: str
    own_sheets: tuple[str, ...] = ()
    """Sheets of the workbook that hold no criteria, as they belong to the rubric."""


def named_rubric(path: Path, name: str | None, *, limits: IntakeLimits = DEFAULT_LIMITS) -> RubricChoice | None:
    """Return the rubric called `name`, else the one of the workbook's Rubric sheet, else `None`: let columns tell.

    Raises:
        RubricError: no such rubric.
        InputError: the Rubric sheet says something that is not allowed.
    """
    found = find_rubric_sheet(path, limits=limits)
    if name is None:
        return None if found is None else _of_sheet(found, f"from the sheet {found.sheet.name}")
    if found is None:
        rubric, template_path = read_rubric(name)
        return RubricChoice(rubric=rubric, template_path=template_path, note=f"rubric: {rubric.name}, as named")
    if found.rubric_type.casefold() == name.casefold():
        return _of_sheet(found, f"as named, with what the sheet {found.sheet.name} says of it")
    rubric, template_path = read_rubric(name)
    note = f"rubric: {rubric.name}, as named; the sheet {found.sheet.name} is of another type and not used"
    note += f" ({found.rubric_type})"
    return RubricChoice(rubric=rubric, template_path=template_path, note=note, own_sheets=_own_sheets(found))


def guessed_rubric(layout: Layout) -> RubricChoice:
    """Return the rubric that has the name of the criteria workbook's layout."""
    rubric, template_path = read_rubric(layout)
    note = f"rubric: {rubric.name}, guessed from the columns of the criteria workbook"
    return RubricChoice(rubric=rubric, template_path=template_path, note=note)


def _of_sheet(found: RubricSheet, why: str) -> RubricChoice:
    rubric, template_path = read_rubric_sheet(found)
    return RubricChoice(
        rubric=rubric, template_path=template_path, note=f"rubric: {rubric.name}, {why}", own_sheets=_own_sheets(found)
    )


def _own_sheets(found: RubricSheet) -> tuple[str, ...]:
    return (found.sheet.name or "", HOW_TO_SHEET)


def with_options(rubric: Rubric, options: Mapping[str, str]) -> Rubric:
    """Return the rubric with options such as `strictness` set.

    Raises:
        InputError: the rubric has no such option, or it may not be that.
    """
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        if name not in rubric.options:
            raise InputError(f"the rubric {rubric.name} has no {name.replace('_', ' ')}", hint=f"Leave out {flag}")
        choices = rubric.option_choices.get(name, (value,))
        if value not in choices:
            raise InputError(f"{flag} {value} is not allowed", hint=f"It is one of {', '.join(choices)}")
    return rubric.model_copy(update={"options": {**rubric.options, **options}})


def check_items(items: Sequence[Item], rubric: Rubric, places: Sequence[str]) -> list[str]:
    """Refuse items that the rubric cannot judge; return what is to be said of those that lack something.

    `places` are the files in which their fields were looked for.

    Raises:
        InputError: a field that the rubric needs is in no file, or an item's own option is not allowed.
    """
    _check_item_options(items, rubric)
    notes = []
    for name in rubric.inputs:
        if name in _CRITERIA_FIELDS or any(_text(item, name).strip() for item in items):
            continue
        if name != "question" or "criteria" not in rubric.inputs:
            raise _missing(name, rubric, places)
        notes.append("no file has the questions' text: the judge sees the criteria and the answers alone")
    return notes


def _text(item: Item, name: str) -> str:
    return {"question": item.question, "reference": item.reference}.get(name, item.fields.get(name, ""))


def _missing(name: str, rubric: Rubric, places: Sequence[str]) -> InputError:
    shown = name.replace("_", " ")
    return InputError(
        f"the rubric {rubric.name} needs a {shown}, and no item has one; looked for a column “{shown}” in "
        f"{', '.join(places)}",
        hint=f"Add such a column, name another with --map {name}=COLUMN, or give a table of --questions",
    )


def _check_item_options(items: Sequence[Item], rubric: Rubric) -> None:
    for name, choices in rubric.option_choices.items():
        wrong: dict[str, tuple[CellRef | None, str]] = {}
        for item in items:
            value = item.fields.get(name, "").strip()
            if value and value.casefold() not in choices:
                wrong[item.id] = (item.source, f"id {item.id}: “{value[:40]}”")
        if wrong:
            raise listed_problems(
                f"the {name.replace('_', ' ')} of a question is not allowed",
                wrong.values(),
                hint=f"Write one of {', '.join(choices)}, or leave it empty",
            )
