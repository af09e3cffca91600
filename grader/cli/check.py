"""`grader check`: says all that is wrong or doubtful in the expert's files; calls nothing and changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.options import as_request, reading_options

if TYPE_CHECKING:
    from grader.checks.problem import Problem
    from grader.planning import Request


@click.command("check")
@reading_options
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Lines to read, or a JSON list for scripts.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a copy of the workbook with a note on each cell found, and a list of all.",
)
@click.option("--strict", is_flag=True, help="Exit with 2 for warnings too.")
def command(output_format: str, out: Path | None, strict: bool, **options: Any) -> None:
    """Look for mistakes in the workbook, its rubric and the answers.

    All are said at once: errors, for which score refuses the files (exit code 2), and warnings, which an expert should
    look at. docs/checks.md explains every rule; the Rubric sheet can silence it by its id. No model is called.
    """
    from grader.checks.checking import find_problems
    from grader.checks.report import as_json, report_lines

    request = as_request(options)
    _check_out(out, request)
    problems = find_problems(request)
    if output_format == "json":
        click.echo(as_json(problems))
    else:
        for line in report_lines(problems):
            click.echo(line)
    if out is not None:
        _write_copy(out, request, problems)
    if (strict and problems) or any(problem.severity == "error" for problem in problems):
        raise click.exceptions.Exit(2)


def _check_out(out: Path | None, request: Request) -> None:
    read = [request.criteria_path, request.questions_path, *request.answers_paths]
    if out is not None and any(path and path.resolve() == out.resolve() for path in read):
        raise click.BadParameter(f"{out} is one of the files to check, which are never changed", param_hint="--out")


def _write_copy(out: Path, request: Request, problems: Sequence[Problem]) -> None:
    from grader.checks.report import notes_by_cell, problem_rows
    from grader.outputs.annotated_copy import write_annotated_copy

    notes = notes_by_cell(problems, str(request.criteria_path))
    path, said = write_annotated_copy(out, request.criteria_path, notes, problem_rows(problems))
    for sentence in said:
        click.echo(sentence, err=True)
    click.echo(f"written: {path}", err=True)
