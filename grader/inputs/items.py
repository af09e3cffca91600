"""Joins criteria, answers and questions into the items to grade; pure: it reads no file and asks no judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import InputError
from grader.inputs.answers import AnswersTable, duplicate_answers
from grader.inputs.columns import closest, field_name
from grader.inputs.criteria_table import CriteriaRow, CriteriaTable
from grader.inputs.joined_items import AllAnswers, JoinedItems, Places, answer_keys
from grader.inputs.our_marks import graded_source
from grader.inputs.problems import listed_problems
from grader.inputs.spool import Mapped
from grader.records import Answer, SkippedItem

if TYPE_CHECKING:
    from grader.inputs.questions import QuestionsTable

_GROUP_NAMES = ("group", "type")


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """What there is to grade: items in criteria order and, for one question, in the order of the systems."""

    items: JoinedItems
    systems: tuple[str, ...]
    """In the order in which the answers files name them."""
    skipped: tuple[SkippedItem, ...] = ()
    """Answers without criteria and criteria without answers, per system."""
    notes: tuple[str, ...] = ()


def join_items(
    criteria: CriteriaTable,
    answers_tables: Sequence[AnswersTable] = (),
    *,
    questions: QuestionsTable | None = None,
    group_by: str | None = None,
) -> Join:
    """Return the items to grade.

    Without answers tables the workbook's own answer column is graded, as the system named after the workbook.
    Question, reference and other fields come from the questions table, else the workbook, else the answers
    file. Raises `InputError` where no answer matches, where two answers share system and id, and where
    `group_by` names no field.
    """
    tables, notes = (answers_tables, []) if answers_tables else (_workbook_answers(criteria), [])
    if answers_tables and "answer" in criteria.columns and any(row.answer for row in criteria.rows):
        notes.append(f"{criteria.path}: its answer column is not graded, as answers are given in files")
    answers = AllAnswers(tables)
    by_system = _positions_by_system(tables, answers)
    known = questions.questions if questions else {}
    places = _places(criteria, by_system)
    if not places:
        raise _no_match(criteria, tables)
    items = JoinedItems(criteria, answers, known, places=places, systems=tuple(by_system))
    skipped = tuple(_skipped(criteria, answers, by_system))
    notes += _match_notes(criteria, by_system)
    return Join(
        items=_grouped(items, group_by) if group_by else items,
        systems=tuple(by_system),
        skipped=skipped,
        notes=tuple(notes),
    )


def unanswered(criteria: CriteriaTable) -> list[AnswersTable]:
    """Return a table with an empty answer to every question; none where the workbook has answers of its own."""
    if any((row.answer or "").strip() for row in criteria.rows):
        return []
    name = Path(criteria.path).stem
    answers = tuple(Answer(item_id=row.item_id, system=name, text="", source=row.source) for row in criteria.rows)
    keys = [(name, item_id) for item_id in criteria.ids]
    return [AnswersTable(path=criteria.path, answers=answers, keys=keys, file_system=name)]


def _workbook_answers(criteria: CriteriaTable) -> tuple[AnswersTable, ...]:
    file_system = graded_source(Path(criteria.path)) or Path(criteria.path).stem

    def answer(row: CriteriaRow) -> Answer:
        system = row.fields.get("system") or file_system
        return Answer(item_id=row.item_id, system=system, text=row.answer or "", source=row.source)

    if "answer" not in criteria.columns:
        raise InputError(
            "there are no answers to grade: the workbook has no answer column",
            path=criteria.path,
            sheet=criteria.sheet,
            hint="Name the file that holds the answers: --answers FILE",
        )
    answers = Mapped(criteria.rows, answer)
    if not any(each.text.strip() for each in answers):
        raise InputError(
            "there are no answers to grade: the workbook's answer column is empty",
            path=criteria.path,
            sheet=criteria.sheet,
            hint="Fill it in, or name the file that holds the answers: --answers FILE",
        )
    _check_one_answer(criteria)
    keys = [(each.system, each.item_id) for each in answers]
    return (AnswersTable(path=criteria.path, answers=answers, keys=keys, file_system=file_system),)


def _check_one_answer(criteria: CriteriaTable) -> None:
    others = [(cell, f"id {row.item_id}") for row in criteria.rows for cell in row.other_answers]
    if others:
        raise listed_problems(
            "an id has two different answers",
            others,
            hint="Keep one answer for each id, on its first row; or grade answers from files: --answers FILE",
        )


def _positions_by_system(tables: Sequence[AnswersTable], answers: AllAnswers) -> dict[str, dict[str, int]]:
    """Return where each system's answers stand among `answers`, by id."""
    _check_given_once(tables)
    by_system: dict[str, dict[str, int]] = {}
    twice: list[tuple[int, int]] = []
    for position, (system, item_id) in enumerate(answer_keys(tables)):
        earlier = by_system.setdefault(system, {}).setdefault(item_id, position)
        if earlier != position:
            twice.append((earlier, position))
    if twice:
        raise duplicate_answers([(answers[earlier], answers[later]) for earlier, later in twice])
    return by_system


def _check_given_once(tables: Sequence[AnswersTable]) -> None:
    paths = [table.path for table in tables]
    for path in paths:
        if paths.count(path) > 1:
            raise InputError("this answers file is given twice", path=path, hint="Name each file once")


def _places(criteria: CriteriaTable, by_system: Mapping[str, Mapping[str, int]]) -> Places:
    """Return where the parts of each item stand."""
    places = Places()
    for row, item_id in enumerate(criteria.ids):
        for system, positions in enumerate(by_system.values()):
            if item_id in positions:
                places.add(row, positions[item_id], system)
    return places


def _grouped(items: JoinedItems, group_by: str) -> JoinedItems:
    wanted = field_name(group_by)
    names = list(dict.fromkeys(name for item in items for name in item.fields))
    if wanted not in names:
        alike = [name for name in names if wanted in _GROUP_NAMES and name in _GROUP_NAMES]
        if not alike:
            listed = ", ".join(f"'{name}'" for name in names) or "none"
            close = closest(names, [group_by])
            raise InputError(
                f"there is no field '{group_by}' to group by; the fields are {listed}",
                hint=f"Say --group-by {close}" if close else "Name one of them, or give a table of --questions",
            )
        wanted = alike[0]
    return items.changed(lambda item: replace(item, group=item.fields.get(wanted, "").strip() or None))


def _skipped(
    criteria: CriteriaTable, answers: AllAnswers, by_system: Mapping[str, Mapping[str, int]]
) -> Iterator[SkippedItem]:
    ids = set(criteria.ids)
    for system, positions in by_system.items():
        for row, item_id in enumerate(criteria.ids):
            if item_id not in positions:
                source = criteria.rows[row].source
                yield SkippedItem(system=system, item_id=item_id, reason="criteria without an answer", source=source)
        for item_id, position in positions.items():
            if item_id not in ids:
                place = answers[position].source
                yield SkippedItem(system=system, item_id=item_id, reason="an answer without criteria", source=place)


def _match_notes(criteria: CriteriaTable, by_system: Mapping[str, Mapping[str, int]]) -> list[str]:
    ids = set(criteria.ids)
    notes: list[str] = []
    for system, positions in by_system.items():
        matched = len(ids & positions.keys())
        missing, surplus = len(ids) - matched, len(positions) - matched
        if missing:
            notes.append(f"{system}: {missing} of {len(ids)} questions have no answer")
        if surplus:
            notes.append(f"{system}: {surplus} of {len(positions)} answers have no criteria")
    return notes


def _no_match(criteria: CriteriaTable, tables: Sequence[AnswersTable]) -> InputError:
    ours = ", ".join(f"'{item_id}'" for item_id in criteria.ids[:3])
    theirs = ", ".join(f"'{item_id}'" for _, item_id in islice((key for table in tables for key in table.keys), 3))
    places = list(dict.fromkeys(table.path for table in tables if table.keys))
    return InputError(
        f"no answer has an id of the criteria: they have {ours} …, the answers in {', '.join(places)} have {theirs} …",
        path=criteria.path,
        sheet=criteria.sheet,
        hint="Check that both id columns mean the same; --map id=COLUMN names another one",
    )
