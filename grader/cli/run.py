"""`grader run`, benchmarks: options in, the benchmark's calls, what came of it out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.options import FILE, FOLDER
from grader.cli.outcome import command_line, raise_if_lost, say_ending

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.benchmark.planning import BenchmarkPlan
    from grader.benchmark.reporting import BenchmarkWritten
    from grader.benchmark.running import RunOptions
    from grader.judging.crew import Ending

INCOMPLETE_EXIT_CODE = 3


@click.command("run")
@click.argument("settings", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--init",
    is_flag=True,
    help="Write commented settings to SETTINGS (settings.json), and a dataset beside it, and stop.",
)
@click.option(
    "--stage",
    type=click.Choice(["all", "answers", "judge"]),
    default="all",
    show_default=True,
    help="answers: ask the workers only; judge: grade the --answers that they gave before.",
)
@click.option(
    "--answers", type=FILE, multiple=True, help="For --stage judge: files that --stage answers wrote. Repeatable."
)
@click.option("--only-dataset", multiple=True, metavar="NAME", help="Run this dataset only. Repeatable.")
@click.option("--only-model", multiple=True, metavar="MODEL", help="Run this worker model only. Repeatable.")
@click.option("--limit", type=click.IntRange(1), help="Take the first so many items of each dataset only.")
@click.option(
    "--transport",
    type=click.Choice(["litellm", "direct"]),
    default="litellm",
    show_default=True,
    help="How to call: LiteLLM reaches every provider; direct is faster, for those that speak OpenAI's protocol.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1, 500),
    default=50,
    show_default=True,
    help="Calls at once to one endpoint, at most, however many combinations there are.",
)
@click.option("--rpm", type=click.FloatRange(0, min_open=True), help="Requests per minute and endpoint, at most.")
@click.option("--tpm", type=click.FloatRange(0, min_open=True), help="Tokens per minute and endpoint, at most.")
@click.option(
    "--reasks", type=click.IntRange(0), default=2, show_default=True, help="Asks a judge again after an unusable reply."
)
@click.option("--max-cost", type=click.FloatRange(0, min_open=True), metavar="USD", help="Stop before costing more.")
@click.option(
    "--out", type=FOLDER, help="The run's folder, for all files.  [default: Result/<settings>, and as the settings say]"
)
@click.option("--fresh", is_flag=True, help="Start anew instead of going on with what the run's folder holds.")
@click.option("--dry-run", is_flag=True, help="Say what would be called and what it may cost; calls nothing.")
@click.option("--quiet", is_flag=True, help="Say nothing but errors.")
@click.option("--no-progress", is_flag=True, help="Plain lines instead of progress bars.")
@click.option("--verbose", is_flag=True, help="Log every call, without its texts, to stderr and debug.log.")
def command(settings: Path | None, **options: Any) -> None:
    """Benchmark worker models: answers, two judges, and the ESI composite.

    SETTINGS is a .json or .toml file that names datasets, worker models, prompt versions and judges. Every dataset is
    answered by every model under every prompt version, and graded. Writes results, summary and skipped log of each,
    and one graded.xlsx over all. Run the same command again to go on after a stop: nothing is called twice.
    """
    if options["init"]:
        _write_new_settings(settings or Path("settings.json"))
        return
    if settings is None:
        raise click.UsageError("Missing argument 'SETTINGS'; grader run --init writes a file to begin with.")
    plan = _plan(settings, options)
    if not options["quiet"]:
        for note in plan.notes:
            click.echo(note, err=True)
    _check_prices(plan, options)
    if options["dry_run"]:
        _print_estimate(plan, options)
        return
    ending, written = _run(plan, options)
    _finish(written, ending, is_quiet=options["quiet"])


def _write_new_settings(path: Path) -> None:
    from grader.benchmark.new_settings import write_new_settings

    for written in write_new_settings(path):
        click.echo(written)


def _plan(settings_path: Path, options: dict[str, Any]) -> BenchmarkPlan:
    from grader.benchmark.planning import prepare_benchmark, prepare_judging
    from grader.benchmark.settings_file import read_settings
    from grader.judging.redact import keep_secret

    if (options["stage"] == "judge") != bool(options["answers"]):
        raise click.UsageError("--stage judge and --answers go together: the files to grade are wanted, and only then.")
    file = read_settings(settings_path)
    keep_secret(*file.secrets)
    chosen = {
        "only_datasets": options["only_dataset"],
        "only_models": options["only_model"],
        "limit": options["limit"],
    }
    if options["stage"] == "judge":
        return prepare_judging(file, options["answers"], **chosen)
    return prepare_benchmark(file, **chosen)


def _check_prices(plan: BenchmarkPlan, options: dict[str, Any]) -> None:
    """Refuse a cap where it could not be kept."""
    from grader.benchmark.endpoints import all_endpoints

    if options["max_cost"] is None:
        return
    models = list(dict.fromkeys(each.model for each in plan.combinations)) if options["stage"] != "judge" else []
    endpoints = all_endpoints(plan.file.settings, models)
    unknown = sorted({each.name for each in endpoints if not each.is_priced})
    if unknown:
        raise click.UsageError(
            f"--max-cost needs prices, and none is known for {', '.join(unknown)}: add to the settings "
            f'"PRICES": {{"{unknown[0]}": [IN, OUT]}}, USD per million tokens.'
        )


def _print_estimate(plan: BenchmarkPlan, options: dict[str, Any]) -> None:
    from grader.benchmark.estimate import estimate

    found = estimate(plan, options["stage"])
    click.echo(
        f"{len(plan.combinations)} combinations, {found.items:,} items: {found.worker_calls:,} calls to workers, "
        f"{found.judge_calls:,} to judges without re-asks"
    )
    if found.worker_calls:
        click.echo(
            f"workers: {found.worker_prompt_tokens:,} prompt tokens, at most "
            f"{found.worker_most_completion_tokens:,} completion tokens"
        )
        cost = found.worker_most_cost_usd
        click.echo(
            f"cost of the workers: {'unknown' if cost is None else f'at most ${cost:.4f}'}; judges are not in it"
        )


def _run(plan: BenchmarkPlan, options: dict[str, Any]) -> tuple[Ending, BenchmarkWritten]:
    """Run the plan into its folder and write the files, also of a run that stopped early."""
    from grader.benchmark.reporting import benchmark_run, write_benchmark
    from grader.benchmark.result_files import combination_paths
    from grader.benchmark.running import run_benchmark
    from grader.cli.run_progress import benchmark_progress
    from grader.judging.debug_log import debug_log
    from grader.store.run_store import RunStore

    run_dir: Path = options["out"] or plan.file.folder / "Result" / plan.file.path.stem
    paths = combination_paths(plan, options["out"])
    is_bar = sys.stderr.isatty() and not options["no_progress"] and not options["verbose"]
    with (
        RunStore(run_dir, fresh=options["fresh"]) as store,
        debug_log(run_dir, is_verbose=options["verbose"]) as log,
    ):
        log.info("run %s: %d items of %d combinations", store.run_id, len(plan.jobs), len(plan.combinations))
        with benchmark_progress(plan.planned, is_quiet=options["quiet"], is_bar=is_bar) as observer:
            ending = run_benchmark(
                plan, store=store, observer=observer, options=_run_options(options), stage=options["stage"]
            )
        log.info("ended with %d items: %s", observer.done, ending.error or "no error")
        raise_if_lost(ending, store, done=observer.done)
        run = benchmark_run(plan, store, command=command_line())
        return ending, write_benchmark(run, paths, run_dir=run_dir, stage=options["stage"])


def _run_options(options: dict[str, Any]) -> RunOptions:
    from grader.benchmark.running import RunOptions

    return RunOptions(
        concurrency=options["concurrency"],
        rpm=options["rpm"],
        tpm=options["tpm"],
        reasks=options["reasks"],
        max_cost_usd=options["max_cost"],
        transport=options["transport"],
    )


def _finish(written: BenchmarkWritten, ending: Ending, *, is_quiet: bool) -> None:
    """Say what came of the benchmark and end with the exit code for it."""
    if not is_quiet:
        _print_written(written)
    say_ending(ending)
    if written.completed < written.planned:
        click.echo(f"{written.planned - written.completed} of {written.planned} items are not COMPLETED:", err=True)
        for status, count in written.statuses.items():
            if status != "COMPLETED":
                click.echo(f"  {count} × {status}", err=True)
        not_reached = written.planned - sum(written.statuses.values())
        if not_reached:
            click.echo(f"  {not_reached} × not reached; the same command goes on", err=True)
        for reason, count in written.reasons.most_common(3):
            click.echo(f"  {count} × {reason}", err=True)
        raise click.exceptions.Exit(INCOMPLETE_EXIT_CODE)


def _print_written(written: BenchmarkWritten) -> None:
    for note in written.notes:
        click.echo(note, err=True)
    if any(count for _, _, count in written.averages.values()):
        from rich.console import Console
        from rich.table import Table

        table = Table("dataset", "model", "prompt", "ACC", "ESI", "n")
        for each, (accuracy, esi, count) in written.averages.items():
            numbers = ("–" if value is None else f"{value:.2f}" for value in (accuracy, esi))
            table.add_row(each.dataset, each.model, each.prompt_version, *numbers, str(count))
        Console().print(table)
    for line in _shown_paths(written.paths):
        click.echo(line)


def _shown_paths(paths: Sequence[Path]) -> Iterator[str]:
    """Yield a line for each kind of file: the first of them, and how many more stand beside it."""
    kinds: dict[tuple[Path, str], list[Path]] = {}
    for path in paths:
        kinds.setdefault((path.parent, _kind(path)), []).append(path)
    for first, *others in kinds.values():
        yield f"{first} and {len(others)} more like it" if others else str(first)


def _kind(path: Path) -> str:
    """Return what files of one template have in common, such as `Summary.json`."""
    return path.name.partition("_")[0] + path.suffix
