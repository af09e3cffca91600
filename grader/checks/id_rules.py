"""Rules on ids and rows: none, blank, twice, at odds with each other; errors nearly all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.checks.problem import Finding, Rule, Severity
from grader.checks.table import Table, TableRow
from grader.inputs.columns import clean_text, normalise_id
from grader.inputs.id_rows import is_example, shown_row
from grader.inputs.sheet import cell_name


def find_blank_ids(table: Table) -> Iterator[Finding]:
    """Find rows of criteria without an id."""
    for row in table.rows:
        if not row.item_id and row.has_text and not table.fault(row.top, table.id_column):
            yield Finding(table.ref(row.row, table.id_column), "the id is blank")


def find_duplicate_ids(table: Table) -> Iterator[Finding]:
    """Find an id that two questions have."""
    for item_id, rows in table.repeated.items():
        tops = list(dict.fromkeys(row.top for row in rows))
        if table.layout == "points" or len(tops) < 2 or _is_checklist(table, rows):
            continue
        first = cell_name(tops[0], table.id_column)
        for top in tops[1:]:
            yield Finding(table.ref(top, table.id_column), f"the id {item_id} occurs twice; first in {first}")


def _is_checklist(table: Table, rows: Sequence[TableRow]) -> bool:
    column = table.fields.get("checklist")
    if table.layout != "questions" or column is None:
        return False
    return all(shown_row(table.sheet, r.row, column) == r.row and table.text(r.row, column).strip() for r in rows)


def find_no_rows(table: Table) -> Iterator[Finding]:
    """Find a table that has a header and nothing to grade below it."""
    if not table.rows:
        rest = range(table.header_row + 1, len(table.sheet.rows))
        has_examples = any(is_example(normalise_id(table.value(row, table.id_column))) for row in rest)
        message = "the table still holds only the examples it came with" if has_examples else "the table has no rows"
        yield Finding(table.ref(table.header_row, table.id_column), message)


def find_blank_criteria(table: Table) -> Iterator[Finding]:
    """Find questions without any criterion, and in the points layout rows without theirs."""
    if table.layout == "tiered":
        with_text = {row.top for row in table.rows if row.has_text}
        for row in table.rows:
            if row.item_id and row.top == row.row and row.top not in with_text:
                message = f"the question {row.item_id} has no criteria at any level"
                yield Finding(table.ref(row.row, table.id_column), message)
    elif table.layout == "points":
        column = table.fields["criterion"]
        for row in table.rows:
            if row.item_id and not row.has_text and shown_row(table.sheet, row.row, column) == row.row:
                yield Finding(table.ref(row.row, column), f"the criterion is blank (id {row.item_id})")


def find_conflicting_answers(table: Table) -> Iterator[Finding]:
    """Find two answers under one id, where the workbook's own answers are graded."""
    return iter(()) if table.has_answers_files else _conflicts(table, "answer")


def find_conflicting_questions(table: Table) -> Iterator[Finding]:
    """Find two questions, references or contexts under one id."""
    for name in ("question", "reference", "context"):
        yield from _conflicts(table, name)


def _conflicts(table: Table, name: str) -> Iterator[Finding]:
    column = table.fields.get(name)
    if column is None or table.layout == "tiered":
        return
    for item_id, rows in table.repeated.items():
        texts = [(row.row, clean_text(table.text(row.row, column))) for row in rows]
        filled = [(row, text) for row, text in texts if text]
        for row, text in filled[1:]:
            if text != filled[0][1]:
                first = cell_name(filled[0][0], column)
                yield Finding(table.ref(row, column), f"the {name} of {item_id} is another one than in {first}")


def find_shifted_rows(table: Table) -> Iterator[Finding]:
    """Find rows of a text table that are wider than its header."""
    if table.sheet.name is not None:
        return
    header = table.sheet.rows[table.header_row]
    width = max((i + 1 for i, value in enumerate(header) if value), default=0)
    for row in range(table.header_row + 1, len(table.sheet.rows)):
        if any(table.sheet.rows[row][width:]):
            yield Finding(table.ref(row, width), f"row {row + 1} has more cells than the header has columns ({width})")


RULES = (
    Rule(
        id="no-rows",
        severity=Severity.ERROR,
        part="table",
        find=find_no_rows,
        finds="A header with no rows of criteria below it, or only with the examples of a new workbook.",
        why="There is nothing to grade by.",
        fix="Fill in the table, or name another sheet with --sheet",
    ),
    Rule(
        id="blank-id",
        severity=Severity.ERROR,
        part="table",
        find=find_blank_ids,
        finds="A row with criteria (or a question) and no id.",
        why="Answers are matched by id; without one nothing can be graded.",
        fix="Give every row its id; where several rows belong to one question, repeat it or merge its cells",
    ),
    Rule(
        id="duplicate-id",
        severity=Severity.ERROR,
        part="table",
        find=find_duplicate_ids,
        finds="Two questions with the same id.",
        why="An answer with this id could be graded by either row.",
        fix="Give each question an id of its own, or merge the id's cells where rows belong together",
    ),
    Rule(
        id="blank-criterion",
        severity=Severity.ERROR,
        part="table",
        find=find_blank_criteria,
        finds="A question without any criterion, or a row for a criterion that is blank.",
        why="There is nothing to grade by.",
        fix="Fill it in, or delete the row",
    ),
    Rule(
        id="conflicting-answers",
        severity=Severity.ERROR,
        part="table",
        find=find_conflicting_answers,
        finds="Two different answers under one id, where the workbook's own answer column is graded.",
        why="One id has one answer; the other would not be graded.",
        fix="Keep one answer per id, on its first row or merged over its rows",
    ),
    Rule(
        id="conflicting-question",
        severity=Severity.WARNING,
        part="table",
        find=find_conflicting_questions,
        finds="Two different questions, references or contexts under one id.",
        why="Only the first of them is shown to the judge.",
        fix="Keep one per id, on its first row or merged over its rows; or give the rows ids of their own",
    ),
    Rule(
        id="shifted-row",
        severity=Severity.ERROR,
        part="table",
        find=find_shifted_rows,
        finds="A row of a text table (.csv, .tsv) with more cells than the header has columns.",
        why="A delimiter inside a value has moved what follows into the wrong columns.",
        fix="Put quotes around the value that holds the delimiter, or export the table as .xlsx",
    ),
)
