"""`grader rescore`: reads a run's stored replies again; options in, library calls, what changed out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.outcome import UNSCORED_EXIT_CODE, exit_by_summary, print_written

if TYPE_CHECKING:
    from grader.records import Verdict
    from grader.rescoring import Change, Rescored, Rules

_MOST_ROWS = 100


@click.command("rescore")
@click.argument("run", type=click.Path(exists=True, path_type=Path))
@click.option("--rubric", "rubric_name", metavar="NAME|PATH", help="A rubric to read by, instead of the run's own.")
@click.option("--dry-run", is_flag=True, help="Say what would change; writes nothing.")
@click.option("--quiet", is_flag=True, help="Say nothing but errors.")
def command(run: Path, rubric_name: str | None, dry_run: bool, quiet: bool) -> None:
    """Read a run's stored replies again with today's rules; calls nothing.

    RUN is the folder of a run. Says which scores changed, and writes results.jsonl, summary.json, skipped.log and
    graded.xlsx anew. The rubric and the points are read anew from the criteria workbook, unless --rubric names another
    rubric; where they are gone, those that the run kept count.
    """
    from grader.pipeline import write_outputs
    from grader.rescoring import keep_changes, rescore, todays_rules
    from grader.store.run_head import stored_head
    from grader.store.run_store import open_run

    with open_run(run) as store:
        head = stored_head(store)
        rules = todays_rules(head, rubric_name=rubric_name)
        rescored = rescore(store, rules)
        if not quiet:
            _print_notes(rules, rescored)
            _print_changes(rescored, samples=len({change.before.sample for change in rescored.changes}))
        if dry_run:
            if rescored.grade_count - rescored.unscored_count < sum(head.planned.values()):
                raise click.exceptions.Exit(UNSCORED_EXIT_CODE)
            return
        head = keep_changes(store, head, rescored.changes, rules)
        written = write_outputs(head, store=store, run_dir=store.path.parent)
    if not quiet:
        print_written(written)
    exit_by_summary(written.summary)


def _print_notes(rules: Rules, rescored: Rescored) -> None:
    for note in rules.notes:
        click.echo(note, err=True)
    ids = rescored.other_criteria
    if ids:
        shown = ", ".join(ids[:5]) + (" …" if len(ids) > 5 else "")
        click.echo(
            f"the criteria of {len(ids):,} questions have changed since they were judged (id {shown}): they are read"
            " as they were; run score again to have them judged",
            err=True,
        )


def _print_changes(rescored: Rescored, *, samples: int) -> None:
    of_score = [change for change in rescored.changes if change.is_of_score]
    if of_score:
        _print_table(of_score[:_MOST_ROWS], has_samples=samples > 1)
    if len(of_score) > _MOST_ROWS:
        click.echo(f"… and {len(of_score) - _MOST_ROWS:,} more")
    gained = sum(change.before.verdict.score is None is not change.after.verdict.score for change in of_score)
    lost = sum(change.after.verdict.score is None is not change.before.verdict.score for change in of_score)
    click.echo(
        f"{rescored.grade_count:,} grades read again: {len(of_score):,} changed in score or status"
        f" ({gained:,} gained a score, {lost:,} lost theirs), {len(rescored.changes) - len(of_score):,} in other things"
    )


def _print_table(changes: Sequence[Change], *, has_samples: bool) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD)
    for name in ("system", "id", *(["sample"] if has_samples else []), "old", "new", "why"):
        table.add_column(name)
    for change in changes:
        grade = change.before
        sample = [str(grade.sample)] if has_samples else []
        old, new = _shown(grade.verdict), _shown(change.after.verdict)
        table.add_row(grade.item.system, grade.item.id, *sample, old, new, change.after.verdict.reason)
    Console(width=None if sys.stdout.isatty() else 120, markup=False, highlight=False).print(table)


def _shown(verdict: Verdict) -> str:
    """Return a score, with the status where that is not plain `ok`, or the status alone."""
    if verdict.score is None:
        return str(verdict.status)
    return f"{verdict.score:.10g}" + ("" if verdict.status == "ok" else f" ({verdict.status})")
