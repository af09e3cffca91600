"""Reads the optional table of questions: their text, reference answer, type and context, by id; grades nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grader.errors import InputError
from grader.inputs.columns import normalise_id
from grader.inputs.package_intake import DEFAULT_LIMITS, IntakeLimits
from grader.inputs.problems import listed_problems, place_name
from grader.inputs.tables import Record, RecordReader
from grader.records import CellRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is known of one question beside its criteria; a blank field is ""."""

    item_id: str
    question: str = ""
    reference: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    source: CellRef | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionsTable:
    """The questions of one file by id, in its order."""

    path: str
    questions: Mapping[str, Question]
    notes: tuple[str, ...] = ()


def read_questions(
    path: str | Path,
    *,
    column_map: Mapping[str, str] | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    limits: IntakeLimits = DEFAULT_LIMITS,
) -> QuestionsTable:
    """Return the questions in the file at `path`; its `answer` column is the reference answer.

    Raises `InputError` for a file without id column, for blank ids and for ids that occur twice.
    """
    reader = RecordReader(
        path=Path(path),
        kind="questions",
        needed=("id",),
        column_map=column_map or {},
        sheet=sheet,
        encoding=encoding,
        limits=limits,
    )
    found = [_question(record) for record in reader.records()]
    if not found:
        raise InputError("there is no question in the file", path=path, hint="Export or copy it again")
    return QuestionsTable(path=str(path), questions=_by_id(found), notes=tuple(reader.notes))


def _question(record: Record) -> Question:
    fields = dict(record.fields)
    item_id = normalise_id(fields.pop("id"))
    question, reference = fields.pop("question", ""), fields.pop("reference", "")
    fields.update(record.extras)
    return Question(item_id=item_id, question=question, reference=reference, fields=fields, source=record.source)


def _by_id(found: list[Question]) -> dict[str, Question]:
    questions: dict[str, Question] = {}
    twice: list[Question] = []
    blank = [question for question in found if not question.item_id]
    if blank:
        raise listed_problems("the id is blank", ((q.source, "") for q in blank), hint="Give every question an id")
    for question in found:
        if questions.setdefault(question.item_id, question) is not question:
            twice.append(question)
    if twice:
        firsts = ((q, questions[q.item_id]) for q in twice)
        raise listed_problems(
            "an id occurs twice",
            ((q.source, f"{q.item_id} (first in {place_name(f.source, beside=q.source)})") for q, f in firsts),
            hint="Keep one row per question",
        )
    return questions
