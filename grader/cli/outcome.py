"""Says how a run ended and what it wrote, and ends the command with the exit code for that; shared by the commands."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from grader.judging.crew import Ending
    from grader.outputs.summary import Summary
    from grader.pipeline import Written
    from grader.store.run_store import RunStore

UNSCORED_EXIT_CODE = 3
INTERRUPTED_EXIT_CODE = 130


def command_line() -> str:
    """Return the command as it was typed, which goes on with a run that was stopped."""
    return shlex.join(["grader", *sys.argv[1:]])


def raise_if_lost(ending: Ending, store: RunStore, *, done: int) -> None:
    """Raise what ended a run, unless it stopped early with something to write: items `done`, or calls of any go."""
    from grader.judging.stopping import StoppedEarly

    if ending.error is None:
        return
    has_begun = done or store.totals().calls  # calls are paid before the first item is done
    if not (isinstance(ending.error, StoppedEarly) and has_begun):
        raise ending.error


def say_ending(ending: Ending) -> None:
    """Say why a run stopped before its end, and end with code 130 where it was interrupted; else return."""
    if ending.error is not None:
        click.echo(f"Stopped: {ending.error}", err=True)
        hint = getattr(ending.error, "hint", None)
        if hint:
            click.echo(hint, err=True)
    if ending.is_interrupted:
        click.echo(f"Interrupted. To go on: {command_line()}", err=True)
        raise click.exceptions.Exit(INTERRUPTED_EXIT_CODE)


def print_written(written: Written) -> None:
    """Print the notes, the leaderboard, and the path of every file."""
    from grader.cli.leaderboard import print_leaderboard

    for note in written.notes:
        click.echo(note, err=True)
    print_leaderboard(written.summary, title=written.judge)
    for path in written.paths:
        click.echo(path)


def exit_by_summary(summary: Summary) -> None:
    """End with code 3 where items have no score, and say why they have none; else return."""
    if not summary.unscored:
        return
    headline = "" if summary.is_complete else "INCOMPLETE: "
    click.echo(f"{headline}{summary.unscored} of {summary.planned} items have no score; see skipped.log", err=True)
    for reason, count in summary.reasons.most_common(3):
        click.echo(f"  {count} × {reason}", err=True)
    raise click.exceptions.Exit(UNSCORED_EXIT_CODE)
