"""`grader score`, the main job: options in, the pipeline's calls, what came of it out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.judge_options import by_transport, chosen_judge, chosen_model, grade_settings, judge_options
from grader.cli.options import FOLDER, as_request, choosing_options, reading_options
from grader.cli.outcome import command_line, exit_by_summary, print_written, raise_if_lost, say_ending

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.grading import GradeSettings
    from grader.judging.runner import Ending
    from grader.pipeline import Written
    from grader.planning import Plan, Request
    from grader.store.run_head import RunHead
    from grader.store.run_store import RunStore


@click.command("score")
@reading_options
@judge_options("score")
@choosing_options
@click.option("--group-by", metavar="FIELD", help="Also show means by this field, such as type.")
@click.option(
    "--blind", type=click.IntRange(0), default=0, metavar="N", help="Have N rows scored with the judge's score hidden."
)
@click.option("--out", type=FOLDER, help="The run's folder.  [default: Result/<criteria>]")
@click.option("--fresh", is_flag=True, help="Start anew instead of going on with what --out holds.")
@click.option("--dry-run", is_flag=True, help="Say what would be called and what it may cost; calls nothing.")
@click.option("--quiet", is_flag=True, help="Say nothing but errors.")
@click.option("--no-progress", is_flag=True, help="Plain lines instead of a progress bar.")
@click.option("--verbose", is_flag=True, help="Log every call, without its texts, to stderr and debug.log in --out.")
def command(**options: Any) -> None:
    """Grade answers against a criteria workbook.

    Writes graded.xlsx (a copy of the workbook with the grades), results.jsonl, summary.json and skipped.log into
    --out. Run the same command again to go on after a stop: nothing is judged twice.
    """
    from grader.cli.garbage import lasting

    say = _say_nothing if options["quiet"] else _say
    with lasting():
        plan, request = _prepared(options, say)
    for note in plan.notes:
        say(note)
    settings = grade_settings(options)
    if options["dry_run"]:
        _print_estimate(plan, settings, options["model"], options["transport"])
        return
    ending, written = _grade(options, plan, request, settings)
    _finish(written, ending, is_quiet=options["quiet"])


def _prepared(options: dict[str, Any], say: Callable[[str], None]) -> tuple[Plan, Request]:
    """Return what to grade; the files are checked first, so that all that is wrong with them is said at once."""
    from grader.checks.checking import refuse_errors
    from grader.inputs.reading_once import reading_once
    from grader.planning import prepare

    request = as_request(options)
    with reading_once():
        refuse_errors(request)
        options["model"] = chosen_model(options["model"], say)
        return prepare(request), request


def _print_estimate(plan: Plan, settings: GradeSettings, model: str, transport: str) -> None:
    from grader.judging.judges import is_local
    from grader.preview import estimate

    found = estimate(plan, settings)
    judge = model + by_transport(model, transport)
    click.echo(f"{len(plan.items)} items of {len(plan.planned)} systems, {found.calls} calls to {judge}")
    click.echo(f"{found.prompt_tokens:,} prompt tokens, at most {found.most_completion_tokens:,} completion tokens")
    if is_local(model):
        click.echo("cost: nothing, no provider is called")
    elif found.most_cost_usd is None:
        click.echo("cost: unknown, no price is known for this model; give one with --price IN,OUT")
    else:
        click.echo(f"cost: at most ${found.most_cost_usd:.4f} without re-asks, if every reply is as long as allowed")


def _grade(options: dict[str, Any], plan: Plan, request: Request, settings: GradeSettings) -> tuple[Ending, Written]:
    """Grade into the run's folder and write its files, also of a run that stopped early."""
    from grader.beginning import RunFacts, begin_run, graded_before
    from grader.cli.garbage import lasting
    from grader.cli.meanwhile import importing_meanwhile
    from grader.cli.progress import progress
    from grader.grading import grade
    from grader.judging.crew import Ending
    from grader.judging.debug_log import debug_log
    from grader.store.run_store import RunStore

    run_dir: Path = options["out"] or Path("Result") / request.criteria_path.stem
    is_bar = sys.stderr.isatty() and not options["no_progress"] and not options["verbose"]
    with (
        RunStore(run_dir, fresh=options["fresh"]) as store,
        debug_log(run_dir, is_verbose=options["verbose"]) as log,
    ):
        command, kept = command_line(), _kept(options)
        head = graded_before(plan, request, store=store, command=command, options=kept)
        if head is not None:
            log.info("run %s: all %d grades are there, nothing is asked", store.run_id, plan.grade_count)
            return Ending(), _written(head, store, run_dir)
        with lasting():
            judge = chosen_judge(options, plan.rubric)
            log.info("run %s: %d grades wanted, by %s", store.run_id, plan.grade_count, judge.model)
            facts = RunFacts(command=command, judge=judge, options=kept)
            head = begin_run(plan, request, store=store, facts=facts)
        show = progress(plan.grade_count, is_quiet=options["quiet"], is_bar=is_bar)
        with show as observer, importing_meanwhile(*_TO_WRITE):
            ending = grade(plan, judge=judge, store=store, settings=settings, observer=observer)
        log.info("ended with %d grades and %d calls: %s", observer.done, observer.calls, ending.error or "no error")
        raise_if_lost(ending, store, done=observer.done)
        return ending, _written(head, store, run_dir)


_TO_WRITE = (
    "grader.pipeline",
    "grader.outputs.expert_views",
    "grader.outputs.graded_workbook.write",
    "rapidfuzz.fuzz",  # for criteria that say nearly the same
    "rapidfuzz.process",
)
"""What takes long to import, and is needed for writing only."""


def _written(head: RunHead, store: RunStore, run_dir: Path) -> Written:
    from grader.pipeline import write_outputs

    return write_outputs(head, store=store, run_dir=run_dir)


def _kept(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options as summary.json keeps them; none of them holds a key."""
    plain = {name: str(value) if isinstance(value, Path) else value for name, value in options.items()}
    rubric = options["rubric"]
    if rubric and Path(rubric).is_file():
        rubric = str(Path(rubric).absolute())  # so that rescore finds it from another folder
    return {**plain, "rubric": rubric, "answers": [str(path) for path in options["answers"]]}


def _finish(written: Written, ending: Ending, *, is_quiet: bool) -> None:
    """Say what came of the run and end with the exit code for it."""
    if not is_quiet:
        print_written(written)
    say_ending(ending)
    exit_by_summary(written.summary)


def _say(text: str) -> None:
    click.echo(text, err=True)


def _say_nothing(_: str) -> None:
    pass
