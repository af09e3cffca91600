"""Reads a rubric from its YAML file, by name or by path; not the Rubric sheet of a workbook."""

from __future__ import annotations

from pathlib import Path

import yaml
from pydantic import ValidationError

from grader.assets import find_asset, list_assets
from grader.errors import RubricError
from grader.rubric import Rubric


def read_rubric(name_or_path: str) -> tuple[Rubric, Path]:
    """Return a rubric and the path of its template.

    `name_or_path` is a name such as `tiered`, or the path of a YAML file; such a file's template is looked for beside
    it first.

    Raises:
        RubricError: no such rubric or template, or the file says something that is not allowed, with key and reason.
    """
    path = Path(name_or_path)
    if path.suffix not in (".yaml", ".yml"):
        path = find_asset("rubrics", f"{name_or_path}.yaml")
    rubric = _parse_rubric(_read_text(path), path)
    beside = path.parent / rubric.template
    return rubric, beside if beside.is_file() else find_asset("templates", rubric.template)


def list_rubrics() -> dict[str, Path]:
    """Return the name and path of every rubric type there is."""
    return {path.stem: path for name, path in list_assets("rubrics").items() if name.endswith((".yaml", ".yml"))}


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise RubricError(f"cannot be read: {error}", path=path) from error


def _parse_rubric(text: str, path: Path) -> Rubric:
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise RubricError(f"is not YAML: {error}", path=path) from error
    if not isinstance(content, dict):
        raise RubricError("holds no rubric: a mapping of keys such as name, title and scale is expected", path=path)
    try:
        return Rubric.model_validate(content)
    except ValidationError as error:
        raise RubricError(_explained(error), path=path) from error


def _explained(error: ValidationError) -> str:
    """Return all problems of a rubric file, one per line: the key, what is wrong, what was found."""
    allowed = ", ".join(Rubric.model_fields)
    lines = []
    for problem in error.errors():
        key = ".".join(map(str, problem["loc"])) or "the rubric"
        extra = f" (allowed: {allowed})" if problem["type"] == "extra_forbidden" and len(problem["loc"]) == 1 else ""
        lines.append(f"{key}: {problem['msg']}{extra}")
    return "the rubric is not valid:\n  " + "\n  ".join(lines)
