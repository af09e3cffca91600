"""Rules on criteria beside each other: numbering, repetition, ranges, counts and sums; warnings all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from grader.checks.column_rules import points_of
from grader.checks.problem import Finding, Rule, Severity
from grader.checks.prose import QUOTED, without_quotes
from grader.checks.ranges import range_problem
from grader.checks.table import CriteriaCell, Table
from grader.inputs.columns import clean_text
from grader.inputs.sheet import cell_name
from grader.plain_text import normalise

MOST_ITEMS = 15
"""With more criteria in one call, judges begin to overlook some."""

_ALIKE = 90
_COMPARED = 40
_LINE_NUMBER = re.compile(r"^[^\S\n]*+[(（]?[^\S\n]*+(\d{1,2})[^\S\n]*+[)）.．、](?!\d)\s*+\S", re.MULTILINE)
_CODE = re.compile(
    r"[\d_`\"'“”=/\\<>{}$*]|(?<!\w)--?\w|\w[.:]\w|\b(?:not|no|nicht|kein\w*)\b|[不没未無ない]", re.IGNORECASE
)
_RANGE = re.compile(
    r"^[(（]?(\d{1,3})\s*(?:[-–—~〜～]|to|bis)\s*(\d{1,3})(?!\s*[-–]?\d)[)）]?(?=\s|[:：=,，;；.。点分]|$)"
)
_STATED_TOTAL = re.compile(
    r"\b(?:max(?:imum|imal|\.)?|total|out of|up to)(?: score| points| total)?(?: is| of|:|=)?\s*(\d+(?:\.\d+)?)\s*"
    r"(?:points?|pts?\.?|marks?)\b"
    r"|\b(?:max\.?|maximal|höchstens|insgesamt)\s*(\d+(?:[.,]\d+)?)\s*Punkte?"
    r"|(?:満点|最大|合計|满分|總分|总分)\s*[:：は]?\s*(\d+)\s*[点分]"
    r"|(?:^|[(\[（【])[^\S\n]*+max(?:imum|imal|\.)?\s*[:：=]\s*(\d+(?:\.\d+)?)(?=\s*(?:[.,;)\]）】]|$))",
    re.IGNORECASE | re.MULTILINE,
)
_POINTS_IN_BRACKETS = re.compile(
    r"[(\[（【]\s*(\d+(?:[.,]\d+)?)\s*(?:points?|pts?\.?|marks?|Punkte?|Pkt\.?|P\.|[点分])\s*[)\]）】]", re.IGNORECASE
)


def find_bad_numbering(table: Table) -> Iterator[Finding]:
    """Find level cells whose numbers are not 1, 2, 3 …, and cells of several lines without any."""
    if table.layout != "tiered":
        return
    for cell in table.cells:
        message = _numbering_problem(cell)
        if message:
            yield Finding(table.ref(cell.row, cell.column), message)


def _numbering_problem(cell: CriteriaCell) -> str:
    numbers = [int(number) for number in _LINE_NUMBER.findall(normalise(cell.text))]
    lines = [line.strip() for line in cell.text.splitlines() if line.strip()]
    count = len(cell.items)
    counts_as = f"the cell counts as {count} item{'' if count == 1 else 's'}"
    if numbers and numbers != list(range(1, len(numbers) + 1)):
        return f"its lines are numbered {', '.join(map(str, numbers))}; {counts_as}"
    if not numbers and len(lines) > 1 and count == 1 and "```" not in cell.text and _are_sentences(lines):
        return f"it has {len(lines)} lines without numbers; {counts_as}"
    return ""


def _are_sentences(lines: Sequence[str]) -> bool:
    """Whether lines stand for themselves, rather than being one text that was broken to fit."""
    ends = all(before.endswith((".", ";", "。", "；")) for before in lines[:-1])
    is_list = all(line[0].isupper() for line in lines) or len({line.split()[0].casefold() for line in lines}) == 1
    return not lines[0].endswith((":", "：", ",", "、")) and (ends or (is_list and max(map(len, lines)) < 80))


def find_repetitions(table: Table) -> Iterator[Finding]:
    """Find criteria of one question that say the same."""
    for cells in table.cells_by_id.values():
        texts = [(cell, text) for cell in cells for text in cell.items]
        for (first, one), (second, other) in combinations(texts[:_COMPARED], 2):
            if _say_the_same(one, other):
                where = cell_name(first.row, first.column)
                here = "in the same cell" if first is second else f"in {where}"
                message = f"this says nearly the same as a criterion {here}: {_short(other)}"
                yield Finding(table.ref(second.row, second.column), message)


def _say_the_same(one: str, other: str) -> bool:
    from rapidfuzz import fuzz

    first, second = _words(one), _words(other)
    if first == second:
        return True
    if QUOTED.findall(one) != QUOTED.findall(other):
        return False  # they want different words, however alike
    if fuzz.ratio(" ".join(first), " ".join(second), score_cutoff=_ALIKE) <= _ALIKE:
        return False
    # What differs may be just what it is about: another number, option or name.
    return not any(_CODE.search(word) for word in set(first) ^ set(second))


def _words(text: str) -> list[str]:
    return [word.strip(".,;:!?。、，") for word in clean_text(text).casefold().split()]


def find_range_gaps(table: Table) -> Iterator[Finding]:
    """Find criteria that list ranges of numbers with a gap between them, or an overlap."""
    for cell in table.cells:
        ranges = _ranges(without_quotes(cell.text))
        problem = range_problem(ranges, step=1)
        if problem:
            yield Finding(table.ref(cell.row, cell.column), problem)


def _ranges(text: str) -> list[tuple[float, float]]:
    """Return the ranges of a text that is a list of them: each piece between separators starts with one."""
    pieces = [piece.strip(" -•*\t") for piece in re.split(r"[\n;；]|[,，、](?=\s*\d+\s*[-–—~〜～])", normalise(text))]
    matches = [_RANGE.match(piece) for piece in pieces if piece]
    found = [(float(match[1]), float(match[2])) for match in matches if match and int(match[1]) < int(match[2])]
    return sorted(found) if len(found) > 1 and len(found) == len(matches) else []


def find_too_many_items(table: Table) -> Iterator[Finding]:
    """Find questions with more criteria than a judge can keep in mind."""
    for item_id, cells in table.cells_by_id.items():
        count = sum(len(cell.items) for cell in cells)
        if item_id and count > MOST_ITEMS:
            message = f"the question {item_id} has {count} criteria, all judged in one call"
            yield Finding(table.ref(cells[0].row, table.id_column), message)


def find_wrong_totals(table: Table) -> Iterator[Finding]:
    """Find a stated maximum, or a line of totals, that is not the sum of the points."""
    if table.layout != "points" or "points" not in table.fields:
        return
    sums = {item_id: _positive_sum(table, [row.row for row in rows]) for item_id, rows in table.groups.items()}
    column = table.fields.get("question")
    for item_id, rows in table.groups.items() if column is not None else ():
        stated = _stated_total(table.text(rows[0].row, column or 0))
        if stated is not None and stated != sums[item_id]:
            message = (
                f"the text states a maximum of {stated:g}, and the points of {item_id} add up to {sums[item_id]:g}"
            )
            yield Finding(table.ref(rows[0].row, column or 0), message)
    yield from _wrong_total_rows(table)


def _wrong_total_rows(table: Table) -> Iterator[Finding]:
    column = table.fields["points"]
    every_row = [row.row for row in table.rows if row.has_text]
    for total in table.totals:
        stated = points_of(table, total.row) if clean_text(table.value(total.row, column)) else None
        sums = {_positive_sum(table, every_row), sum(points_of(table, row) or 0 for row in every_row)}
        if total.item_id.casefold() in ("total", "totals", "sum", "合計", "合计") and stated not in (None, *sums):
            listed = " or ".join(f"{value:g}" for value in sorted(sums))
            yield Finding(table.ref(total.row, column), f"the line says {stated:g}, and the points add up to {listed}")


def _positive_sum(table: Table, rows: Sequence[int]) -> float:
    return sum(max(0.0, points_of(table, row) or 0) for row in rows)


def _stated_total(text: str) -> float | None:
    """Return the maximum that a question states, or what the points behind its parts add up to."""
    plain = without_quotes(text)
    match = _STATED_TOTAL.search(plain)
    if match:
        return _as_number(next(group for group in match.groups() if group))
    parts = _POINTS_IN_BRACKETS.findall(plain)
    return sum(map(_as_number, parts)) if parts else None


def _as_number(digits: str) -> float:
    return float(digits.replace(",", "."))


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 100 else f"{words[:99]}…"


RULES = (
    Rule(
        id="numbering",
        severity=Severity.WARNING,
        part="table",
        find=find_bad_numbering,
        finds="A level cell whose lines are not numbered (1), (2), (3) …, or with several lines and no numbers.",
        why="Only the next expected number starts an item, so the cell counts as fewer items than it seems to have.",
        fix="Number its lines (1), (2), (3) …, starting at (1)",
    ),
    Rule(
        id="repeated-criterion",
        severity=Severity.WARNING,
        part="table",
        find=find_repetitions,
        finds="Two criteria of one question, at one level or two, that say the same or nearly so: more than 90 % "
        "alike, and not just another number, option or name.",
        why="At one level the same thing counts twice; at two levels the lower one can never decide.",
        fix="Delete one of them, or say what makes them different",
    ),
    Rule(
        id="range-gap",
        severity=Severity.WARNING,
        part="table",
        find=find_range_gaps,
        finds="Ranges of numbers listed in a criterion with a gap between them, or an overlap: “0-3, 5-7”.",
        why="For a number in the gap there is no rule, and for one in the overlap there are two.",
        fix="Let each range start where the one before ends, such as 0-3, 4-7",
    ),
    Rule(
        id="too-many-items",
        severity=Severity.WARNING,
        part="table",
        find=find_too_many_items,
        finds=f"A question with more than {MOST_ITEMS} criteria.",
        why="All are judged in one call, and the longer the list, the more is overlooked.",
        fix="Leave out what matters least, or make two questions of it",
    ),
    Rule(
        id="wrong-total",
        severity=Severity.WARNING,
        part="table",
        find=find_wrong_totals,
        finds="A maximum stated in the question, or a line of totals, that is not the sum of the points.",
        why="The score counts from the points that are there; a criterion may be missing.",
        fix="Correct the points or the stated total",
    ),
)
