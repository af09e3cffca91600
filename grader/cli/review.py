"""`grader review`: reads experts' entries back from graded workbooks; options in, library calls, what is new out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.options import FOLDER

if TYPE_CHECKING:
    from collections import Counter

    from grader.pipeline import Written
    from grader.review.reviewing import Review, SystemMeans
    from grader.statistics.estimate import Estimate


class _Name(click.types.StringParamType):
    """A person's name; in the environment several stand with commas between them, as a name has blanks in it."""

    envvar_list_splitter = ","


@click.command("review")
@click.argument(
    "graded",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="GRADED.xlsx…",
)
@click.option("--run", type=FOLDER, help="The run's folder.  [default: where the first workbook is]")
@click.option(
    "--reviewer",
    multiple=True,
    type=_Name(),
    metavar="NAME",
    help="Whose entries these are; once for each workbook, in their order.  [default: who saved it last]",
)
@click.option("--out", type=click.Path(path_type=Path), help="The updated workbook.  [default: the run's graded.xlsx]")
@click.option("--dry-run", is_flag=True, help="Say what would be stored and what would change; writes nothing.")
@click.option("--quiet", is_flag=True, help="Say nothing but errors.")
def command(
    graded: tuple[Path, ...],
    run: Path | None,
    reviewer: tuple[str, ...],
    out: Path | None,
    dry_run: bool,
    quiet: bool,
) -> None:
    """Read experts' scores and comments back from graded workbooks.

    GRADED.xlsx is the graded.xlsx of a run, or an expert's copy of it, sorted, filtered and saved by any spreadsheet
    program. What experts entered is kept in the run, each under their name; of several experts' scores the mean
    counts. Writes graded.xlsx, results.jsonl and summary.json anew, and agreement.json. Copies are not changed.
    """
    stored = ["nothing was stored, and all files are as they were"]
    try:
        _review(graded, run=run, reviewers=reviewer, out=out, is_dry=dry_run, is_quiet=quiet, stored=stored)
    except KeyboardInterrupt:
        click.echo(f"\nInterrupted: {stored[-1]}.", err=True)
        click.get_current_context().exit(130)


def _review(
    graded: tuple[Path, ...],
    *,
    run: Path | None,
    reviewers: tuple[str, ...],
    out: Path | None,
    is_dry: bool,
    is_quiet: bool,
    stored: list[str],
) -> None:
    """Review, and keep in `stored` what has become of the entries so far."""
    from grader.pipeline import write_outputs
    from grader.review.places import check_out
    from grader.review.reviewing import find_run_dir, keep_review, means_with, read_review
    from grader.store.run_head import stored_head
    from grader.store.run_store import open_run

    with open_run(run or find_run_dir(graded)) as store:
        head = stored_head(store)
        target = out or store.path.parent / "graded.xlsx"
        said = check_out(out, graded=graded, criteria_path=head.criteria_path, run_dir=store.path.parent) if out else ""
        review = read_review(graded, store=store, head=head, reviewers=reviewers, workbook_path=target)
        if not is_quiet:
            _print_review(review)
            if said:
                click.echo(said, err=True)
            _print_means(means_with(store.grades(), [*store.overrides(), *review.overrides], head.rubric))
        if is_dry:
            return
        stored.append("it is not known whether the entries were stored; run the same command again, which is safe")
        keep_review(store, review)
        stored.append("the entries are stored; run the same command again, and it writes the files")
        written = write_outputs(head, store=store, run_dir=store.path.parent, workbook_path=out, reviewed=graded)
        stored.append("the entries are stored, and all files are written")
    if not is_quiet:
        _print_written(written)


def _print_written(written: Written) -> None:
    for note in written.notes:
        click.echo(note, err=True)
    if written.agreement is not None:
        from grader.cli.agreement_table import print_agreement

        print_agreement(written.agreement)
    for path in written.paths:
        click.echo(path)


def _print_review(review: Review) -> None:
    for file, reviewer in review.files:
        click.echo(f"{file.path.name}, entries of {reviewer}: {_words(review.found.counts[file.path])}")
    for note in review.notes:
        click.echo(note, err=True)


def _words(counts: Counter[str]) -> str:
    """Return how many entries of each sort there are, in words."""
    plural = {
        "score": "scores",
        "blind score": "blind scores",
        "verdict": "verdicts on criteria",
        "comment": "comments",
        "taken back": "taken back",
    }
    one = {"verdict": "verdict on a criterion"}
    words = [
        f"{counts[sort]:,} {one.get(sort, sort) if counts[sort] == 1 else plural[sort]}"
        for sort in plural
        if counts[sort]
    ]
    return ", ".join(words) or "nothing new"


def _print_means(means: Sequence[SystemMeans]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD)
    for name in ("system", "judge", "final", "95 % interval", "n", "changed"):
        table.add_column(name, justify="left" if name == "system" else "right")
    for each in means:
        final = each.final
        table.add_row(
            each.system, _mean(each.judge), _mean(final), _interval(final), str(final.n), str(each.changed_count)
        )
    Console(width=None if sys.stdout.isatty() else 120, markup=False, highlight=False).print(table)


def _mean(mean: Estimate) -> str:
    return "–" if mean.value is None else f"{mean.value:.2f}"


def _interval(mean: Estimate) -> str:
    return "–" if mean.low is None or mean.high is None else f"{mean.low:.2f} to {mean.high:.2f}"
