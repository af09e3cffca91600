"""Reads a rubric from its YAML file, by name or by path; not the Rubric sheet of a workbook."""

from __future__ import annotations

from pathlib import Path

import yaml
from pydantic import ValidationError

from grader.assets import find_asset, list_assets
from grader.errors import RubricError
from grader.inputs.reading_once import kept
from grader.rubric import Rubric


def read_rubric(name_or_path: str) -> tuple[Rubric, Path]:
    """Return a rubric and the path of its template.

    `name_or_path` is a name such as `tiered`, or the path of a YAML file; such a file's template is looked for beside
    it first.

    Raises:
        RubricError: no such rubric or template, or the file says something that is not allowed, with key and reason.
    """
    return kept(("rubric", name_or_path), lambda: _read_rubric(name_or_path))


def _read_rubric(name_or_path: str) -> tuple[Rubric, Path]:
    path = Path(name_or_path)
    if path.suffix not in (".yaml", ".yml"):
        path = find_asset("rubrics", f"{name_or_path}.yaml")
    text = _read_text(path)
    rubric = _parse_rubric(text, path)
    return rubric, _find_template(rubric.template, path, text)


def list_rubrics() -> dict[str, Path]:
    """Return the name and path of every rubric type there is."""
    return {path.stem: path for name, path in list_assets("rubrics").items() if name.endswith((".yaml", ".yml"))}


def _find_template(name: str, path: Path, text: str) -> Path:
    """Return the path of the template that the rubric file at `path` names: beside it, or among the templates."""
    for folder in (path.parent, path.parent.parent / "templates"):
        if (folder / name).is_file():
            return folder / name
    try:
        return find_asset("templates", name)
    except RubricError as error:
        from grader.inputs.rubric_problems import key_lines

        line = key_lines(text)[("template",)]
        raise RubricError(f"line {line}: template: {error.message}", path=path, hint=error.hint) from error


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise RubricError(
            "does not exist", path=path, hint="`grader rubrics new NAME` writes one to start with."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise RubricError(f"cannot be read: {error}", path=path) from error


def _parse_rubric(text: str, path: Path) -> Rubric:
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        from grader.inputs.rubric_problems import explain_yaml

        raise RubricError(explain_yaml(error), path=path) from error
    if not isinstance(content, dict):
        raise RubricError("holds no rubric: a mapping of keys such as name, title and scale is expected", path=path)
    try:
        return Rubric.model_validate(content)
    except ValidationError as error:
        from grader.inputs.rubric_problems import explain_problems, key_lines

        problems = explain_problems(error, key_lines(text))
        raise RubricError(f"the rubric is not valid:\n  {problems}", path=path) from error
