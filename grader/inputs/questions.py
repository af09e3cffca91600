"""Reads the optional table of questions: their text, reference answer, type and context, by id; grades nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.errors import InputError
from grader.inputs.columns import normalise_id
from grader.inputs.package_intake import DEFAULT_LIMITS, IntakeLimits
from grader.inputs.problems import listed_problems, place_name
from grader.inputs.record_reader import Record, RecordReader, Records
from grader.inputs.spool import Mapped, Spool
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
    spool: Spool | None = None,
) -> QuestionsTable:
    """Return the questions in the file at `path`; its `answer` column is the reference answer.

    Those that `spool` has no room for are read from it as they are taken. Raises `InputError` for a file without id
    column, for blank ids and for ids that occur twice.
    """
    reader = RecordReader(
        path=Path(path),
        kind="questions",
        needed=("id",),
        column_map=column_map or {},
        sheet=sheet,
        encoding=encoding,
        limits=limits,
        spool=spool or Spool(),
    )
    records = reader.all_records()
    if not records:
        raise InputError("there is no question in the file", path=path, hint="Export or copy it again")
    return QuestionsTable(path=str(path), questions=_QuestionsById(records), notes=tuple(reader.notes))


class _QuestionsById(Mapping[str, Question]):
    """The questions by id, each made when it is taken."""

    def __init__(self, records: Records) -> None:
        self._questions = Mapped(records, _question)
        self._positions: dict[str, int] = {}
        blank: list[Question] = []
        twice: list[tuple[Question, Question]] = []
        for position, (_, item_id) in enumerate(records.keys):
            if not item_id:
                blank.append(self._questions[position])
            elif (earlier := self._positions.setdefault(item_id, position)) != position:
                twice.append((self._questions[position], self._questions[earlier]))
        _refuse(blank, twice)

    def __getitem__(self, item_id: str) -> Question:
        return self._questions[self._positions[item_id]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._positions)

    def __len__(self) -> int:
        return len(self._positions)


def _question(record: Record) -> Question:
    fields = dict(record.fields)
    item_id = normalise_id(fields.pop("id"))
    question, reference = fields.pop("question", ""), fields.pop("reference", "")
    fields.update(record.extras)
    return Question(item_id=item_id, question=question, reference=reference, fields=fields, source=record.source)


def _refuse(blank: Sequence[Question], twice: Sequence[tuple[Question, Question]]) -> None:
    if blank:
        raise listed_problems("the id is blank", ((q.source, "") for q in blank), hint="Give every question an id")
    if twice:
        raise listed_problems(
            "an id occurs twice",
            ((q.source, f"{q.item_id} (first in {place_name(f.source, beside=q.source)})") for q, f in twice),
            hint="Keep one row per question",
        )
