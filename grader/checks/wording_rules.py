"""Rules on how single criteria are worded; warnings all of them, and rather silent than wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from grader.checks.column_rules import points_of
from grader.checks.problem import Finding, Rule, Severity
from grader.checks.prose import Language, demand, language_of, own_language, without_quotes
from grader.checks.table import CriteriaCell, Table
from grader.checks.word_lists import ELSEWHERE, NEGATED, TWO_DEMANDS, UNSEEN, VAGUE

Words = Mapping[Language, re.Pattern[str]]


def find_vague_words(table: Table) -> Iterator[Finding]:
    """Find words that leave the measure to the judge."""
    for cell, text, words in _hits(table, VAGUE, demand):
        yield _finding(table, cell, f"“{words}” leaves it to the judge what counts: {_short(text)}")


def find_two_demands(table: Table) -> Iterator[Finding]:
    """Find criteria that join two demands, where they could be two criteria.

    At a level that is worth the whole scale they could not: each of the two would earn all the points alone.
    """
    for cell, text, _ in _hits(table, TWO_DEMANDS, demand):
        if cell.level is None or 2 * cell.level <= 100:
            yield _finding(table, cell, f"this asks for two things at once: {_short(text)}")


def find_negations(table: Table) -> Iterator[Finding]:
    """Find criteria that are met by what is not said."""
    for cell, text, words in _hits(table, NEGATED, lambda text: demand(text).strip()):
        points = points_of(table, cell.row) if table.layout == "points" else 1.0
        if points is not None and points < 0:
            message = f"“{words}” with negative points takes points from answers that do not have the fault"
            hint = "Say the fault itself (“Recommends antibiotics”) and keep the negative points"
        else:
            message = f"“{words}”: an answer that says nothing at all meets this"
            hint = "Say what a right answer says instead; or name the fault, and give it negative points"
        yield _finding(table, cell, f"{message}: {_short(text)}", hint)


def find_references(table: Table) -> Iterator[Finding]:
    """Find criteria that send the judge to another one."""
    for cell, text, words in _hits(table, ELSEWHERE, without_quotes):
        yield _finding(table, cell, f"“{words}” refers to something the judge may not have before it: {_short(text)}")


def find_unseen_material(table: Table) -> Iterator[Finding]:
    """Find criteria that send the judge to a picture, a file or a page."""
    for cell, text, words in _hits(table, UNSEEN, without_quotes):
        yield _finding(table, cell, f"“{words}”: the judge sees texts only: {_short(text)}")


def _hits(table: Table, words: Words, prepare: Callable[[str], str]) -> Iterator[tuple[CriteriaCell, str, str]]:
    """Yield the cell, the criterion and what was found in it, once per criterion."""
    usual = language(table)
    for cell, text in table.items():
        match = words[own_language(text, usual)].search(prepare(text))
        if match:
            yield cell, text, " ".join(match[0].split())


@lru_cache(maxsize=4)
def _language(texts: tuple[str, ...]) -> Language:
    return language_of(texts)


def language(table: Table) -> Language:
    """Return the language that the table's criteria are in."""
    return _language(tuple(text for _, text in table.items()))


def _finding(table: Table, cell: CriteriaCell, message: str, hint: str = "") -> Finding:
    return Finding(table.ref(cell.row, cell.column), message, hint)


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 100 else f"{words[:99]}…"


RULES = (
    Rule(
        id="vague-word",
        severity=Severity.WARNING,
        part="table",
        find=find_vague_words,
        finds="A word such as “appropriate”, “good” or “etc.” in what a criterion demands, in its own language; "
        "not in quotes, and not in a fact to be said (“explain that …”).",
        why="Two judges, or one judge twice, draw the line in different places.",
        fix="Say what must be there: a name, a number, a list",
    ),
    Rule(
        id="two-demands",
        severity=Severity.WARNING,
        part="table",
        find=find_two_demands,
        finds="A criterion that joins two demands with “and” (“give … and explain why …”), where it could be two. Not "
        "at a level worth the whole scale, where each of the two would earn all points by itself.",
        why="An answer that does one of them is neither right nor wrong.",
        fix="Make two numbered criteria of it, or say that one of them is enough",
    ),
    Rule(
        id="negation",
        severity=Severity.WARNING,
        part="table",
        find=find_negations,
        finds="A criterion that demands that something is not said or done.",
        why="An empty answer meets it, and with negative points it works the wrong way round.",
        fix="Say what a right answer says instead",
    ),
    Rule(
        id="refers-elsewhere",
        severity=Severity.WARNING,
        part="table",
        find=find_references,
        finds="A criterion that refers to another (“see above”, “same as in (1)”).",
        why="Each question is judged by itself, often without what is meant.",
        fix="Repeat the words here",
    ),
    Rule(
        id="unseen-material",
        severity=Severity.WARNING,
        part="table",
        find=find_unseen_material,
        finds="A criterion that can only be decided with a picture, an attachment or a web page.",
        why="The judge is given texts; it would have to guess.",
        fix="Write into the criterion what is to be seen there",
    ),
)
