"""`grader probe`: options in, the canaries judged and read, table and files out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.judge_options import by_transport, chosen_judge, chosen_model, grade_settings, judge_options
from grader.cli.options import FOLDER, as_request, reading_options, rubric_options
from grader.cli.outcome import command_line, raise_if_lost, say_ending

if TYPE_CHECKING:
    from grader.grading import GradeSettings
    from grader.judging.runner import Ending
    from grader.planning import Request
    from grader.probe_records import ProbeReport
    from grader.probing.probe import CallCount, Probe
    from grader.store.run_store import RunStore

_NOT_PASSED_EXIT_CODE = 3


@click.command("probe")
@reading_options
@judge_options("probe")
@rubric_options
@click.option("--only", metavar="ID,ID", help="Sample from these questions only.")
@click.option(
    "--questions-sampled", type=click.IntRange(1), default=5, show_default=True, metavar="K", help="Questions."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Another one samples other questions.")
@click.option("--quick", is_flag=True, help="About 35 calls instead of 130: each kind of answer on fewer questions.")
@click.option("--out", type=FOLDER, help="The probe's folder.  [default: Result/<criteria>-probe]")
@click.option("--fresh", is_flag=True, help="Ask everything anew instead of going on with what --out holds.")
@click.option("--dry-run", is_flag=True, help="Say what would be called and what it may cost; calls nothing.")
@click.option("--quiet", is_flag=True, help="Say nothing but errors.")
@click.option("--no-progress", is_flag=True, help="Plain lines instead of a progress bar.")
@click.option("--verbose", is_flag=True, help="Log every call, without its texts, to stderr and debug.log in --out.")
def command(**options: Any) -> None:
    """Test whether a judge with this rubric deserves trust, before money is spent.

    Has answers judged whose scores are known beforehand: empty ones, references, answers to other questions, padding,
    injections, other orders, repeats. Needs no answers; with --answers it uses real ones where they serve better.
    Writes probe.json and probe.xlsx into --out. Exit code 0: all that could be tested passed; 3: something did not.
    """
    from dataclasses import replace

    from grader.checks.checking import refuse_errors
    from grader.planning import prepare
    from grader.probing.probe import count_calls, plan_probe

    request = replace(as_request(options), is_without_answers=True)
    refuse_errors(request)
    say = _say_nothing if options["quiet"] else _say
    options["model"] = _asked_model(options["model"], say)
    settings = grade_settings(options)
    plan = prepare(request)
    for note in plan.notes:
        say(note)
    probe = plan_probe(plan, questions=options["questions_sampled"], is_quick=options["quick"], seed=options["seed"])
    if options["dry_run"] or not options["quiet"]:
        _say_estimate(probe, count_calls(probe), settings, options)
    if not options["dry_run"]:
        _run(probe, request, settings, options)


def _asked_model(named: str | None, say: Callable[[str], None]) -> str:
    from grader.judging.judges import REPLAY_PREFIX

    model = chosen_model(named, say)
    if model.startswith(REPLAY_PREFIX):
        raise click.UsageError("a recording cannot be probed: it gives one answer whatever is asked. Name a --model.")
    return model


def _say_estimate(probe: Probe, count: CallCount, settings: GradeSettings, options: dict[str, Any]) -> None:
    """Say what will be called: on standard output where that is all that was wanted."""
    from grader.judging.judges import is_local
    from grader.records import Usage

    model, is_alone = options["model"], options["dry_run"]
    most = count.calls * (settings.max_tokens or 0)
    judge = model + by_transport(model, options["transport"])
    price = settings.calls.price
    usage = Usage(prompt_tokens=count.prompt_tokens, completion_tokens=most)
    cost = (
        f"at most ${price.cost_usd(usage):.4f} without re-asks, if every reply is as long as allowed"
        if price
        else "unknown; give --price IN,OUT"
    )
    ids = ", ".join(probe.design.subject_ids)
    click.echo(
        f"{len(probe.design.subject_ids)} questions (ids {ids}), {count.calls} calls to {judge}", err=not is_alone
    )
    click.echo(f"{count.prompt_tokens:,} prompt tokens, at most {most:,} completion tokens", err=not is_alone)
    click.echo(f"cost: {'nothing, no provider is called' if is_local(model) else cost}", err=not is_alone)


def _run(probe: Probe, request: Request, settings: GradeSettings, options: dict[str, Any]) -> None:
    from grader.cli.progress import progress
    from grader.judging.debug_log import debug_log
    from grader.probing.probe import judge_probe, refuse_other_run
    from grader.store.run_store import RunStore

    run_dir: Path = options["out"] or Path("Result") / f"{request.criteria_path.stem}-probe"
    is_bar = sys.stderr.isatty() and not options["no_progress"] and not options["verbose"]
    with RunStore(run_dir) as store:
        refuse_other_run(store)
    with RunStore(run_dir, fresh=options["fresh"]) as store, debug_log(run_dir, is_verbose=options["verbose"]):
        judge = chosen_judge(options, probe.plan.rubric)
        with progress(len(probe.design.jobs), is_quiet=options["quiet"], is_bar=is_bar) as observer:
            ending = judge_probe(probe, judge=judge, store=store, settings=settings, observer=observer)
        raise_if_lost(ending, store, done=observer.done)
        report = _report(probe, request, store, model=judge.model, is_baseline=judge.is_baseline)
        paths = _write(report, run_dir)
    _finish(report, (*paths, store.path), ending, is_quiet=options["quiet"])


def _report(probe: Probe, request: Request, store: RunStore, *, model: str, is_baseline: bool) -> ProbeReport:
    from grader import __version__
    from grader.judging.redact import redact
    from grader.probing.probe import read_probe

    facts = {
        "grader_version": __version__,
        "run_id": store.run_id,
        "created": store.meta("created"),
        "command": redact(command_line()),
        "model": model,
        "is_baseline": is_baseline,
        "criteria": str(request.criteria_path),
        "template": probe.plan.template_path.name,
    }
    notes = (_BASELINE_NOTE,) if is_baseline else ()
    return read_probe(probe, store=store, facts=facts, notes=notes)


_BASELINE_NOTE = (
    "The offline judge reads no prompt: what it passes in the order of blocks, levels and criteria, it passes for that."
)


def _write(report: ProbeReport, run_dir: Path) -> tuple[Path, ...]:
    from grader.outputs.graded_workbook.probe_sheet import write_probe_workbook
    from grader.outputs.probe_json import write_probe_json

    path = run_dir / "probe.json"
    write_probe_json(path, report)
    return path, write_probe_workbook(run_dir / "probe.xlsx", report)


def _finish(report: ProbeReport, paths: tuple[Path, ...], ending: Ending, *, is_quiet: bool) -> None:
    from grader.cli.probe_table import print_probe
    from grader.probe_records import Outcome

    if not is_quiet:
        print_probe(report)
        for path in paths:
            click.echo(path)
    say_ending(ending)
    if report.outcome is not Outcome.PASS:
        raise click.exceptions.Exit(_NOT_PASSED_EXIT_CODE)


def _say(text: str) -> None:
    click.echo(text, err=True)


def _say_nothing(_: str) -> None:
    pass
