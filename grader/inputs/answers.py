"""Reads the answers to grade, from any table file or from standard input; joins and grades nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.errors import InputError
from grader.inputs.columns import normalise_id
from grader.inputs.json_records import STDIN
from grader.inputs.package_intake import DEFAULT_LIMITS, IntakeLimits
from grader.inputs.problems import listed_problems, place_name
from grader.inputs.record_reader import Record, RecordReader
from grader.inputs.spool import Mapped, Spool
from grader.records import Answer

STDIN_SYSTEM = "stdin"
"""The system that answers from standard input belong to where they do not say."""


AnswerKey = tuple[str, str]
"""A system and an id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersTable:
    """The answers of one file, in its order."""

    path: str
    answers: Sequence[Answer]
    keys: Sequence[AnswerKey]
    """System and id of each, so that nobody need take an answer to know whose it is."""
    notes: tuple[str, ...] = ()
    file_system: str = ""
    """The system named after the file, for answers that do not name theirs."""


def read_answers(
    path: str | Path,
    *,
    column_map: Mapping[str, str] | None = None,
    skip_bad_lines: bool = False,
    encoding: str | None = None,
    sheet: str | None = None,
    limits: IntakeLimits = DEFAULT_LIMITS,
    spool: Spool | None = None,
) -> AnswersTable:
    """Return the answers in the file at `path` (`-` is JSONL on standard input).

    The system of an answer is what its system column says, else the file's name without its ending. A blank
    answer stays, as "". Those that `spool` has no room for are read from it as they are taken. Raises `InputError`
    for a file without id or answer column, for blank ids, and for two answers of one system to one id.
    """
    path = Path(path)
    file_system = STDIN_SYSTEM if path == STDIN else path.stem
    reader = RecordReader(
        path=path,
        kind="answers",
        needed=("id", "answer"),
        column_map=column_map or {},
        sheet=sheet,
        encoding=encoding,
        skip_bad_lines=skip_bad_lines,
        limits=limits,
        spool=spool or Spool(),
    )
    records = reader.all_records()
    if not records:
        raise InputError("there is no answer in the file", path=path, hint="Export or copy it again")
    table = AnswersTable(
        path=str(path),
        answers=Mapped(records, lambda record: _answer(record, file_system)),
        keys=[(system or file_system, item_id) for system, item_id in records.keys],
        notes=tuple(reader.notes),
        file_system=file_system,
    )
    _check_ids(table)
    return table


def _answer(record: Record, file_system: str) -> Answer:
    fields = dict(record.fields)
    item_id, text = normalise_id(fields.pop("id")), fields.pop("answer")
    system = fields.pop("system", "").strip() or file_system
    fields.update(record.extras)
    return Answer(item_id=item_id, system=system, text=text, extra=fields, source=record.source)


def _check_ids(table: AnswersTable) -> None:
    first: dict[AnswerKey, int] = {}
    blank: list[Answer] = []
    twice: list[tuple[Answer, Answer]] = []
    for position, key in enumerate(table.keys):
        if not key[1]:
            blank.append(table.answers[position])
        elif (earlier := first.setdefault(key, position)) != position:
            twice.append((table.answers[earlier], table.answers[position]))
    if blank:
        raise listed_problems("the id is blank", ((a.source, "") for a in blank), hint="Give every answer an id")
    if twice:
        raise duplicate_answers(twice)


def duplicate_answers(pairs: list[tuple[Answer, Answer]]) -> InputError:
    """Return the error for pairs of answers that have the same system and id."""
    return listed_problems(
        "a system has two answers with one id",
        (
            (
                later.source,
                f"{later.system} {later.item_id} (first in {place_name(earlier.source, beside=later.source)})",
            )
            for earlier, later in pairs
        ),
        hint="Delete one of each; answers of different systems need a system column or files of their own",
    )
