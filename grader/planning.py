"""Plans a run: reads the criteria, the answers and the questions, and joins them; grades and writes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from grader.errors import InputError
from grader.inputs.answers import AnswerKey, read_answers
from grader.inputs.criteria_table import CriteriaTable
from grader.inputs.criteria_workbook import read_criteria_workbook
from grader.inputs.items import join_items, unanswered
from grader.inputs.joined_items import JoinedItems
from grader.inputs.package_intake import DEFAULT_LIMITS, IntakeLimits
from grader.inputs.spool import Spool
from grader.judging.runner import Job
from grader.records import Item, SkippedItem
from grader.rubric import Rubric
from grader.rubric_choice import RubricChoice, check_items, guessed_rubric, named_rubric, with_options


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to grade: the files, and how to read them."""

    criteria_path: Path
    answers_paths: tuple[Path, ...]
    questions_path: Path | None = None
    sheet: str | None = None
    rubric: str | None = None
    """Name or path of a rubric; by default that of the Rubric sheet, else guessed from the workbook's columns."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Options of the rubric, such as strictness, that are not as it says."""
    column_map: Mapping[str, str] = field(default_factory=dict)
    encoding: str | None = None
    skip_bad_lines: bool = False
    limits: IntakeLimits = DEFAULT_LIMITS
    """How large a file may be."""
    group_by: str | None = None
    only: tuple[str, ...] = ()
    limit: int | None = None
    samples: int = 1
    is_without_answers: bool = False
    """Whether questions are taken with an empty answer where neither files nor the workbook have any."""
    spool: Spool = field(default_factory=Spool, compare=False, repr=False)
    """Where what is read is kept while memory has no room for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What will be graded: every item, and all that was noticed on the way."""

    items: Sequence[Item]
    skipped: tuple[SkippedItem, ...]
    rubric: Rubric
    template_path: Path
    samples: int
    notes: tuple[str, ...]
    """Sentences to say aloud: what was guessed, left out, or found odd."""
    criteria_sheet: str | None = None
    """The sheet that the criteria were read from; `None` for a text table, which has no sheets."""
    header_row: int = 1
    """The row of its header, as the spreadsheet counts, from 1."""

    @property
    def planned(self) -> Mapping[str, int]:
        """How many grades each system will have, in the order of the systems."""
        return {system: count * self.samples for system, count in Counter(system for system, _ in self._keys()).items()}

    @property
    def grade_count(self) -> int:
        """How many grades there will be."""
        return len(self.items) * self.samples

    def grades(self) -> Iterator[tuple[str, str, int]]:
        """Yield system, id and sample of every grade in the order of the results; no item is made for that."""
        for system, item_id in self._keys():
            for sample in range(1, self.samples + 1):
                yield system, item_id, sample

    def _keys(self) -> Iterator[AnswerKey]:
        if isinstance(self.items, JoinedItems):
            return self.items.iter_keys()
        return ((item.system, item.id) for item in self.items)

    def jobs(self) -> Iterator[Job]:
        """Yield every item and sample in the order of the results."""
        for index, item in enumerate(self.items):
            for sample in range(1, self.samples + 1):
                yield Job(position=index * self.samples + sample - 1, item=item, sample=sample)


def prepare(request: Request) -> Plan:
    """Read and join the files of a request.

    Raises:
        InputError: a file cannot be used, or nothing in them fits together.
        RubricError: the rubric or its template cannot be used.
    """
    choice, criteria = _read_criteria(request)
    rubric = with_options(choice.rubric, request.options)
    answers = [
        read_answers(
            path,
            column_map=request.column_map,
            skip_bad_lines=request.skip_bad_lines,
            encoding=request.encoding,
            limits=request.limits,
            spool=request.spool,
        )
        for path in request.answers_paths
    ]
    if request.is_without_answers and not answers:
        answers = unanswered(criteria)
    questions = None
    if request.questions_path is not None:
        from grader.inputs.questions import read_questions

        questions = read_questions(
            request.questions_path,
            column_map=request.column_map,
            encoding=request.encoding,
            limits=request.limits,
            spool=request.spool,
        )
    join = join_items(criteria, answers, questions=questions, group_by=request.group_by)
    places = [table.path for table in (criteria, questions, *answers) if table is not None]
    noted = [criteria.notes, *(table.notes for table in answers), questions.notes if questions else (), join.notes]
    notes = (choice.note, *chain.from_iterable(noted), *check_items(join.items, rubric, places))
    items, skipped = _chosen(request, join.items, join.skipped)
    if "context_passages" in rubric.optional_inputs:
        from grader.inputs.context_passages import with_passages

        items = items.changed(with_passages)
    return Plan(
        items=items,
        skipped=skipped,
        rubric=rubric,
        template_path=choice.template_path,
        samples=request.samples,
        notes=notes,
        criteria_sheet=criteria.sheet,
        header_row=criteria.header_row,
    )


def _read_criteria(request: Request) -> tuple[RubricChoice, CriteriaTable]:
    """Return the rubric and the criteria, read in the layout that it needs."""
    choice = named_rubric(request.criteria_path, request.rubric, limits=request.limits)
    criteria = read_criteria_workbook(
        request.criteria_path,
        sheet=request.sheet,
        layout=choice.rubric.needed_layout if choice else None,
        column_map=request.column_map,
        encoding=request.encoding,
        limits=request.limits,
        spool=request.spool,
        other_sheets=choice.own_sheets if choice else (),
    )
    return choice or guessed_rubric(criteria.layout), criteria


def _chosen(
    request: Request, items: JoinedItems, skipped: tuple[SkippedItem, ...]
) -> tuple[JoinedItems, tuple[SkippedItem, ...]]:
    """Return the items that `--only` and `--limit` leave; the limit counts questions, so that systems stay even."""
    if request.only:
        missing = sorted(set(request.only) - {item_id for _, item_id in items.iter_keys()})
        if missing:
            raise InputError(f"--only names ids that no item has: {', '.join(missing)}", path=request.criteria_path)
        items, skipped = _with_ids(request.only, items, skipped)
    if request.limit is not None:
        ids = list(dict.fromkeys(item_id for _, item_id in items.iter_keys()))[: request.limit]
        items, skipped = _with_ids(ids, items, skipped)
    return items, skipped


def _with_ids(
    ids: Iterable[str], items: JoinedItems, skipped: Iterable[SkippedItem]
) -> tuple[JoinedItems, tuple[SkippedItem, ...]]:
    wanted = frozenset(ids)
    return items.chosen(wanted), tuple(item for item in skipped if item.item_id in wanted)
