"""`grader init`: writes a workbook that is ready to be filled in; grades nothing."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("init")
@click.option("--rubric", required=True, metavar="NAME|PATH", help="The rubric type; grader rubrics lists them.")
@click.argument("workbook", type=click.Path(path_type=Path))
def command(rubric: str, workbook: Path) -> None:
    """Write a criteria workbook for a rubric type, ready to fill in.

    WORKBOOK is a new .xlsx file. Its sheet How to says the rest to whoever fills it in.
    """
    from grader.inputs.rubric_file import read_rubric
    from grader.inputs.rubric_sheet import rubric_type_for
    from grader.outputs.new_workbook.write import write_new_workbook

    found, _ = read_rubric(rubric)
    write_new_workbook(workbook, found, rubric_type=rubric_type_for(rubric, workbook.parent))
    click.echo(f"{workbook}: fill in the sheet Criteria; the sheet How to says how")
