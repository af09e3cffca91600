"""`grader rubrics`: lists the rubric types and shows one."""

from __future__ import annotations

import click


@click.group("rubrics", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """List the rubric types, or show one."""
    if ctx.invoked_subcommand is not None:
        return
    from grader.inputs.rubric_file import list_rubrics, read_rubric

    for name in list_rubrics():
        rubric, _ = read_rubric(name)
        click.echo(f"{name}: {rubric.title}, scored from {rubric.scale.described()}")
        click.echo(f"    {rubric.description}")


@command.command("show")
@click.argument("name")
def show(name: str) -> None:
    """Print the file of one rubric type, as a start for your own."""
    from grader.assets import find_asset

    click.echo(find_asset("rubrics", f"{name}.yaml").read_text(encoding="utf-8"), nl=False)
