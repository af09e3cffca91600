"""`grader report`: one page about a run or several; options in, one library call, where it is out."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("report")
@click.argument("runs", metavar="RUN [RUN]...", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The page; by default report.html in the first run's folder.",
)
@click.option(
    "--probe",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The probe.json to show; by default the one in a run's folder.",
)
@click.option("--quiet", is_flag=True, help="Say nothing but errors.")
def command(runs: tuple[Path, ...], out: Path | None, probe: Path | None, quiet: bool) -> None:
    """Write one self-contained HTML page about a run, or several side by side.

    RUN is the folder of a run. The page needs no network: leaderboard, intervals, distributions, agreement with
    experts, a probe's result, costs, and a table of all items with the judge's analysis. Runs are only read, so that
    it can be written while one is still going on.
    """
    from grader.reporting import write_report

    written = write_report(runs, out_path=out, probe_path=probe)
    if quiet:
        return
    for note in written.notes:
        click.echo(note, err=True)
    click.echo(f"{written.item_count:,} items, {written.byte_count / 1e6:.1f} MB: {written.path}")
