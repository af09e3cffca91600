"""What experts have entered about each grade, in a graded workbook or in the store; decides which score counts."""

from __future__ import annotations

import math
import re
import zipfile
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from python_calamine import CalamineError, CalamineWorkbook

from grader.criterion_score import CRITERION_SCORES
from grader.outputs.graded_workbook.entry_rows import Before, CriterionKey, EntryRow, entry_rows
from grader.outputs.graded_workbook.entry_values import (
    Unclear,
    entered_comment,
    parse_entered_score,
    parse_entered_verdict,
)
from grader.outputs.graded_workbook.keys import grade_key, text_hash
from grader.outputs.graded_workbook.review_columns import column_index
from grader.records import CriterionVerdict, Grade
from grader.rubric import Rubric

_OUR_NAMES = ("Review", "Verdicts", "Blind")


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionEntry:
    """What stands in the expert's cells of one criterion, on the sheet Verdicts."""

    met: bool | str | None = None
    """A verdict as a rule; text where something else was typed."""
    comment: str = ""
    before: Before | None = None
    """Of a workbook: what `grader review` had stored of these cells when it was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpertEntry:
    """What stands in the expert's cells about one grade, on all our sheets together."""

    score: float | str | None = None
    """On Review. A number as a rule; text where something else was typed."""
    comment: str = ""
    blind_score: float | str | None = None
    """On Blind, where the judge's score is not shown."""
    blind_comment: str = ""
    criteria: Mapping[CriterionKey, CriterionEntry] = field(default_factory=dict)
    text_hash: str = ""
    """Of the texts that the expert had before them."""
    stale: str = ""
    """In words, what was entered for texts that have changed since: it is shown and does not count."""
    other: ExpertEntry | None = field(default=None, compare=False)
    """What was entered for other texts than these, of which one or the other may be those of today."""
    counting: frozenset[str] = field(default=frozenset(), compare=False)
    """Of the store: what counts, in the words in which it would be stale; it may have been so in an older workbook."""
    experts_differ: bool = False
    """Of the store: several experts' scores are far apart, or their verdicts on a criterion differ."""
    before: Before | None = None
    """Of a workbook: what `grader review` had stored of the cells on Review when it was written."""
    blind_before: Before | None = None
    """The same of those on Blind."""

    @property
    def number(self) -> float | None:
        """The expert's score for the whole answer: the one on Review before the blind one."""
        return next((value for value in (self.score, self.blind_score) if isinstance(value, float)), None)


_CELL = re.compile(rb"""<(?:\w+:)?c\s[^>]*?\br=["']([A-Z]{1,3})(\d{1,7})["']""")

NO_ENTRY = ExpertEntry()


class Unreadable(Exception):
    """The file is no workbook that could be looked into."""


def read_entries(path: Path, sheets: Collection[str] | None = None) -> dict[str, ExpertEntry]:
    """Return what stands in the expert's cells by their rows' keys; empty for a workbook without a sheet of ours.

    Only `sheets` are looked at, by default those with a name of ours; their headers say for sure. A value that cannot
    be read is kept as the text it is.

    Raises:
        Unreadable: the file is damaged, protected, or no workbook.
    """
    try:
        workbook = CalamineWorkbook.from_path(path)
        # The last sheet is the newest: a workbook graded twice has Review and Review (2).
        names = [name for name in workbook.sheet_names if (is_ours(name) if sheets is None else name in sheets)]
        rows = (row for name in names for row in entry_rows(name, workbook.get_sheet_by_name(name).iter_rows()))
        return _entries(row for row in rows if isinstance(row, EntryRow) and row.key)
    except (CalamineError, zipfile.BadZipFile, OSError) as error:
        raise Unreadable(str(error)) from error


def read_keys(path: Path, sheets: Collection[str]) -> frozenset[str]:
    """Return the keys of all rows on sheets of ours, those without an entry too.

    Raises:
        Unreadable: the file is damaged, protected, or no workbook.
    """
    try:
        workbook = CalamineWorkbook.from_path(path)
        rows = [row for name in sheets for row in entry_rows(name, workbook.get_sheet_by_name(name).iter_rows())]
    except (CalamineError, zipfile.BadZipFile, OSError) as error:
        raise Unreadable(str(error)) from error
    return frozenset(row.key for row in rows if isinstance(row, EntryRow) and row.key)


def is_ours(sheet: str) -> bool:
    """Return whether a sheet may be one with an expert's entries, by its name; its header says for sure."""
    return sheet.startswith(_OUR_NAMES)


def cell_area(sheet: bytes) -> int:
    """Return how many cells lie between A1 and the last column and row that a sheet's XML names."""
    columns, rows = {b"A"}, {1}
    for column, row in _CELL.findall(sheet):
        columns.add(column)
        rows.add(int(row))
    widest = max(columns, key=lambda letters: (len(letters), letters))
    return (column_index(widest.decode()) + 1) * max(rows)


def entry_for(grade: Grade, entries: Mapping[str, ExpertEntry]) -> ExpertEntry:
    """Return the entry that belongs to a grade's item; in words only where its texts have changed since."""
    entry = entries.get(grade_key(grade)) if entries else None
    return NO_ENTRY if entry is None else with_stale(entry, text_hash(grade.item))


def with_stale(entry: ExpertEntry, today_hash: str) -> ExpertEntry:
    """Return the entry, or where it was made for other texts what it said, as `stale` words that do not count."""
    if entry.other is not None:
        both = (replace(entry, other=None), entry.other)
        counting, past = both if entry.other.text_hash != today_hash else reversed(both)
        return _with_words(with_stale(counting, today_hash), with_stale(past, today_hash).stale)
    if entry.text_hash == today_hash:
        return entry
    said = [*_said("Expert score", entry.score, entry.comment), *_said("Blind", entry.blind_score, entry.blind_comment)]
    for (level, number), criterion in sorted(entry.criteria.items(), key=lambda each: (each[0][0] or 0.0, each[0][1])):
        met = ("met" if criterion.met else "not met") if isinstance(criterion.met, bool) else criterion.met
        place = f"criterion {number}" if level is None else f"level {level:g}, criterion {number}"
        said += _said(f"Expert verdict on {place}", met, criterion.comment)
    now = f"{'; '.join(said)} (the question, criteria or answer has changed since)" if said else ""
    return ExpertEntry(text_hash=today_hash, stale="; ".join(filter(None, (entry.stale, now))))


def _said(what: str, value: float | str | None, comment: str) -> list[str]:
    """Return one entry in words, in a list that is empty without an entry."""
    shown = "" if value is None else f" {value:.10g}" if isinstance(value, float) else f" {value}"
    words = " ".join(comment.split())
    quoted = f": “{words}”" if words else ""
    return [what + shown + quoted] if shown or quoted else []


def final_score(grade: Grade, entry: ExpertEntry, rubric: Rubric) -> float | None:
    """Return the score that counts: the expert's, else what follows from the expert's criteria, else the judge's."""
    if entry.number is not None:
        return entry.number
    by_criteria = expert_criteria_score(grade, entry, rubric)
    return grade.verdict.score if by_criteria is None else by_criteria


def expert_criteria_score(grade: Grade, entry: ExpertEntry, rubric: Rubric) -> float | None:
    """Return the score that the criteria give with the expert's verdicts on some of them; `None` without any."""
    rule = CRITERION_SCORES.get(rubric.rule)
    if rule is None or not any(isinstance(each.met, bool) for each in entry.criteria.values()):
        return None
    verdicts = final_criteria(grade, entry)
    return None if verdicts is None else rule(verdicts, grade.item, rubric)


def final_criteria(grade: Grade, entry: ExpertEntry) -> tuple[CriterionVerdict, ...] | None:
    """Return a verdict on each criterion, the expert's before the judge's; `None` where one has neither."""
    judged = {(verdict.level, verdict.number): verdict for verdict in grade.verdict.items}
    verdicts = []
    for criterion in grade.item.criteria:
        key = (criterion.level, criterion.number)
        entered = entry.criteria.get(key)
        met = entered.met if entered and isinstance(entered.met, bool) else None
        verdict = judged.get(key)
        if verdict is None and met is None:
            return None
        verdict = verdict or CriterionVerdict(level=criterion.level, number=criterion.number, met=False)
        verdicts.append(verdict if met is None else replace(verdict, met=met))
    return tuple(verdicts)


def typed_over(
    stored: Mapping[str, ExpertEntry], typed: Mapping[str, ExpertEntry], *, is_reviewed: bool = False
) -> dict[str, ExpertEntry]:
    """Return the stored entries with what was typed since laid over them, part by part.

    `typed` is what stands in an earlier workbook. What `grader review` had stored before that was written is no news
    there, and with `is_reviewed` all of it has just been stored. Of rows that the store does not know everything
    counts. What was typed for other texts than those of the stored entry goes along with it: the texts of today say
    which of the two counts.
    """
    laid = dict(stored)
    for key, entry in typed.items():
        known = stored.get(key)
        if known is None:
            laid[key] = entry
        elif known.text_hash != entry.text_hash:
            # What stands there as it was stored is among the store's own stale words.
            news = _with_words(_laid_over(ExpertEntry(text_hash=entry.text_hash), entry), entry.stale)
            laid[key] = _with_words(known, entry.stale) if is_reviewed else replace(known, other=news)
        else:
            laid[key] = _with_words(known if is_reviewed else _laid_over(known, entry), entry.stale)
    return laid


def _with_words(entry: ExpertEntry, stale: str) -> ExpertEntry:
    """Return the entry with more that is stale; not what it says already, nor what counts again."""
    stale = _without(stale, entry.counting)
    if not stale or stale in entry.stale:
        return entry
    return replace(entry, stale="; ".join(filter(None, (entry.stale, stale))))


def _without(stale: str, counting: Collection[str]) -> str:
    """Return stale words without those of entries that count again, as their texts have been put back."""
    left = stale
    for words in sorted(counting, key=len, reverse=True):
        left = re.sub(rf"(?:^|(?<=\n)|(?<=; )){re.escape(words)}(?=$|\n|; )", "", left)
    return stale if left == stale else re.sub(r"(?:\s*;\s*){2,}|\s*\n\s*\n\s*", "\n", left).strip("; \n")


def _laid_over(known: ExpertEntry, typed: ExpertEntry) -> ExpertEntry:
    score, comment = _newer((known.score, known.comment), (typed.score, typed.comment), typed.before)
    blind_score, blind_comment = _newer(
        (known.blind_score, known.blind_comment), (typed.blind_score, typed.blind_comment), typed.blind_before
    )
    criteria = dict(known.criteria)
    for key, entry in typed.criteria.items():
        old = known.criteria.get(key, CriterionEntry())
        met, said = _newer((old.met, old.comment), (entry.met, entry.comment), entry.before)
        criteria[key] = CriterionEntry(met=met, comment=said)  # type: ignore[arg-type]  # a verdict, as both were
    return replace(
        known,
        score=score,
        comment=comment,
        blind_score=blind_score,
        blind_comment=blind_comment,
        criteria=criteria,
    )


def _newer(
    known: tuple[float | str | None, str], typed: tuple[float | str | None, str], before: Before | None
) -> tuple[float | str | None, str]:
    """Return of value and comment each the typed one where it is not what was there before."""
    value, comment = before or (None, "")
    is_typed = typed[0] != value and not (isinstance(typed[0], float) and same_score(typed[0], value))
    return typed[0] if is_typed else known[0], typed[1] if typed[1] != comment else known[1]


def same_score(one: float | None, other: float | None) -> bool:
    """Return whether two scores are one, apart from the digits that programs cut on saving."""
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


def _entries(rows: Iterable[EntryRow]) -> dict[str, ExpertEntry]:
    entries: dict[str, ExpertEntry] = {}
    for row in rows:
        value, comment = _value(row), entered_comment(row.comment)
        if value is None and not comment and row.before is None and not row.stale:
            continue
        entry = entries.get(row.key, ExpertEntry(text_hash=row.text_hash))
        if row.criterion is not None:
            of_criterion = CriterionEntry(met=value, comment=comment, before=row.before)  # type: ignore[arg-type]  # `_value` of such a row
            entry = replace(entry, criteria={**entry.criteria, row.criterion: of_criterion})
        elif row.kind == "blind":
            entry = replace(entry, blind_score=value, blind_comment=comment, blind_before=row.before)
        else:
            entry = replace(entry, score=value, comment=comment, before=row.before, stale=row.stale)
        entries[row.key] = entry
    return entries


def _value(row: EntryRow) -> float | bool | str | None:
    """Return the score or verdict in a row; what is neither stays the text it is."""
    try:
        return parse_entered_score(row.value) if row.criterion is None else parse_entered_verdict(row.value)
    except Unclear:
        return str(row.value)
