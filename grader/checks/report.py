"""Says problems to people, grouped by sheet, and to scripts as JSON; finds none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from grader.checks.problem import Problem, Severity


def report_lines(problems: Sequence[Problem]) -> Iterator[str]:
    """Yield the lines of the report: each sheet's errors, then its warnings, and the counts last."""
    for (file, sheet), group in groupby(problems, key=lambda problem: (problem.file, problem.sheet)):
        yield f"{file}, sheet {sheet}" if sheet else file
        for severity, members in groupby(group, key=lambda problem: problem.severity):
            yield f"  {severity}s"
            for problem in members:
                place = f"{problem.place}  " if problem.cell else ""
                yield f"    {place}{problem.message}  [{problem.rule}]"
                yield f"        {problem.hint}"
        yield ""
    yield counts_line(problems)


def counts_line(problems: Sequence[Problem]) -> str:
    """Return `2 errors, 1 warning`."""
    counts = {severity: sum(problem.severity is severity for problem in problems) for severity in Severity}
    return ", ".join(f"{count} {severity}{'' if count == 1 else 's'}" for severity, count in counts.items())


def as_json(problems: Sequence[Problem]) -> str:
    """Return a JSON list with an object for each problem: rule, severity, file, sheet, cell, message, hint."""
    return json.dumps([_record(problem) for problem in problems], ensure_ascii=False, indent=2)


def notes_by_cell(problems: Sequence[Problem], file: str) -> Mapping[str, Mapping[str, str]]:
    """Return what to write beside the cells of `file`: sheet to cell to text, several problems of a cell in one."""
    notes: dict[str, dict[str, str]] = {}
    for problem in problems:
        if problem.file == file and problem.sheet and problem.cell and problem.cell.isalnum():
            cells = notes.setdefault(problem.sheet, {})
            text = f"{problem.severity.capitalize()}: {problem.message}\n{problem.hint}\n[{problem.rule}]"
            cells[problem.cell] = f"{cells[problem.cell]}\n\n{text}" if problem.cell in cells else text
    return notes


def problem_rows(problems: Sequence[Problem]) -> list[list[str]]:
    """Return the problems as rows of a table, its header first."""
    header = ["severity", "file", "sheet", "cell", "message", "hint", "rule"]
    return [header, *([str(value or "") for value in _row(problem)] for problem in problems)]


def _row(problem: Problem) -> tuple[str | None, ...]:
    place = (problem.file, problem.sheet, problem.cell)
    return (problem.severity.value, *place, problem.message, problem.hint, problem.rule)


def _record(problem: Problem) -> dict[str, str | None]:
    return {
        "rule": problem.rule,
        "severity": problem.severity.value,
        "file": problem.file,
        "sheet": problem.sheet,
        "cell": problem.cell,
        "message": problem.message,
        "hint": problem.hint,
    }
