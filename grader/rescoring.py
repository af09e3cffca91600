"""Reads a run's stored replies again with today's readers and rules; asks no judge and reads no answers file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grader import __version__
from grader.errors import GraderError
from grader.inputs.criteria_table import CriteriaTable
from grader.inputs.criteria_workbook import read_criteria_workbook
from grader.inputs.package_intake import DEFAULT_LIMITS, IntakeLimits
from grader.inputs.rubric_file import read_rubric
from grader.judging.runner import deciding_verdict
from grader.records import Criterion, Grade, Item, StoredGrade, Verdict
from grader.rubric import Rubric
from grader.rubric_choice import RubricChoice, guessed_rubric, named_rubric, with_options
from grader.rubric_method import flagged
from grader.scoring.replies import empty_answer_verdict, score_reply
from grader.store.rows import now
from grader.store.run_head import RunHead, keep_head
from grader.store.run_store import RunStore

_NAMED = "rescored_by"
"""Where the run's record says which rubric was named for reading it again, which then is the run's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A grade that reads differently today."""

    position: int
    before: Grade
    after: Grade

    @property
    def is_of_score(self) -> bool:
        """Whether the score or the status changed, and not just flags or reasons."""
        old, new = self.before.verdict, self.after.verdict
        return (old.score, old.status) != (new.score, new.status)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the stored replies are to be read by."""

    rubric: Rubric
    criteria: Mapping[str, tuple[Criterion, ...]] | None = None
    """The workbook's criteria as they are now, by id; `None` where they cannot be read: those of the run count."""
    notes: tuple[str, ...] = ()
    """What is to be said of where the rules come from."""
    named: str | None = None
    """The name or the absolute path of the rubric, where one was named for reading the run again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescored:
    """What reading a run again makes of it."""

    grade_count: int
    unscored_count: int
    """Grades without a score today."""
    changes: tuple[Change, ...]
    """In the run's order."""
    other_criteria: tuple[str, ...] = ()
    """Ids of questions whose criteria are no longer those that the judge saw: they are read as they were."""


def todays_rules(head: RunHead, *, rubric_name: str | None = None) -> Rules:
    """Return the rubric and the criteria of a run as they are now; what is gone or unreadable is as the run had it.

    Without `rubric_name` the rubric is read again from where the run had it: the workbook's Rubric sheet, the rubric
    named then, or the one guessed from the columns.

    Raises:
        RubricError: there is no rubric `rubric_name`, or it cannot be used.
    """
    named = _lasting(rubric_name) if rubric_name else head.record.get(_NAMED)
    own = read_rubric(rubric_name)[0] if rubric_name else head.rubric
    if not head.criteria_path.is_file():
        # That it is not there is told where the graded workbook is written.
        kept = () if rubric_name else ("the rubric is the one that the run kept, as its workbook is not there",)
        return Rules(rubric=own, notes=kept, named=named)
    options: Mapping[str, Any] = head.record.get("options", {})
    notes: list[str] = []
    criteria: CriteriaTable | None = None
    try:
        choice = named_rubric(head.criteria_path, named or options.get("rubric"), limits=_limits(options))
    except GraderError as error:
        kept_rubric = "as named" if rubric_name else "the one that the run kept"
        notes.append(f"the rubric is {kept_rubric}, as it cannot be read again: {error.message}")
        choice = RubricChoice(rubric=own, template_path=Path(), note="")
    try:
        criteria = _read_criteria(head, options, choice)
        choice = choice or guessed_rubric(criteria.layout)
    except GraderError as error:
        notes.append(f"the criteria are as the run kept them, as they cannot be read again: {error.message}")
    is_todays = choice is not None and choice.note
    rubric = _with_kept_options(choice.rubric, {} if named else options) if choice and is_todays else own
    if choice and is_todays and rubric_name is None and not _are_same(rubric, head.rubric):
        notes.append(f"the rubric has changed since the run was graded, and counts as it is now: {choice.note}")
    return Rules(
        rubric=rubric,
        criteria={row.item_id: row.criteria for row in criteria.rows} if criteria else None,
        notes=tuple(notes),
        named=named,
    )


def _lasting(rubric_name: str) -> str:
    """Return how a rubric is named from any folder."""
    return str(Path(rubric_name).absolute()) if rubric_name.endswith((".yaml", ".yml")) else rubric_name


def _read_criteria(head: RunHead, options: Mapping[str, Any], choice: RubricChoice | None) -> CriteriaTable:
    return read_criteria_workbook(
        head.criteria_path,
        sheet=options.get("sheet"),
        layout=choice.rubric.needed_layout if choice else None,
        column_map=dict(pair.partition("=")[::2] for pair in options.get("column_map") or ()),
        encoding=options.get("encoding"),
        limits=_limits(options),
        other_sheets=choice.own_sheets if choice else (),
    )


def _limits(options: Mapping[str, Any]) -> IntakeLimits:
    return DEFAULT_LIMITS.times(options.get("read_limit") or 1)


def _with_kept_options(rubric: Rubric, options: Mapping[str, Any]) -> Rubric:
    """Return the rubric with those of the run's options, such as strictness, that it knows."""
    known = {name: str(options[name]) for name in rubric.option_choices if options.get(name)}
    return with_options(rubric, {name: value for name, value in known.items() if value in rubric.option_choices[name]})


def _are_same(one: Rubric, other: Rubric) -> bool:
    """Whether two rubrics are one; a rubric that was stored has texts for the numbers of its levels."""
    first, second = (json.dumps(rubric.model_dump(mode="json"), sort_keys=True) for rubric in (one, other))
    return first == second


def rescore(store: RunStore, rules: Rules) -> Rescored:
    """Return what today's rules make of every stored reply; changes nothing.

    A grade rests on all replies to its item, whether or not they would be asked for today: the same one decides. An
    item has today's points where its criteria still say the same, and stays as it was judged where they do not.
    """
    rubric = rules.rubric
    changes: list[Change] = []
    other_criteria: dict[str, None] = {}
    grade_count = unscored_count = 0
    for stored in store.grades().stored():
        before = stored.grade
        item = _with_todays_points(before.item, rules.criteria)
        if item is None:
            other_criteria[before.item.id] = None
        now_graded = replace(before, item=item or before.item)
        after = replace(now_graded, rubric=rubric.name, verdict=_verdict(now_graded, rubric))
        grade_count += 1
        unscored_count += after.verdict.score is None
        if after != before:
            changes.append(Change(position=stored.position, before=before, after=after))
    return Rescored(
        grade_count=grade_count,
        unscored_count=unscored_count,
        changes=tuple(changes),
        other_criteria=tuple(other_criteria),
    )


def _with_todays_points(item: Item, criteria: Mapping[str, tuple[Criterion, ...]] | None) -> Item | None:
    """Return the item with the points that its criteria have now, or `None` where these are other criteria."""
    if criteria is None:
        return item
    now_there = criteria.get(item.id)
    if now_there is None or [_said(each) for each in now_there] != [_said(each) for each in item.criteria]:
        return None
    if all(new.points == old.points for new, old in zip(now_there, item.criteria, strict=True)):
        return item
    renewed = (replace(old, points=new.points) for new, old in zip(now_there, item.criteria, strict=True))
    return replace(item, criteria=tuple(renewed))


def _said(criterion: Criterion) -> tuple[str, float | None]:
    return criterion.text, criterion.level


def keep_changes(store: RunStore, head: RunHead, changes: Sequence[Change], rules: Rules) -> RunHead:
    """Commit the changed grades, and return the head of the run that they now belong to: its own if nothing changed."""
    if not changes and _are_same(rules.rubric, head.rubric) and head.record.get(_NAMED) == rules.named:
        return head
    store.write([StoredGrade(position=change.position, grade=change.after) for change in changes])
    rescored = f"{now()} by grader {__version__}"
    record = {**head.record, "rubric": rules.rubric.name, "rescored": rescored}
    if rules.named is not None:
        record[_NAMED] = rules.named
    renewed = replace(head, rubric=rules.rubric, record=record)
    keep_head(store, renewed)
    return renewed


def _verdict(grade: Grade, rubric: Rubric) -> Verdict:
    if not grade.replies:  # an empty answer, which no judge was asked about
        return flagged(empty_answer_verdict(rubric), grade.item, rubric)
    verdicts = [score_reply(reply, grade.item, rubric) for reply in grade.replies]
    return flagged(deciding_verdict(verdicts), grade.item, rubric)
