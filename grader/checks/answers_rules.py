"""Rules on files of answers and questions, and on what fits together and what does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.checks.problem import Finding, Rule, Severity
from grader.checks.views import AnswersView, Matching, place_of
from grader.errors import location
from grader.inputs.problems import place_name
from grader.records import CellRef

_CRITERIA_FIELDS = ("criteria", "answer")
_MOST_APART = 10
"""With more ids than this without a counterpart, they are said in one line."""


def find_unreadable_file(view: AnswersView) -> Iterator[Finding]:
    """Find what keeps a file from being read at all."""
    if view.error is not None:
        place = place_of(view.error, view.path)
        where = location(place.path, place.sheet, place.cell)
        yield Finding(place, view.error.message.removeprefix(f"{where}: "), view.error.hint or "")


def find_broken_lines(view: AnswersView) -> Iterator[Finding]:
    """Find lines that are not JSON objects."""
    for number in view.bad_lines:
        yield Finding(CellRef(path=view.path, cell=f"line {number}"), "this line is not a proper JSON object")


def find_blank_ids(view: AnswersView) -> Iterator[Finding]:
    """Find answers and questions without an id."""
    for _, item_id, position in view.item_ids():
        if not item_id:
            yield Finding(view.records[position].source, "the id is blank")


def find_duplicates(view: AnswersView) -> Iterator[Finding]:
    """Find two answers of one system to one id, or two questions with one id."""
    first: dict[str, dict[str, int]] = {}
    for system, item_id, position in view.item_ids():
        earlier = first.setdefault(system, {}).setdefault(item_id, position)
        if item_id and earlier != position:
            who = (
                f"{system} has two answers to {item_id}" if view.kind == "answers" else f"the id {item_id} occurs twice"
            )
            place = view.records[position].source
            yield Finding(place, f"{who}; the first is in {place_name(view.records[earlier].source, beside=place)}")


def find_answers_without_criteria(view: Matching) -> Iterator[Finding]:
    """Find answers whose id no criteria have."""
    ids = view.table.groups.keys()
    for file in view.files:
        unknown: dict[str, list[tuple[str, CellRef]]] = {}
        for system, item_id, position in file.item_ids() if file.kind == "answers" else ():
            if item_id and item_id not in ids:
                unknown.setdefault(system, []).append((item_id, file.records[position].source))
        for system, found in unknown.items():
            yield from _few_or_counted(found, f"the answer of {system} to {{}} has no criteria")


def find_criteria_without_answers(view: Matching) -> Iterator[Finding]:
    """Find criteria whose id no answers have, per system."""
    by_system: dict[str, set[str]] = {}
    for file in view.files:
        for system, item_id, _ in file.item_ids() if file.kind == "answers" and not file.error else ():
            by_system.setdefault(system, set()).add(item_id)
    places = {item_id: view.table.ref(rows[0].row, view.table.id_column) for item_id, rows in view.table.groups.items()}
    for system, ids in by_system.items():
        found = [(item_id, place) for item_id, place in places.items() if item_id not in ids]
        yield from _few_or_counted(found, f"there is no answer of {system} to {{}}")


def _few_or_counted(found: Sequence[tuple[str, CellRef]], message: str) -> Iterator[Finding]:
    """Yield a finding for each id, or one for all where they are many."""
    if len(found) <= _MOST_APART:
        yield from (Finding(place, message.format(item_id)) for item_id, place in found)
    else:
        listed = ", ".join(item_id for item_id, _ in found[:_MOST_APART])
        yield Finding(found[0][1], message.format(f"{listed} and {len(found) - _MOST_APART} more"))


def find_missing_fields(view: Matching) -> Iterator[Finding]:
    """Find inputs of the rubric that no file has a column for."""
    table, rubric = view.table, view.rubric
    has_answers = "answer" in table.fields or any(file.kind == "answers" for file in view.files)
    if rubric is None or not has_answers or not table.rows or any(file.error for file in view.files):
        return
    for name in rubric.inputs:
        column = table.fields.get(name, table.extras.get(name))
        in_table = column is not None and any(table.text(row.row, column).strip() for row in table.rows)
        is_optional = name in _CRITERIA_FIELDS or (name == "question" and "criteria" in rubric.inputs)
        if not is_optional and not in_table and not any(_is_filled(name, file) for file in view.files):
            shown = name.replace("_", " ")
            hint = f"Add a column “{shown}”, name another with --map {name}=COLUMN, or give a table of --questions"
            message = f"the rubric {rubric.name} needs a {shown}, and no file has one"
            yield Finding(table.ref(table.header_row, table.id_column), message, hint)


def _is_filled(name: str, file: AnswersView) -> bool:
    return any(record.fields.get(name, "").strip() for record in file.records)


RULES = (
    Rule(
        id="unreadable-file",
        severity=Severity.ERROR,
        part="answers",
        find=find_unreadable_file,
        finds="A file that cannot be read, is refused as unsafe, or lacks the columns that are needed.",
        why="Nothing in it can be checked or graded.",
        fix="See the message; often saving or exporting the file again helps",
    ),
    Rule(
        id="broken-line",
        severity=Severity.ERROR,
        part="answers",
        find=find_broken_lines,
        finds="A line of a .jsonl file that is not a JSON object.",
        why="The answer in it would be missing.",
        fix="Correct the line, or leave broken lines out with --skip-bad-lines",
    ),
    Rule(
        id="answer-blank-id",
        severity=Severity.ERROR,
        part="answers",
        find=find_blank_ids,
        finds="An answer or a question without an id.",
        why="It cannot be matched with its criteria.",
        fix="Give it its id",
    ),
    Rule(
        id="answer-duplicate-id",
        severity=Severity.ERROR,
        part="answers",
        find=find_duplicates,
        finds="Two answers of one system to one question, or two questions with one id.",
        why="Either could be the one that is meant.",
        fix="Delete one of them; answers of different systems need a system column or files of their own",
    ),
    Rule(
        id="missing-field",
        severity=Severity.ERROR,
        part="matching",
        find=find_missing_fields,
        finds="Something the rubric judges by, such as a reference, that no file has a column for.",
        why="The judge would be shown a blank in its place.",
        fix="Add the column, or name it with --map",
    ),
    Rule(
        id="answer-without-criteria",
        severity=Severity.WARNING,
        part="matching",
        find=find_answers_without_criteria,
        finds="An answer whose id none of the criteria has.",
        why="It will not be graded; often an id is misspelt.",
        fix="Correct the id, or leave the answer: it is said in skipped.log",
    ),
    Rule(
        id="criteria-without-answer",
        severity=Severity.WARNING,
        part="matching",
        find=find_criteria_without_answers,
        finds="Criteria that a system has no answer to.",
        why="The system's mean is over the questions it answered.",
        fix="Add the answer, or leave it: it is said in skipped.log",
    ),
)
