"""Reads the answers to grade, from any table file or from standard input; joins and grades nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.errors import InputError
from grader.inputs.columns import normalise_id
from grader.inputs.json_records import STDIN
from grader.inputs.package_intake import DEFAULT_LIMITS, IntakeLimits
from grader.inputs.problems import listed_problems, place_name
from grader.inputs.tables import Record, RecordReader
from grader.records import Answer

STDIN_SYSTEM = "stdin"
"""The system that answers from standard input belong to where they do not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersTable:
    """The answers of one file, in its order."""

    path: str
    answers: tuple[Answer, ...]
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
) -> AnswersTable:
    """Return the answers in the file at `path` (`-` is JSONL on standard input).

    The system of an answer is what its system column says, else the file's name without its ending. A blank
    answer stays, as "". Raises `InputError` for a file without id or answer column, for blank ids, and for
    two answers of one system to one id.
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
    )
    answers = tuple(_answer(record, file_system) for record in reader.records())
    if not answers:
        raise InputError("there is no answer in the file", path=path, hint="Export or copy it again")
    _check_ids(answers)
    return AnswersTable(path=str(path), answers=answers, notes=tuple(reader.notes), file_system=file_system)


def _answer(record: Record, file_system: str) -> Answer:
    fields = dict(record.fields)
    item_id, text = normalise_id(fields.pop("id")), fields.pop("answer")
    system = fields.pop("system", "").strip() or file_system
    fields.update(record.extras)
    return Answer(item_id=item_id, system=system, text=text, extra=fields, source=record.source)


def _check_ids(answers: tuple[Answer, ...]) -> None:
    first: dict[tuple[str, str], Answer] = {}
    blank: list[Answer] = []
    twice: list[tuple[Answer, Answer]] = []
    for answer in answers:
        if not answer.item_id:
            blank.append(answer)
            continue
        earlier = first.setdefault((answer.system, answer.item_id), answer)
        if earlier is not answer:
            twice.append((earlier, answer))
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
