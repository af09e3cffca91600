"""`grader compare`: systems, runs or judges side by side; options in, one library call, table and files out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.options import FOLDER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.comparison_records import Comparison


@click.command("compare")
@click.argument("run", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="RUN…")
@click.option("--by", type=click.Choice(["system", "judge"]), help="What is compared.  [default: what the runs show]")
@click.option("--system", multiple=True, metavar="NAME", help="Only this system; repeat for several.  [default: all]")
@click.option("--judge-only", is_flag=True, help="Leave experts' scores aside.  [default: they count first]")
@click.option(
    "--margin",
    type=click.FloatRange(min=0, min_open=True),
    metavar="POINTS",
    help="Say how many more answers experts must score for ± so much.  [default: half of what it is]",
)
@click.option("--out", type=FOLDER, help="Where compare.json and compare.xlsx go.  [default: the run, or beside it]")
@click.option("--quiet", is_flag=True, help="Say nothing but errors.")
def command(
    run: tuple[Path, ...],
    by: str | None,
    system: tuple[str, ...],
    judge_only: bool,
    margin: float | None,
    out: Path | None,
    quiet: bool,
) -> None:
    """Set systems, runs or judges side by side, with paired differences.

    RUN is the folder of a run; name several to compare across them. Of one run its systems are compared. Of runs that
    hold the same answers judged by different models the judges are. Writes compare.json and compare.xlsx; calls
    nothing, and changes no run.
    """
    from grader.comparing.comparing import compare
    from grader.outputs.compare_json import write_compare_json
    from grader.outputs.graded_workbook.compare_sheet import write_compare_workbook

    comparison = compare(run, by=by, systems=system, is_judge_only=judge_only, margin=margin)
    out_dir = _made(out or _default_out(run))
    write_compare_json(out_dir / "compare.json", comparison)
    write_compare_workbook(out_dir / "compare.xlsx", comparison)
    if not quiet:
        from grader.cli.compare_table import print_comparison

        print_comparison(comparison)
        click.echo(out_dir / "compare.json")
        click.echo(out_dir / "compare.xlsx")
    _exit_by(comparison)


def _default_out(runs: Sequence[Path]) -> Path:
    from grader.outputs.file_names import safe_file_names

    folders = [(run.parent if run.is_file() else run).absolute() for run in runs]
    if len(folders) == 1:
        return folders[0]
    name = "-".join(("compare", *(folder.name for folder in folders)))
    return folders[0].parent / safe_file_names([name])[name]


def _made(out_dir: Path) -> Path:
    from grader.errors import RunError

    try:
        out_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(
            f"{out_dir} cannot be written: {error.strerror or error}", hint="Choose another --out."
        ) from error
    return out_dir


def _exit_by(comparison: Comparison) -> None:
    """End with code 3 where items that were compared have no score, as the runs themselves did."""
    from grader.cli.outcome import UNSCORED_EXIT_CODE

    if any(standing.unscored for standing in comparison.standings):
        raise click.exceptions.Exit(UNSCORED_EXIT_CODE)
