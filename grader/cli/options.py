"""The options that say what to grade and how to read it, shared by every command that reads the expert's files.

It holds no option of one command alone: those stand in that command's module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from grader.planning import Request

Command = TypeVar("Command", bound=Callable[..., Any])

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
FILE_OR_STDIN = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)

_READING = (
    click.option("--criteria", type=FILE, required=True, help="The expert's workbook (.xlsx; also .csv and others)."),
    click.option("--sheet", help="The sheet with the criteria; by default the first that has them."),
    click.option(
        "--answers",
        type=FILE_OR_STDIN,
        multiple=True,
        help="A system's answers: .jsonl .json .csv .tsv .xlsx, or - for JSONL on standard input. Repeatable.",
    ),
    click.option("--questions", type=FILE, help="A table with the questions' text, reference, type, context, by id."),
    click.option("--rubric", metavar="NAME|PATH", help="A rubric type or file; by default from the workbook."),
    click.option(
        "--map", "column_map", multiple=True, metavar="FIELD=COLUMN", help="Which column holds a field. Repeatable."
    ),
    click.option(
        "--read-limit",
        type=click.FloatRange(1, 1000),
        default=1,
        metavar="TIMES",
        help="Read files up to so many times as large as are safe from strangers; for files that you trust.",
    ),
    click.option("--encoding", help="The encoding of text files that are not UTF-8."),
    click.option(
        "--skip-bad-lines", is_flag=True, help="Leave out broken lines of JSONL files instead of refusing them."
    ),
)
_RUBRIC_OPTIONS = ("strictness", "context_role")

_CHOOSING_RUBRIC = (
    click.option(
        "--strictness",
        type=click.Choice(["lenient", "balanced", "strict"]),
        help="How strict a comparison is, where the rubric knows it and the question does not say.",
    ),
    click.option(
        "--context-role",
        type=click.Choice(["reference", "supplementary"]),
        help="What a context is, where the rubric knows it and the question does not say.",
    ),
)

_CHOOSING = (
    click.option("--limit", type=click.IntRange(1), help="Take the first so many questions only."),
    click.option("--only", metavar="ID,ID", help="Take these questions only."),
    click.option(
        "--samples", type=click.IntRange(1), default=1, show_default=True, help="How often to judge each answer."
    ),
    click.option(
        "--judge-empty", is_flag=True, help="Send empty answers too, instead of giving them the lowest score."
    ),
)


def reading_options(command: Command) -> Command:
    """Give a command the options that name the files and say how to read them."""
    return _with(_READING, command)


def choosing_options(command: Command) -> Command:
    """Give a command the options that say which of the items are judged, and how often."""
    return _with((*_CHOOSING_RUBRIC, *_CHOOSING), command)


def rubric_options(command: Command) -> Command:
    """Give a command the options that change the rubric's own."""
    return _with(_CHOOSING_RUBRIC, command)


def _with(options: tuple[Callable[[Command], Command], ...], command: Command) -> Command:
    for option in reversed(options):  # as a stack of decorators is applied, so that help lists them in this order
        command = option(command)
    return command


def as_request(options: Mapping[str, Any]) -> Request:
    """Return what the shared options ask for; one that a command does not have is at its default."""
    from grader.inputs.package_intake import DEFAULT_LIMITS
    from grader.planning import Request

    return Request(
        criteria_path=options["criteria"],
        answers_paths=options["answers"],
        questions_path=options["questions"],
        sheet=options["sheet"],
        rubric=options["rubric"],
        options={name: options[name] for name in _RUBRIC_OPTIONS if options.get(name)},
        column_map=_column_map(options["column_map"]),
        encoding=options["encoding"],
        skip_bad_lines=options["skip_bad_lines"],
        limits=DEFAULT_LIMITS.times(options["read_limit"]),
        group_by=options.get("group_by"),
        only=_ids(options.get("only")),
        limit=options.get("limit"),
        samples=options.get("samples", 1),
    )


def _column_map(pairs: tuple[str, ...]) -> dict[str, str]:
    mapping = dict(pair.partition("=")[::2] for pair in pairs)
    for field, column in mapping.items():
        if not field or not column:
            raise click.BadParameter(f"“{field}” is not of the form FIELD=COLUMN", param_hint="--map")
    return mapping


def _ids(text: str | None) -> tuple[str, ...]:
    from grader.inputs.columns import normalise_id

    return tuple(normalise_id(part) for part in (text or "").split(",") if part.strip())
