"""`grader score`, the main job: options in, the pipeline's calls, what came of it out."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from grader.judging.prices import Price
    from grader.judging.runner import Ending
    from grader.pipeline import GradeSettings, Written
    from grader.planning import Plan, Request
    from grader.records import RecordedReply

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FILE_OR_STDIN = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)


@click.command("score")
@click.option("--criteria", type=_FILE, required=True, help="The expert's workbook (.xlsx; also .csv and others).")
@click.option("--sheet", help="The sheet with the criteria; by default the first that has them.")
@click.option(
    "--answers",
    type=_FILE_OR_STDIN,
    multiple=True,
    help="A system's answers: .jsonl .json .csv .tsv .xlsx, or - for JSONL on standard input. Repeatable.",
)
@click.option("--questions", type=_FILE, help="A table with the questions' text, reference, type, context, by id.")
@click.option("--rubric", metavar="NAME|PATH", help="A rubric type or file; by default guessed from the columns.")
@click.option(
    "--map", "column_map", multiple=True, metavar="FIELD=COLUMN", help="Which column holds a field. Repeatable."
)
@click.option("--encoding", help="The encoding of text files that are not UTF-8.")
@click.option("--skip-bad-lines", is_flag=True, help="Leave out broken lines of JSONL files instead of refusing them.")
@click.option(
    "--model",
    envvar=["GRADER_SCORE_MODEL", "GRADER_MODEL"],
    help="The judge: any LiteLLM name (openai/gpt-4o), offline, or replay:PATH.  [default: offline]",
)
@click.option("--api-base", metavar="URL", help="Where the model is served, if not at its provider's own address.")
@click.option("--temperature", type=float, default=0.0, show_default=True, help="Left out for models that refuse it.")
@click.option("--max-tokens", type=click.IntRange(1), default=4096, show_default=True, help="The longest reply.")
@click.option("--samples", type=click.IntRange(1), default=1, show_default=True, help="How often to judge each answer.")
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
@click.option("--limit", type=click.IntRange(1), help="Grade the first so many questions only.")
@click.option("--only", metavar="ID,ID", help="Grade these questions only.")
@click.option("--group-by", metavar="FIELD", help="Also show means by this field, such as type.")
@click.option("--judge-empty", is_flag=True, help="Send empty answers too, instead of giving them the lowest score.")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="The run's folder.  [default: Result/<criteria>]"
)
@click.option("--fresh", is_flag=True, help="Start anew instead of going on with what --out holds.")
@click.option("--dry-run", is_flag=True, help="Say what would be called and what it may cost; calls nothing.")
@click.option("--quiet", is_flag=True, help="Say nothing but errors.")
@click.option("--no-progress", is_flag=True, help="Plain lines instead of a progress bar.")
def command(**options: Any) -> None:
    """Grade answers against a criteria workbook.

    Writes graded.xlsx (a copy of the workbook with the grades), results.jsonl, summary.json and skipped.log into
    --out. Run the same command again to go on after a stop: nothing is judged twice.
    """
    from grader.planning import prepare

    request = _request(options)
    say = _say_nothing if options["quiet"] else _say
    options["model"] = _model(options["model"], say)
    plan = prepare(request)
    for note in plan.notes:
        say(note)
    settings = _settings(options)
    if options["dry_run"]:
        _print_estimate(plan, settings, options["model"])
        return
    ending, written = _grade(options, plan, request, settings)
    _finish(written, ending, is_quiet=options["quiet"])


def _request(options: dict[str, Any]) -> Request:
    from grader.planning import Request

    return Request(
        criteria_path=options["criteria"],
        answers_paths=options["answers"],
        questions_path=options["questions"],
        sheet=options["sheet"],
        rubric=options["rubric"],
        column_map=_column_map(options["column_map"]),
        encoding=options["encoding"],
        skip_bad_lines=options["skip_bad_lines"],
        group_by=options["group_by"],
        only=_ids(options["only"]),
        limit=options["limit"],
        samples=options["samples"],
    )


def _column_map(pairs: tuple[str, ...]) -> dict[str, str]:
    mapping = dict(pair.partition("=")[::2] for pair in pairs)
    for field, column in mapping.items():
        if not field or not column:
            raise click.BadParameter(f"“{field}” is not of the form FIELD=COLUMN", param_hint="--map")
    return mapping


def _ids(text: str | None) -> tuple[str, ...]:
    from grader.inputs.columns import normalise_id

    return tuple(normalise_id(part) for part in (text or "").split(",") if part.strip())


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


def _print_estimate(plan: Plan, settings: GradeSettings, model: str) -> None:
    from grader.judging.judges import is_local
    from grader.pipeline import estimate

    found = estimate(plan, settings)
    click.echo(f"{len(plan.items)} items of {len(plan.planned)} systems, {found.calls} calls to {model}")
    click.echo(f"{found.prompt_tokens:,} prompt tokens, at most {found.most_completion_tokens:,} completion tokens")
    if is_local(model):
        click.echo("cost: nothing, no provider is called")
    elif found.most_cost_usd is None:
        click.echo("cost: unknown, no price is known for this model; give one with --price IN,OUT")
    else:
        click.echo(f"cost: at most ${found.most_cost_usd:.4f} without re-asks, if every reply is as long as allowed")


def _grade(options: dict[str, Any], plan: Plan, request: Request, settings: GradeSettings) -> tuple[Ending, Written]:
    """Grade into the run's folder and write its files, also of a run that stopped early."""
    from grader.cli.progress import progress
    from grader.judging.judges import open_judge
    from grader.judging.stopping import StoppedEarly
    from grader.pipeline import RunFacts, grade, write_outputs
    from grader.records import JudgeSettings
    from grader.store.run_store import RunStore

    judge_settings = JudgeSettings(
        model=options["model"],
        api_base=options["api_base"],
        temperature=options["temperature"],
        timeout_seconds=options["timeout"],
    )
    run_dir: Path = options["out"] or Path("Result") / request.criteria_path.stem
    is_bar = sys.stderr.isatty() and not options["no_progress"]
    with RunStore(run_dir, fresh=options["fresh"]) as store:
        judge = open_judge(judge_settings, plan.rubric, _recordings(options["model"]))
        with progress(plan.grade_count, is_quiet=options["quiet"], is_bar=is_bar) as observer:
            ending = grade(plan, judge=judge, store=store, settings=settings, observer=observer)
        if ending.error is not None and not (isinstance(ending.error, StoppedEarly) and observer.done):
            raise ending.error
        facts = RunFacts(command=_command_line(), judge=judge, options=_kept(options))
        return ending, write_outputs(plan, request, store=store, run_dir=run_dir, facts=facts)


def _recordings(model: str) -> list[RecordedReply]:
    from grader.inputs.recordings import read_recordings
    from grader.judging.judges import REPLAY_PREFIX
    from grader.store.run_store import read_recorded_replies

    if not model.startswith(REPLAY_PREFIX):
        return []
    path = Path(model.removeprefix(REPLAY_PREFIX))
    return list(read_recorded_replies(path) if path.suffix == ".db" else read_recordings(path))


def _kept(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options as summary.json keeps them; none of them holds a key."""
    plain = {name: str(value) if isinstance(value, Path) else value for name, value in options.items()}
    return {**plain, "answers": [str(path) for path in options["answers"]]}


def _finish(written: Written, ending: Ending, *, is_quiet: bool) -> None:
    """Say what came of the run and end with the exit code for it."""
    if not is_quiet:
        _print_written(written)
    if ending.error is not None:
        click.echo(f"Stopped: {ending.error}", err=True)
    if ending.is_interrupted:
        click.echo(f"Interrupted. To go on: {_command_line()}", err=True)
        raise click.exceptions.Exit(130)
    summary = written.summary
    if not summary.unscored:
        return
    headline = "" if summary.is_complete else "INCOMPLETE: "
    click.echo(f"{headline}{summary.unscored} of {summary.planned} items have no score; see skipped.log", err=True)
    for reason, count in summary.reasons.most_common(3):
        click.echo(f"  {count} × {reason}", err=True)
    raise click.exceptions.Exit(3)


def _print_written(written: Written) -> None:
    from grader.cli.leaderboard import print_leaderboard

    for note in written.notes:
        _say(note)
    print_leaderboard(written.summary, title=written.judge)
    for path in written.paths:
        click.echo(path)


def _command_line() -> str:
    return shlex.join(["grader", *sys.argv[1:]])


def _say(text: str) -> None:
    click.echo(text, err=True)


def _say_nothing(_: str) -> None:
    pass
