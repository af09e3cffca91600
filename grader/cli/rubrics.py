"""`grader rubrics`: lists the rubric types, shows one, begins a new one; reads no more of them than it must."""

from __future__ import annotations

import click


@click.group("rubrics", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """List the rubric types, show one, or begin your own."""
    if ctx.invoked_subcommand is not None:
        return
    from grader.assets import list_assets

    for name, path in list_assets("rubrics").items():
        if name.endswith((".yaml", ".yml")):
            click.echo(f"{path.stem:14} {_title(path.read_text(encoding='utf-8'))}")
    click.echo("\ngrader rubrics show NAME prints the file of one, grader rubrics new NAME begins your own.")


@command.command("show")
@click.argument("name")
def show(name: str) -> None:
    """Print the file of one rubric type, as a start for your own."""
    from grader.assets import find_asset

    click.echo(find_asset("rubrics", f"{name}.yaml").read_text(encoding="utf-8"), nl=False)


@command.command("new")
@click.argument("name")
@click.option("--like", metavar="TYPE", default="likert", show_default=True, help="The rubric type to begin with.")
def new(name: str, like: str) -> None:
    """Begin a rubric type of your own.

    Writes rubrics/NAME.yaml and templates/NAME.j2, with comments, into this folder; never over files that are there.
    """
    from pathlib import Path

    from grader.outputs.new_rubric import write_new_rubric

    for path in write_new_rubric(name, like=like, folder=Path()):
        click.echo(path)
    click.echo(f"Edit both, then: grader prompts --rubric {name} --criteria … --answers …", err=True)


def _title(text: str) -> str:
    """Return the title of a rubric file; a YAML parser would take longer than all the rest."""
    lines = (line for line in text.splitlines() if line.startswith("title:"))
    return next(lines, "title:").removeprefix("title:").strip().strip("\"'")
