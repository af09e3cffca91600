"""Joins criteria, answers and questions into the items to grade; pure: it reads no file and asks no judge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import InputError
from grader.inputs.answers import AnswersTable, duplicate_answers
from grader.inputs.columns import closest, field_name
from grader.inputs.conversation import readable_fields
from grader.inputs.criteria_table import CriteriaRow, CriteriaTable
from grader.inputs.our_marks import graded_source
from grader.inputs.problems import listed_problems
from grader.records import Answer, Item, SkippedItem

if TYPE_CHECKING:
    from grader.inputs.questions import Question, QuestionsTable

_GROUP_NAMES = ("group", "type")


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """What there is to grade: items in criteria order and, for one question, in the order of the systems."""

    items: tuple[Item, ...]
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
    if answers_tables and any(row.answer for row in criteria.rows):
        notes.append(f"{criteria.path}: its answer column is not graded, as answers are given in files")
    by_system = _answers_by_system(tables)
    known = questions.questions if questions else {}
    items = tuple(_items(criteria, by_system, known))
    if not items:
        raise _no_match(criteria, by_system)
    skipped = tuple(_skipped(criteria, by_system))
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
    return [AnswersTable(path=criteria.path, answers=answers, file_system=name)]


def _workbook_answers(criteria: CriteriaTable) -> tuple[AnswersTable, ...]:
    file_system = graded_source(Path(criteria.path)) or Path(criteria.path).stem
    answers = tuple(
        Answer(item_id=row.item_id, system=row.fields.get("system") or file_system, text=row.answer, source=row.source)
        for row in criteria.rows
        if row.answer is not None
    )
    if not answers:
        raise InputError(
            "there are no answers to grade: the workbook has no answer column",
            path=criteria.path,
            sheet=criteria.sheet,
            hint="Name the file that holds the answers: --answers FILE",
        )
    if not any(answer.text.strip() for answer in answers):
        raise InputError(
            "there are no answers to grade: the workbook's answer column is empty",
            path=criteria.path,
            sheet=criteria.sheet,
            hint="Fill it in, or name the file that holds the answers: --answers FILE",
        )
    _check_one_answer(criteria)
    return (AnswersTable(path=criteria.path, answers=answers, file_system=file_system),)


def _check_one_answer(criteria: CriteriaTable) -> None:
    others = [(cell, f"id {row.item_id}") for row in criteria.rows for cell in row.other_answers]
    if others:
        raise listed_problems(
            "an id has two different answers",
            others,
            hint="Keep one answer for each id, on its first row; or grade answers from files: --answers FILE",
        )


def _answers_by_system(tables: Sequence[AnswersTable]) -> dict[str, dict[str, Answer]]:
    """Return the answers by system and id; files that would give one name to two systems get distinct ones."""
    _check_given_once(tables)
    by_system: dict[str, dict[str, Answer]] = {}
    twice: list[tuple[Answer, Answer]] = []
    for table, name in zip(tables, _file_systems(tables), strict=True):
        for answer in table.answers:
            named = replace(answer, system=name) if answer.system == table.file_system != name else answer
            earlier = by_system.setdefault(named.system, {}).setdefault(named.item_id, named)
            if earlier is not named:
                twice.append((earlier, named))
    if twice:
        raise duplicate_answers(twice)
    return by_system


def _check_given_once(tables: Sequence[AnswersTable]) -> None:
    paths = [table.path for table in tables]
    for path in paths:
        if paths.count(path) > 1:
            raise InputError("this answers file is given twice", path=path, hint="Name each file once")


def _file_systems(tables: Sequence[AnswersTable]) -> list[str]:
    """Return each file's system name: its stem, with its folder where another file has the same stem."""
    stems = [table.file_system for table in tables]
    names = [
        f"{Path(table.path).resolve().parent.name}/{table.file_system}"
        if stems.count(table.file_system) > 1
        else table.file_system
        for table in tables
    ]
    return [
        name if names.index(name) == i else f"{name} ({names[: i + 1].count(name)})" for i, name in enumerate(names)
    ]


def _items(
    criteria: CriteriaTable, by_system: Mapping[str, Mapping[str, Answer]], known: Mapping[str, Question]
) -> Iterator[Item]:
    for row in criteria.rows:
        for answers in by_system.values():
            answer = answers.get(row.item_id)
            if answer is not None:
                yield _item(row, answer, known.get(row.item_id))


def _item(row: CriteriaRow, answer: Answer, question: Question | None) -> Item:
    extra = dict(answer.extra)
    asked = (question.question if question else "", row.question, extra.pop("question", ""))
    expected = (question.reference if question else "", row.reference, extra.pop("reference", ""))
    sources = (extra, row.fields, question.fields if question else {})
    return Item(
        id=row.item_id,
        system=answer.system,
        answer=answer.text,
        question=_first_filled(asked),
        reference=_first_filled(expected),
        criteria=row.criteria,
        fields=readable_fields(_merged_fields(sources)),
        source=row.source,
    )


def _first_filled(texts: Iterable[str]) -> str:
    return next((text for text in texts if text.strip()), "")


def _merged_fields(sources: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return all fields; a later source wins, but a blank never hides what an earlier one has."""
    fields: dict[str, str] = {}
    for source in sources:
        fields |= {name: text for name, text in source.items() if text.strip() or name not in fields}
    return fields


def _grouped(items: tuple[Item, ...], group_by: str) -> tuple[Item, ...]:
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
    return tuple(replace(item, group=item.fields.get(wanted, "").strip() or None) for item in items)


def _skipped(criteria: CriteriaTable, by_system: Mapping[str, Mapping[str, Answer]]) -> Iterator[SkippedItem]:
    ids = {row.item_id for row in criteria.rows}
    for system, answers in by_system.items():
        for row in criteria.rows:
            if row.item_id not in answers:
                yield SkippedItem(
                    system=system, item_id=row.item_id, reason="criteria without an answer", source=row.source
                )
        for item_id, answer in answers.items():
            if item_id not in ids:
                yield SkippedItem(
                    system=system, item_id=item_id, reason="an answer without criteria", source=answer.source
                )


def _match_notes(criteria: CriteriaTable, by_system: Mapping[str, Mapping[str, Answer]]) -> list[str]:
    ids = {row.item_id for row in criteria.rows}
    notes: list[str] = []
    for system, answers in by_system.items():
        matched = len(ids & answers.keys())
        missing, surplus = len(ids) - matched, len(answers) - matched
        if missing:
            notes.append(f"{system}: {missing} of {len(ids)} questions have no answer")
        if surplus:
            notes.append(f"{system}: {surplus} of {len(answers)} answers have no criteria")
    return notes


def _no_match(criteria: CriteriaTable, by_system: Mapping[str, Mapping[str, Answer]]) -> InputError:
    ours = ", ".join(f"'{row.item_id}'" for row in criteria.rows[:3])
    answers = [answer for by_id in by_system.values() for answer in by_id.values()]
    theirs = ", ".join(f"'{answer.item_id}'" for answer in answers[:3])
    places = list(dict.fromkeys(answer.source.path for answer in answers if answer.source))
    return InputError(
        f"no answer has an id of the criteria: they have {ours} …, the answers in {', '.join(places)} have {theirs} …",
        path=criteria.path,
        sheet=criteria.sheet,
        hint="Check that both id columns mean the same; --map id=COLUMN names another one",
    )
