"""Finds what an expert has typed on the Review sheets of an earlier graded workbook; judges none of it."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from python_calamine import CalamineError, CalamineWorkbook

from grader.criterion_score import CRITERION_SCORES
from grader.outputs.graded_workbook.keys import grade_key, text_hash
from grader.outputs.graded_workbook.names import SheetNames
from grader.outputs.graded_workbook.review_columns import Column, column_index
from grader.records import CriterionVerdict, Grade
from grader.rubric import Rubric

_NEEDED = (Column.KEY, Column.TEXT_HASH, Column.EXPERT_SCORE, Column.EXPERT_COMMENT)


CriterionKey = tuple[float | None, int]
"""Level and number of a criterion within its item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionEntry:
    """What stands in the expert's cells of one criterion, on the sheet Verdicts."""

    met: bool | str | None = None
    """A verdict as a rule; text where something else was typed."""
    comment: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpertEntry:
    """What stands in the expert's cells about one grade, on all our sheets together."""

    score: float | str | None = None
    """On Review. A number as a rule; text where something else was typed."""
    comment: str = ""
    blind_score: float | str | None = None
    """On Blind, where the judge's score is not shown."""
    blind_comment: str = ""
    criteria: Mapping[CriterionKey, CriterionEntry] = field(default_factory=dict)
    text_hash: str = ""
    """Of the texts that the expert had before them."""
    stale: str = ""
    """In words, what was entered for texts that have changed since: it is shown and does not count."""

    @property
    def number(self) -> float | None:
        """The expert's score for the whole answer: the one on Review before the blind one."""
        return next((value for value in (self.score, self.blind_score) if isinstance(value, float)), None)


_CELL = re.compile(rb"""<(?:\w+:)?c\s[^>]*?\br=["']([A-Z]{1,3})(\d{1,7})["']""")

NO_ENTRY = ExpertEntry()


class Unreadable(Exception):
    """The file is no workbook that could be looked into."""


def read_entries(path: Path) -> dict[str, ExpertEntry]:
    """Return the expert's entries by their rows' keys; empty for a workbook without a Review sheet of ours.

    Raises:
        Unreadable: the file is damaged, protected, or no workbook.
    """
    try:
        workbook = CalamineWorkbook.from_path(path)
        # The last sheet is the newest: a workbook graded twice has Review and Review (2).
        names = [name for name in workbook.sheet_names if is_review(name)]
        return {key: entry for name in names for key, entry in _entries(workbook.get_sheet_by_name(name).iter_rows())}
    except (CalamineError, zipfile.BadZipFile, OSError) as error:
        raise Unreadable(str(error)) from error


def is_review(sheet: str) -> bool:
    """Return whether a sheet may be a Review of ours, by its name; its header says for sure."""
    return sheet.startswith(SheetNames().review)


def cell_area(sheet: bytes) -> int:
    """Return how many cells lie between A1 and the last column and row that a sheet's XML names."""
    columns, rows = {b"A"}, {1}
    for column, row in _CELL.findall(sheet):
        columns.add(column)
        rows.add(int(row))
    widest = max(columns, key=lambda letters: (len(letters), letters))
    return (column_index(widest.decode()) + 1) * max(rows)


def entry_for(grade: Grade, entries: Mapping[str, ExpertEntry]) -> ExpertEntry:
    """Return the entry that belongs to a grade: made for the same item, with the same texts before the expert."""
    entry = entries.get(grade_key(grade)) if entries else None
    return entry if entry is not None and entry.text_hash == text_hash(grade.item) else NO_ENTRY


def final_score(grade: Grade, entry: ExpertEntry, rubric: Rubric) -> float | None:
    """Return the score that counts: the expert's, else what follows from the expert's criteria, else the judge's."""
    if entry.number is not None:
        return entry.number
    by_criteria = expert_criteria_score(grade, entry, rubric)
    return grade.verdict.score if by_criteria is None else by_criteria


def expert_criteria_score(grade: Grade, entry: ExpertEntry, rubric: Rubric) -> float | None:
    """Return the score that the criteria give with the expert's verdicts on some of them; `None` without any."""
    rule = CRITERION_SCORES.get(rubric.rule)
    if rule is None or not any(isinstance(each.met, bool) for each in entry.criteria.values()):
        return None
    verdicts = final_criteria(grade, entry)
    return None if verdicts is None else rule(verdicts, grade.item, rubric)


def final_criteria(grade: Grade, entry: ExpertEntry) -> tuple[CriterionVerdict, ...] | None:
    """Return a verdict on each criterion, the expert's before the judge's; `None` where one has neither."""
    judged = {(verdict.level, verdict.number): verdict for verdict in grade.verdict.items}
    verdicts = []
    for criterion in grade.item.criteria:
        key = (criterion.level, criterion.number)
        entered = entry.criteria.get(key)
        met = entered.met if entered and isinstance(entered.met, bool) else None
        verdict = judged.get(key)
        if verdict is None and met is None:
            return None
        verdict = verdict or CriterionVerdict(level=criterion.level, number=criterion.number, met=False)
        verdicts.append(verdict if met is None else replace(verdict, met=met))
    return tuple(verdicts)


def _entries(rows: Iterator[Sequence[object]]) -> Iterator[tuple[str, ExpertEntry]]:
    header = [str(value).strip() for value in next(rows, ())]
    if not set(_NEEDED) <= set(header):
        return
    places = [header.index(name) for name in _NEEDED]
    for row in rows:
        key, texts, score, comment = (row[place] for place in places)
        if score != "" or comment != "":
            yield str(key), ExpertEntry(score=_score(score), comment=str(comment), text_hash=str(texts))


def _score(value: object) -> float | str | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return str(value) if value != "" else None
