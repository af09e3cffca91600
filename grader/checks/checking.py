"""Checks a request's files by all rules and says everything at once; changes nothing and calls nobody."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from grader.checks.problem import Finding, Part, Problem, Rule, Severity, as_problem
from grader.checks.stopping_rules import STOPPING
from grader.checks.table import Table
from grader.checks.views import AnswersView, Files, Matching, RubricView, open_answers, open_table
from grader.errors import GraderError, InputError
from grader.inputs.criteria_table import Layout
from grader.inputs.json_records import STDIN
from grader.inputs.rubric_sheet import find_rubric_sheet
from grader.rubric_choice import guessed_rubric, named_rubric

_SHOWN = 20


def find_problems(files: Files, *, silenced: Collection[str] = ()) -> list[Problem]:
    """Return every problem of the files: by file and sheet, errors first, in the order of their rows.

    Args:
        files: What to check and how to read it; a `planning.Request` is one.
        silenced: Ids of rules that say nothing, beside those that the rubric silences.

    Raises:
        Nothing for what is wrong with the files: that is what is returned.
    """
    from grader.checks.registry import RULES

    return _checked(files, RULES.values(), silenced, answers_paths=files.answers_paths)


def find_errors(files: Files, *, silenced: Collection[str] = ()) -> list[Problem]:
    """Return only what grading is refused for, without the cost of the warnings; standard input is left unread."""
    paths = tuple(path for path in files.answers_paths if path != STDIN)
    return _checked(files, STOPPING, silenced, answers_paths=paths)


def refuse_errors(files: Files) -> None:
    """Raise one `InputError` that lists all errors of the files, if there are any."""
    problems = find_errors(files)
    if not problems:
        return
    first = problems[0]
    if len(problems) == 1:
        raise InputError(first.message, path=first.file, sheet=first.sheet, cell=first.cell, hint=first.hint)
    lines = [f"  {problem}" for problem in problems[:_SHOWN]]
    if len(problems) > _SHOWN:
        lines.append(f"  and {len(problems) - _SHOWN} more")
    raise InputError(
        f"{len(problems)} errors:\n" + "\n".join(lines),
        hint="`grader check` with the same files says of each what to do",
    )


def _checked(
    files: Files,
    rules: Collection[Rule],
    silenced: Collection[str],
    answers_paths: Collection[Path],
) -> list[Problem]:
    rubric = _open_rubric(files)
    table, error = _open_table(files, rubric)
    if error is not None and rubric.error is not None and rubric.error.message == error.message:
        rubric = replace(rubric, error=None)  # one sheet, read twice
    if rubric.rubric is None and rubric.error is None and table is not None and table.layout != "questions":
        rubric = _guessed(table, rubric)
    tables = [open_answers(path, "answers", files) for path in answers_paths]
    if files.questions_path is not None:
        tables.append(open_answers(files.questions_path, "questions", files))
    views: list[tuple[Part, object]] = [("rubric", rubric), *(("answers", view) for view in tables)]
    if table is not None:
        views += [("table", table), ("matching", Matching(table=table, files=tables, rubric=rubric.rubric))]
    elif error is not None:
        views.append(("answers", AnswersView(path=str(files.criteria_path), kind="criteria", error=error)))
    quiet = {*silenced, *(rubric.rubric.silenced if rubric.rubric else ())}
    found = dict.fromkeys(_run(views, (rule for rule in rules if rule.id not in quiet)))
    return sorted(found, key=lambda problem: _order(problem, [str(files.criteria_path)]))


def _run(views: Collection[tuple[Part, object]], rules: Iterable[Rule]) -> Iterator[Problem]:
    for rule in rules:
        for part, view in views:
            if part == rule.part:
                findings: list[Finding] = list(rule.find(view))
                yield from (as_problem(rule, finding) for finding in findings)


def _open_rubric(files: Files) -> RubricView:
    path = files.rubric or str(files.criteria_path)
    sheet: str | None = None
    try:
        found = find_rubric_sheet(files.criteria_path, limits=files.limits)
        sheet = found.sheet.name if found else None
        choice = named_rubric(files.criteria_path, files.rubric, limits=files.limits)
    except InputError as error:
        # Where the workbook itself cannot be read, the table says so; here only what the Rubric sheet is at fault for.
        is_sheet = error.sheet is not None and error.sheet.casefold() == "rubric"
        return RubricView(path=path, sheet=sheet, error=error if is_sheet else None)
    except GraderError as error:
        return RubricView(path=path, sheet=sheet, error=error)
    if choice is None:
        return RubricView(path=path)
    own = sheet if files.rubric is None else None
    return RubricView(path=path, sheet=own, rubric=choice.rubric, template_path=choice.template_path)


def _guessed(table: Table, view: RubricView) -> RubricView:
    choice = guessed_rubric(table.layout)
    return replace(view, rubric=choice.rubric, template_path=choice.template_path, path=choice.rubric.name)


def _open_table(files: Files, view: RubricView) -> tuple[Table | None, InputError | None]:
    rubric = view.rubric
    known = frozenset((*rubric.inputs, *rubric.optional_inputs, *rubric.options)) if rubric else frozenset[str]()
    # A rubric that cannot be read does not say which layout it wants: any that the sheet has is checked.
    layouts: tuple[Layout | None, ...] = (rubric.needed_layout if rubric else None,)
    if view.error is not None:
        layouts = (None, "questions")
    has_sheet = rubric is not None and view.sheet is not None
    refused: InputError | None = None
    for layout in layouts:
        try:
            return open_table(files, layout, known, has_rubric_sheet=has_sheet), None
        except InputError as error:
            refused = error
    return None, refused


def _order(problem: Problem, first_files: list[str]) -> tuple[object, ...]:
    letters = (problem.cell or "").rstrip("0123456789")
    digits = (problem.cell or "")[len(letters) :]
    is_error = problem.severity is Severity.ERROR
    return (
        problem.file not in first_files,
        problem.file,
        problem.sheet or "",
        not is_error,
        int(digits or 0),
        len(letters),
        letters,
        problem.rule,
    )
