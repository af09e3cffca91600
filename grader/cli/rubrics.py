"""`grader rubrics`: lists the rubric types and shows one; reads no more of them than it says, to start at once."""

from __future__ import annotations

import click


@click.group("rubrics", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """List the rubric types, or show one."""
    if ctx.invoked_subcommand is not None:
        return
    from grader.assets import list_assets

    for name, path in list_assets("rubrics").items():
        if name.endswith((".yaml", ".yml")):
            click.echo(f"{path.stem:14} {_title(path.read_text(encoding='utf-8'))}")
    click.echo("\ngrader rubrics show NAME prints the file of one.")


@command.command("show")
@click.argument("name")
def show(name: str) -> None:
    """Print the file of one rubric type, as a start for your own."""
    from grader.assets import find_asset

    click.echo(find_asset("rubrics", f"{name}.yaml").read_text(encoding="utf-8"), nl=False)


def _title(text: str) -> str:
    """Return the title of a rubric file; a YAML parser would take longer than all the rest."""
    lines = (line for line in text.splitlines() if line.startswith("title:"))
    return next(lines, "title:").removeprefix("title:").strip().strip("\"'")
