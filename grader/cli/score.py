"""`grader score`, the main job: options in, the pipeline's calls, what came of it out."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.options import FOLDER, as_request, choosing_options, reading_options
from grader.cli.outcome import exit_by_summary, print_written

if TYPE_CHECKING:
    from grader.judging.prices import Price
    from grader.judging.runner import Ending
    from grader.pipeline import GradeSettings, Written
    from grader.planning import Plan, Request
    from grader.records import RecordedReply


@click.command("score")
@reading_options
@click.option(
    "--model",
    envvar=["GRADER_SCORE_MODEL", "GRADER_MODEL"],
    help="The judge: any LiteLLM name (openai/gpt-4o), offline, or replay:PATH.  [default: offline]",
)
@click.option("--api-base", metavar="URL", help="Where the model is served, if not at its provider's own address.")
@click.option(
    "--transport",
    type=click.Choice(["litellm", "direct"]),
    default="litellm",
    show_default=True,
    help="How to call: LiteLLM reaches every provider; direct is faster, for those that speak OpenAI's protocol.",
)
@click.option("--temperature", type=float, default=0.0, show_default=True, help="Left out for models that refuse it.")
@click.option("--max-tokens", type=click.IntRange(1), default=4096, show_default=True, help="The longest reply.")
@click.option(
    "--concurrency", type=click.IntRange(1, 500), default=50, show_default=True, help="Calls at once, at most."
)
@click.option("--rpm", type=click.FloatRange(0, min_open=True), help="Requests per minute, at most.")
@click.option("--tpm", type=click.FloatRange(0, min_open=True), help="Tokens per minute, at most.")
@click.option(
    "--timeout", type=click.FloatRange(0, min_open=True), default=120.0, show_default=True, help="Seconds for one call."
)
@click.option("--max-retries", type=click.IntRange(0), default=6, show_default=True, help="Retries of a failed call.")
@click.option(
    "--reasks", type=click.IntRange(0), default=2, show_default=True, help="Asks again after an unusable reply."
)
@click.option("--max-cost", type=click.FloatRange(0, min_open=True), metavar="USD", help="Stop before costing more.")
@click.option("--price", metavar="IN,OUT", help="USD per million tokens, for a model whose price is not known.")
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
    from grader.checks.checking import refuse_errors
    from grader.planning import prepare

    request = as_request(options)
    refuse_errors(request)
    say = _say_nothing if options["quiet"] else _say
    options["model"] = _model(options["model"], say)
    plan = prepare(request)
    for note in plan.notes:
        say(note)
    settings = _settings(options)
    if options["dry_run"]:
        _print_estimate(plan, settings, options["model"], options["transport"])
        return
    ending, written = _grade(options, plan, request, settings)
    _finish(written, ending, is_quiet=options["quiet"])


def _model(named: str | None, say: Callable[[str], None]) -> str:
    from grader.judging.judges import OFFLINE

    if named in (None, "", OFFLINE):
        default = "" if named else "no --model given, so "
        say(f"{default}the offline judge grades: it matches text and is no LLM; read its scores as a baseline")
    return named or OFFLINE


def _settings(options: dict[str, Any]) -> GradeSettings:
    from grader.judging.calls import CallSettings
    from grader.judging.judges import is_local
    from grader.judging.prices import find_price
    from grader.pipeline import GradeSettings

    model = options["model"]
    price = _price(options["price"]) or (None if is_local(model) else find_price(model))
    if options["max_cost"] is not None and price is None and not is_local(model):
        raise click.UsageError(f"--max-cost needs a price, and none is known for {model}: add --price IN,OUT.")
    return GradeSettings(
        calls=CallSettings(
            concurrency=options["concurrency"],
            max_retries=options["max_retries"],
            rpm=options["rpm"],
            tpm=options["tpm"],
            max_cost_usd=options["max_cost"],
            price=price,
        ),
        reasks=options["reasks"],
        max_tokens=options["max_tokens"],
        judge_empty=options["judge_empty"],
    )


def _price(text: str | None) -> Price | None:
    from grader.judging.prices import Price

    if text is None:
        return None
    try:
        prompt_usd, completion_usd = (float(part) / 1e6 for part in text.split(","))
    except ValueError as error:
        raise click.BadParameter("two numbers are wanted, as in 2.5,10", param_hint="--price") from error
    return Price(prompt_usd=prompt_usd, completion_usd=completion_usd)


def _print_estimate(plan: Plan, settings: GradeSettings, model: str, transport: str) -> None:
    from grader.judging.judges import is_local
    from grader.preview import estimate

    found = estimate(plan, settings)
    click.echo(
        f"{len(plan.items)} items of {len(plan.planned)} systems, {found.calls} calls to {model}{_by(model, transport)}"
    )
    click.echo(f"{found.prompt_tokens:,} prompt tokens, at most {found.most_completion_tokens:,} completion tokens")
    if is_local(model):
        click.echo("cost: nothing, no provider is called")
    elif found.most_cost_usd is None:
        click.echo("cost: unknown, no price is known for this model; give one with --price IN,OUT")
    else:
        click.echo(f"cost: at most ${found.most_cost_usd:.4f} without re-asks, if every reply is as long as allowed")


def _by(model: str, transport: str) -> str:
    """Return by what a model is called, for those that are called at all."""
    from grader.judging.judges import is_local

    return "" if is_local(model) else f" by {'LiteLLM' if transport == 'litellm' else transport}"


def _grade(options: dict[str, Any], plan: Plan, request: Request, settings: GradeSettings) -> tuple[Ending, Written]:
    """Grade into the run's folder and write its files, also of a run that stopped early."""
    from grader.cli.progress import progress
    from grader.judging.debug_log import debug_log
    from grader.judging.judges import open_judge
    from grader.judging.stopping import StoppedEarly
    from grader.pipeline import RunFacts, begin_run, grade, write_outputs
    from grader.records import JudgeSettings
    from grader.store.run_store import RunStore

    judge_settings = JudgeSettings(
        model=options["model"],
        api_base=options["api_base"],
        temperature=options["temperature"],
        timeout_seconds=options["timeout"],
    )
    run_dir: Path = options["out"] or Path("Result") / request.criteria_path.stem
    is_bar = sys.stderr.isatty() and not options["no_progress"] and not options["verbose"]
    with (
        RunStore(run_dir, fresh=options["fresh"]) as store,
        debug_log(run_dir, is_verbose=options["verbose"]) as log,
    ):
        recordings = _recordings(options["model"])
        judge = open_judge(judge_settings, plan.rubric, recordings, transport=options["transport"])
        log.info("run %s: %d grades wanted, by %s", store.run_id, plan.grade_count, judge.model)
        facts = RunFacts(command=_command_line(), judge=judge, options=_kept(options))
        head = begin_run(plan, request, store=store, facts=facts)
        with progress(plan.grade_count, is_quiet=options["quiet"], is_bar=is_bar) as observer:
            ending = grade(plan, judge=judge, store=store, settings=settings, observer=observer)
        log.info("ended with %d grades and %d calls: %s", observer.done, observer.calls, ending.error or "no error")
        if ending.error is not None and not (isinstance(ending.error, StoppedEarly) and observer.done):
            raise ending.error
        return ending, write_outputs(head, store=store, run_dir=run_dir)


def _recordings(model: str) -> list[RecordedReply]:
    from grader.inputs.recordings import read_recordings
    from grader.judging.judges import REPLAY_PREFIX
    from grader.store.recorded_replies import read_recorded_replies

    if not model.startswith(REPLAY_PREFIX):
        return []
    path = Path(model.removeprefix(REPLAY_PREFIX))
    return list(read_recorded_replies(path) if path.suffix == ".db" else read_recordings(path))


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
    if ending.error is not None:
        click.echo(f"Stopped: {ending.error}", err=True)
        hint = getattr(ending.error, "hint", None)
        if hint:
            click.echo(hint, err=True)
    if ending.is_interrupted:
        click.echo(f"Interrupted. To go on: {_command_line()}", err=True)
        raise click.exceptions.Exit(130)
    exit_by_summary(written.summary)


def _command_line() -> str:
    return shlex.join(["grader", *sys.argv[1:]])


def _say(text: str) -> None:
    click.echo(text, err=True)


def _say_nothing(_: str) -> None:
    pass
