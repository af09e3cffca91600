"""Writes docs/cli.md from the commands' own help; a test checks that it is up to date (`make docs` writes it)."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from grader.cli.main import COMMANDS, cli

HEAD = """# Command line

Made from `--help` by `make docs`; do not edit.

## Exit codes

| code | meaning |
|---|---|
| 0 | every item has a score |
| 1 | nothing could run; the message says what to do |
| 2 | wrong usage or bad input files |
| 3 | finished, but some items have no score |
| 130 | interrupted; the same command goes on |
"""


def reference() -> str:
    """Return the whole page."""
    parts = [HEAD, _section("grader", cli)]
    context = click.Context(cli, info_name="grader")
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        parts.append(_section(f"grader {name}", command))
        if isinstance(command, click.Group):
            parts += [_section(f"grader {name} {sub}", command.commands[sub]) for sub in sorted(command.commands)]
    return "\n".join(parts)


def _section(title: str, command: click.Command) -> str:
    top = click.Context(cli, info_name="grader", terminal_width=100, **cli.context_settings)
    name = title.rpartition("grader ")[2]
    context = top if command is cli else click.Context(command, info_name=name, parent=top, terminal_width=100)
    context.max_content_width = 100
    return f"## {title}\n\n```\n{command.get_help(context)}\n```\n"


if __name__ == "__main__":
    Path(__file__).with_name("cli.md").write_text(reference(), encoding="utf-8")
    sys.exit(0)
