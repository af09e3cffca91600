"""The whole flow on one screen: a criteria workbook and answers in, grades and files out; prints nothing.

::

    prepare(request) ─▶ Plan ─ grade(plan, …) ─▶ run.db ─ write_outputs(plan, …) ─▶ graded.xlsx, results.jsonl …
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from grader import __version__
from grader.errors import InputError
from grader.inputs.answers import read_answers
from grader.inputs.criteria_workbook import read_criteria_workbook
from grader.inputs.items import join_items
from grader.inputs.questions import read_questions
from grader.inputs.rubric_file import read_rubric
from grader.judging.calls import CallSettings, Observer
from grader.judging.judge import Judge
from grader.judging.prices import count_tokens
from grader.judging.runner import Ending, Job, run_jobs
from grader.outputs.results_jsonl import write_results, write_skipped_log
from grader.outputs.summary import Summary, summarise, write_summary
from grader.prompting.data_blocks import is_suspicious
from grader.prompting.render import PromptRenderer
from grader.records import Grade, Item, Prompt, Reply, SkippedItem, Usage, Verdict
from grader.rubric import Rubric
from grader.scoring.replies import empty_answer_verdict, score_reply
from grader.store.run_store import RunStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to grade: the files, and how to read them."""

    criteria_path: Path
    answers_paths: tuple[Path, ...]
    questions_path: Path | None = None
    sheet: str | None = None
    rubric: str | None = None
    """Name or path of a rubric; by default guessed from the workbook's columns."""
    column_map: Mapping[str, str] = field(default_factory=dict)
    encoding: str | None = None
    skip_bad_lines: bool = False
    group_by: str | None = None
    only: tuple[str, ...] = ()
    limit: int | None = None
    samples: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What will be graded: every item, and all that was noticed on the way."""

    items: tuple[Item, ...]
    skipped: tuple[SkippedItem, ...]
    rubric: Rubric
    template_path: Path
    samples: int
    notes: tuple[str, ...]
    """Sentences to say aloud: what was guessed, left out, or found odd."""

    @property
    def planned(self) -> Mapping[str, int]:
        """How many grades each system will have, in the order of the systems."""
        return {system: count * self.samples for system, count in Counter(item.system for item in self.items).items()}

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
    criteria = read_criteria_workbook(
        request.criteria_path, sheet=request.sheet, column_map=request.column_map, encoding=request.encoding
    )
    name = request.rubric or criteria.layout
    rubric, template_path = read_rubric(name)
    answers = [
        read_answers(
            path,
            column_map=request.column_map,
            skip_bad_lines=request.skip_bad_lines,
            encoding=request.encoding,
        )
        for path in request.answers_paths
    ]
    questions = None
    if request.questions_path is not None:
        questions = read_questions(request.questions_path, column_map=request.column_map, encoding=request.encoding)
    join = join_items(criteria, answers, questions=questions, group_by=request.group_by)
    guessed = () if request.rubric else (f"rubric: {rubric.name}, guessed from the columns of the criteria workbook",)
    noted = [criteria.notes, *(table.notes for table in answers), questions.notes if questions else (), join.notes]
    notes = (*guessed, *chain.from_iterable(noted))
    items, skipped = _chosen(request, join.items, join.skipped)
    return Plan(
        items=items,
        skipped=skipped,
        rubric=rubric,
        template_path=template_path,
        samples=request.samples,
        notes=notes,
    )


def _chosen(
    request: Request, items: Sequence[Item], skipped: Sequence[SkippedItem]
) -> tuple[tuple[Item, ...], tuple[SkippedItem, ...]]:
    """Return the items that `--only` and `--limit` leave; the limit counts questions, so that systems stay even."""
    if request.only:
        missing = sorted(set(request.only) - {item.id for item in items})
        if missing:
            raise InputError(f"--only names ids that no item has: {', '.join(missing)}", path=request.criteria_path)
        items = [item for item in items if item.id in request.only]
        skipped = [item for item in skipped if item.item_id in request.only]
    if request.limit is not None:
        ids = set(list(dict.fromkeys(item.id for item in items))[: request.limit])
        items = [item for item in items if item.id in ids]
        skipped = [item for item in skipped if item.item_id in ids]
    return tuple(items), tuple(skipped)


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeSettings:
    """How to grade: the calls, how often to ask again, and whether empty answers are sent."""

    calls: CallSettings
    reasks: int = 2
    max_tokens: int | None = 4096
    judge_empty: bool = False


def grade(plan: Plan, *, judge: Judge, store: RunStore, settings: GradeSettings, observer: Observer) -> Ending:
    """Grade every item of a plan into the store; what the store already holds is not asked again."""
    store.begin()
    return run_jobs(
        plan.jobs(),
        judge=judge,
        method=RubricMethod(plan.rubric, plan.template_path, model=judge.model, judge_empty=settings.judge_empty),
        store=store,
        settings=settings.calls,
        reasks=settings.reasks,
        max_tokens=settings.max_tokens,
        observer=observer,
    )


class RubricMethod:
    """A rubric at work: its template makes the prompts, its rule makes the verdicts."""

    def __init__(self, rubric: Rubric, template_path: Path, *, model: str, judge_empty: bool = False) -> None:
        self._rubric, self._model, self._judge_empty = rubric, model, judge_empty
        self._renderer = PromptRenderer(rubric, template_path)

    def verdict_without_call(self, item: Item) -> Verdict | None:
        """Return the lowest score for an empty answer (RUBRICS, common rule 3)."""
        if item.answer.strip() or self._judge_empty:
            return None
        return empty_answer_verdict(self._rubric)

    def render(self, item: Item) -> Prompt:
        """Return the prompt for `item`."""
        return self._renderer.render(item)

    def read(self, reply: Reply, item: Item) -> Verdict:
        """Return the verdict that `reply` carries."""
        return score_reply(reply, item, self._rubric)

    def reask(self, prompt: Prompt, reply: Reply, verdict: Verdict) -> Prompt:
        """Return the prompt that asks again."""
        return self._renderer.reask(prompt, reply, verdict)

    def grade(self, item: Item, sample: int, verdict: Verdict, replies: tuple[Reply, ...]) -> Grade:
        """Return the grade, flagged where the answer speaks to the judge instead of to the question."""
        if is_suspicious(item.answer, self._rubric.output):
            verdict = replace(verdict, flags=(*verdict.flags, "suspicious"))
        return Grade(
            item=item, verdict=verdict, rubric=self._rubric.name, model=self._model, sample=sample, replies=replies
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a run would take at the least, without re-asks; `cost_usd` is `None` where no price is known."""

    calls: int
    prompt_tokens: int
    most_completion_tokens: int
    most_cost_usd: float | None


def estimate(plan: Plan, settings: GradeSettings) -> Estimate:
    """Return what grading a plan from the start would take, every reply at its longest; makes no call."""
    prompts = list(render_prompts(plan, judge_empty=settings.judge_empty))
    usage = Usage(
        prompt_tokens=plan.samples * sum(count_tokens(prompt.messages) for prompt in prompts),
        completion_tokens=plan.samples * len(prompts) * (settings.max_tokens or 0),
    )
    price = settings.calls.price
    return Estimate(
        calls=plan.samples * len(prompts),
        prompt_tokens=usage.prompt_tokens,
        most_completion_tokens=usage.completion_tokens,
        most_cost_usd=price.cost_usd(usage) if price else None,
    )


def render_prompts(plan: Plan, *, judge_empty: bool = False) -> Iterator[Prompt]:
    """Yield the prompt of every item that a judge would be asked about."""
    method = RubricMethod(plan.rubric, plan.template_path, model="", judge_empty=judge_empty)
    return (method.render(item) for item in plan.items if method.verdict_without_call(item) is None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The files of a run and what they hold in short."""

    summary: Summary
    paths: tuple[Path, ...]
    notes: tuple[str, ...]


def write_outputs(plan: Plan, *, store: RunStore, run_dir: Path, about: Mapping[str, Any]) -> Written:
    """Write every file of the run from its store: graded.xlsx, results.jsonl, summary.json, skipped.log.

    `about` is what the files say of the run: the command, the model, and whether it is a baseline; never a key.
    """
    run = {"run_id": store.run_id, "version": __version__, **about}
    summary = summarise(store.grades(), planned=plan.planned, skipped=plan.skipped)
    results, skipped_log, summary_path = (run_dir / name for name in ("results.jsonl", "skipped.log", "summary.json"))
    write_results(results, store.grades())
    write_skipped_log(skipped_log, store.grades(), plan.skipped)
    write_summary(summary_path, summary, run=run)
    return Written(summary=summary, paths=(results, summary_path, skipped_log), notes=())
