"""Rules on the columns of the table: levels, points, and columns nobody asked for; errors all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from grader.checks.problem import Finding, Rule, Severity
from grader.checks.table import Table
from grader.inputs.columns import clean_text, field_name, header_key
from grader.inputs.id_rows import shown_row
from grader.inputs.percent_cells import percent_rows
from grader.inputs.points_value import parse_points
from grader.inputs.sheet import cell_name

_LIKE_A_LEVEL = re.compile(
    r"(?:(?:level|score|tier|grade|points?|stufe|punkte|レベル|得点|级别|分数)[ :]*)?\d+(?:[.,]\d+)?\s*"
    r"(?:%|/\s*100|points?|pts?\.?|marks?|punkte?|点|分)?",
    re.IGNORECASE,
)
_MISTYPED_LEVEL = re.compile(r"(?=.*\d)(?=.*[oil])[\doil]{2,3}", re.IGNORECASE)
"""Letters typed for the zeros and ones of a level: 5O, l00."""
_LEVEL_IN_WORDS = re.compile(
    r"(?:full|half|partial|partly|some|complete|basic|good|fair|best|low|medium|high|teilweise|halb|voll|level|score)"
    r"(?: \w+)?\s*[(\[]\s*\d+(?:[.,]\d+)?\s*(?:%|points?|pts?\.?|marks?|punkte?|点|分)?\s*[)\]]",
    re.IGNORECASE,
)
_LEVEL_WORDS = frozenset(
    "twenty-five fifty seventy-five hundred one-hundred fünfundzwanzig fünfzig hundert full half partial".split()
)
_ALIKE = 85
_KNOWN_NAMES = (
    *("question", "question text", "query", "reference", "reference answer", "gold answer", "ground truth"),
    *("expected answer", "answer", "model answer", "response", "system", "context", "context role", "instruction"),
    *("history", "checklist", "strictness"),
)
_KNOWN_POINTS_NAMES = ("criterion", "criteria", "points", "weight")
_FIELD_OF_NAME = {
    **dict.fromkeys(("question text", "query"), "question"),
    **dict.fromkeys(("reference answer", "gold answer", "ground truth", "expected answer"), "reference"),
    **dict.fromkeys(("model answer", "response"), "answer"),
    "criteria": "criterion",
    "weight": "points",
}
_NOTES = re.compile(
    r"(?:\w+ )?(?:notes?|comments?|remarks?|explanations?|examples?|sources?|notizen?|kommentare?|bemerkung(?:en)?"
    r"|anmerkung(?:en)?|quelle|備考|メモ|コメント|备注|備註|说明|註)"
)


def find_wrong_levels(table: Table) -> Iterator[Finding]:
    """Find column headers that are meant as levels and are no numbers from 1 to 100."""
    for column, level in table.levels.items():
        if not 1 <= level <= 100:
            hint = f"For {level:.0%}, type {level * 100:g}" if 0 < level < 1 else ""
            message = f"the column header {level:g} is no level: levels are points from 1 to 100"
            yield Finding(table.ref(table.header_row, column), message, hint)
    for name, column in table.extras.items() if table.layout == "tiered" else ():
        text = clean_text(name).casefold()
        if _is_like_a_level(text) and _is_filled(table, column):
            message = f"the column header '{name}' looks like a level but is no number, so the column is not used"
            yield Finding(table.ref(table.header_row, column), message)


def _is_like_a_level(text: str) -> bool:
    patterns = (_LIKE_A_LEVEL, _MISTYPED_LEVEL, _LEVEL_IN_WORDS)
    return text in _LEVEL_WORDS or any(pattern.fullmatch(text) for pattern in patterns)


def _is_filled(table: Table, column: int) -> bool:
    return any(table.text(row.row, column).strip() for row in table.rows)


def find_duplicate_levels(table: Table) -> Iterator[Finding]:
    """Find two columns for one level."""
    first: dict[float, int] = {}
    for column, level in table.levels.items():
        if first.setdefault(level, column) != column:
            other = cell_name(table.header_row, first[level])
            yield Finding(table.ref(table.header_row, column), f"level {level:g} has two columns, here and in {other}")


def find_bad_points(table: Table) -> Iterator[Finding]:
    """Find points that are not one plain number."""
    column = table.fields.get("points") if table.layout == "points" else None
    if column is None:
        return
    name = table.sheet.name
    percentages = percent_rows(Path(table.sheet.path), name, column) if name else frozenset[int]()
    for row in table.rows:
        if not row.item_id or not row.has_text or table.fault(row.row, column):
            continue
        reason = _points_reason(table, row.row, column, is_percent=row.row in percentages)
        if reason:
            yield Finding(table.ref(row.row, column), f"the points are no plain number: {reason}")


def _points_reason(table: Table, row: int, column: int, *, is_percent: bool) -> str:
    value = table.value(row, column)
    if shown_row(table.sheet, row, column) != row:
        return "the cell is merged with those above, and each criterion needs its own"
    if is_percent and isinstance(value, (int, float)):
        return f"{value * 100:g}% is a percentage"
    try:
        if clean_text(value):
            parse_points(value)
    except ValueError as error:
        return str(error)
    return ""


def find_unreachable_points(table: Table) -> Iterator[Finding]:
    """Find questions whose criteria have no positive points."""
    column = table.fields.get("points") if table.layout == "points" else None
    if column is None:
        return
    for item_id, rows in table.groups.items():
        with_text = [row for row in rows if row.has_text]
        points = [points_of(table, row.row) for row in with_text]
        if points and all(value is not None and value <= 0 for value in points):
            message = f"no criterion of {item_id} has positive points, so its score has no top"
            yield Finding(table.ref(with_text[0].row, column), message)


def points_of(table: Table, row: int) -> float | None:
    """Return the points of a criterion's row, 1 where the cell is blank, `None` where it is no number."""
    column = table.fields.get("points")
    if column is None or not clean_text(table.value(row, column)):
        return 1.0
    try:
        return parse_points(table.value(row, column))
    except ValueError:
        return None


def find_unknown_columns(table: Table) -> Iterator[Finding]:
    """Find columns that the rubric of the workbook has no use for."""
    if not table.has_rubric_sheet:
        return
    for name, column in table.extras.items():
        plain = field_name(name)
        if plain not in table.known_names and not _NOTES.fullmatch(plain.replace("_", " ")):
            yield Finding(table.ref(table.header_row, column), f"the rubric has no use for a column '{name}'")


def find_misspelt_columns(table: Table) -> Iterator[Finding]:
    """Find columns of a workbook without a Rubric sheet whose names are nearly those of a field that it lacks."""
    if table.has_rubric_sheet:
        return  # where every unknown column is an error
    names = [*_KNOWN_NAMES, *(_KNOWN_POINTS_NAMES if table.layout == "points" else ())]
    exact = {*map(header_key, names), *map(header_key, table.known_names)}
    wanted = [name for name in names if field_name(_FIELD_OF_NAME.get(name, name)) not in table.fields]
    for name, column in table.extras.items():
        if header_key(name) in exact or _NOTES.fullmatch(field_name(name).replace("_", " ")):
            continue
        close = next((known for known in wanted if _is_misspelling(header_key(name), header_key(known))), None)
        if close is not None and _is_filled(table, column):
            message = f"the column '{name}' is not used; its name is nearly '{close}'"
            hint = f"If that is what it holds, call it {close}; else give it a name that is less alike"
            yield Finding(table.ref(table.header_row, column), message, hint)


def _is_misspelling(name: str, known: str) -> bool:
    """Whether one word is the other with a slip of the keys, and not its plural or a second one of its kind."""
    from rapidfuzz import fuzz
    from rapidfuzz.distance import OSA

    if name in (f"{known}s", f"{known}es") or any(letter.isdigit() for letter in name):
        return False
    return fuzz.ratio(name, known) >= _ALIKE or (len(known) > 4 and OSA.distance(name, known) == 1)


RULES = (
    Rule(
        id="level-not-a-number",
        severity=Severity.ERROR,
        part="table",
        find=find_wrong_levels,
        finds="A column header that is meant as a level and is no number from 1 to 100, such as “50 points” or “5O”.",
        why="The criteria below it would not count.",
        fix="Type the number alone; if the column holds no criteria, give it a name that is no number",
    ),
    Rule(
        id="duplicate-level",
        severity=Severity.ERROR,
        part="table",
        find=find_duplicate_levels,
        finds="Two columns with the same level.",
        why="It is not clear which of them counts.",
        fix="Keep one column per level, with its criteria numbered in one cell",
    ),
    Rule(
        id="bad-points",
        severity=Severity.ERROR,
        part="table",
        find=find_bad_points,
        finds="Points or weights that are no plain number: “3,5”, “50%”, “5 pts”, a date, a word.",
        why="A guess would change scores without anyone noticing.",
        fix="Type a plain number such as 5, 2.5 or -2; a blank cell counts as 1",
    ),
    Rule(
        id="no-positive-points",
        severity=Severity.ERROR,
        part="table",
        find=find_unreachable_points,
        finds="A question whose criteria have only zero or negative points.",
        why="The score is a share of the positive points.",
        fix="Give at least one of its criteria positive points",
    ),
    Rule(
        id="unknown-column",
        severity=Severity.ERROR,
        part="table",
        find=find_unknown_columns,
        finds="In a workbook with a Rubric sheet, a column of the criteria that its rubric does not use.",
        why="It is often a misspelt name, and what it holds would be ignored.",
        fix="Correct the name, call it Notes if it is for people, or silence this rule in the Rubric sheet",
    ),
    Rule(
        id="misspelt-column",
        severity=Severity.WARNING,
        part="table",
        find=find_misspelt_columns,
        finds="In a workbook without a Rubric sheet, a column whose name is nearly that of one that is used, such as "
        "“refrence”.",
        why="A misspelt column is not read, and nobody would notice.",
        fix="Correct the name, or give the column one that is less alike",
    ),
)
