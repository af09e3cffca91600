"""Says what a command wrote and ends it with the exit code for that; shared by all that write a run's files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from grader.outputs.summary import Summary
    from grader.pipeline import Written

UNSCORED_EXIT_CODE = 3


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
