"""The `grader` command: finds its subcommands by name, shows errors without a traceback; does no work itself.

Only click is imported here, so that `grader --help` starts at once; a subcommand's module is imported when it is used.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import click

from grader import __version__
from grader.errors import GraderError

SETTINGS_FILE = "grader.toml"

COMMANDS = {
    "score": ("grader.cli.score", "Grade answers against a criteria workbook."),
    "run": ("grader.cli.run", "Benchmark worker models: answers, two judges, and the ESI composite."),
    "check": ("grader.cli.check", "Look for mistakes in the workbook, its rubric and the answers."),
    "probe": ("grader.cli.probe", "Test whether a judge with this rubric deserves trust, before money is spent."),
    "prompts": ("grader.cli.prompts", "Render the prompts that score would send, and count calls and tokens."),
    "rescore": ("grader.cli.rescore", "Read a run's stored replies again with today's rules; calls nothing."),
    "review": ("grader.cli.review", "Read experts' scores and comments back from graded workbooks."),
    "report": ("grader.cli.report", "Write one self-contained HTML page about a run, or several side by side."),
    "compare": ("grader.cli.compare", "Set systems, runs or judges side by side, with paired differences."),
    "init": ("grader.cli.init", "Write a criteria workbook for a rubric type, ready to fill in."),
    "rubrics": ("grader.cli.rubrics", "List the rubric types, show one, or begin your own."),
}
"""Name: module that holds it (as `command`), and its line in `grader --help` (a test keeps it in step)."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order of their use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, its module imported now."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name][0]).command
        _check_settings(cmd_name, command, (ctx.default_map or {}).get(cmd_name, {}))
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is meant, or say which name comes closest."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            close = get_close_matches(args[0], COMMANDS, n=1)
            raise click.UsageError(
                f"No such command “{args[0]}”." + (f" Did you mean {close[0]}?" if close else ""), ctx
            )
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what the user can put right is shown as a message that says how."""
        from grader.cli.garbage import rarely_collected

        try:
            ctx.default_map = _read_settings(Path(SETTINGS_FILE))
            with rarely_collected():
                return super().invoke(ctx)
        except GraderError as error:
            click.echo(f"Error: {error.message}", err=True)
            if error.hint:
                click.echo(error.hint, err=True)
            ctx.exit(error.exit_code)
        except KeyboardInterrupt:
            click.echo("\nInterrupted.", err=True)
            ctx.exit(130)


def _check_settings(name: str, command: click.Command, settings: dict[str, Any]) -> None:
    """Name the options of grader.toml that the command does not have."""
    known = {parameter.name for parameter in command.params if parameter.name}
    for option in settings:
        if option not in known:
            from difflib import get_close_matches

            close = get_close_matches(option, known, n=1)
            guess = f" Did you mean {close[0]}?" if close else ""
            raise click.UsageError(f"{SETTINGS_FILE}: [{name}] has no option “{option}”.{guess}")
    repeatable = {parameter.name for parameter in command.params if getattr(parameter, "multiple", False)}
    for option, value in settings.items():
        if option in repeatable and isinstance(value, str):
            settings[option] = [value]  # one file of answers, say


def _read_settings(path: Path) -> dict[str, Any]:
    """Return the options given in grader.toml, by command."""
    if not path.is_file():
        return {}
    import tomllib

    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{path} is not valid TOML: {error}") from error
    for name, options in settings.items():
        if name not in COMMANDS or not isinstance(options, dict):
            raise click.UsageError(f"{path}: [{name}] is no command; sections are {', '.join(COMMANDS)}.")
    return {
        name: {option.replace("-", "_"): value for option, value in options.items()}
        for name, options in settings.items()
    }


@click.group(cls=LazyGroup, context_settings={"auto_envvar_prefix": "GRADER", "help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="grader")
def cli() -> None:
    """Grade AI answers against an expert's Excel workbook of criteria.

    Every option can also be set in the environment, as GRADER_SCORE_MODEL for --model of score, or in a file
    grader.toml with a section for each command. A flag beats the environment, which beats the file.
    """
