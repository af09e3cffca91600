"""Says in plain words, with the line, what is wrong with a rubric file; decides nothing about what is allowed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError

from grader.rubric import Rubric

Key = tuple[str | int, ...]
"""Where something stands in a rubric file: `("output", "parts", 0, "kind")`."""

_PATTERNS = {
    r"^[a-z][a-z0-9-]*$": "must be of lower-case letters, digits and hyphens, a letter first",
    r"^[a-z][a-z0-9_]*$": "must be of lower-case letters, digits and underscores, a letter first",
}


def key_lines(text: str) -> dict[Key, int]:
    """Return the line, from 1, on which each key and each entry of a list of a YAML text stands."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    return dict(_lines(root, ())) if root is not None else {}


def _lines(node: yaml.Node, key: Key) -> Iterator[tuple[Key, int]]:
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            yield (*key, name.value), name.start_mark.line + 1
            yield from _lines(value, (*key, name.value))
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield (*key, index), value.start_mark.line + 1
            yield from _lines(value, (*key, index))


def explain_yaml(error: yaml.YAMLError) -> str:
    """Return why a text is not YAML and on which line."""
    mark = getattr(error, "problem_mark", None)
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
    problem = getattr(error, "problem", None) or str(error)
    return f"{where}this is not YAML: {problem}; a text with “: ” or “#” in it needs quotes around it"


def explain_problems(error: ValidationError, lines: Mapping[Key, int]) -> str:
    """Return all problems of a rubric, one per line: where, which key, what is wrong, what is allowed."""
    return "\n  ".join(_problem(problem, lines) for problem in error.errors())


def _problem(problem: Mapping[str, Any], lines: Mapping[Key, int]) -> str:
    key: Key = tuple(problem["loc"])
    line = lines.get(key) or lines.get(key[:-1])
    where = f"line {line}: " if line else ""
    name = ".".join(map(str, key))
    return f"{where}{name + ': ' if name else ''}{_explained(problem, key)}"


def _explained(problem: Mapping[str, Any], key: Key) -> str:
    kind, found = problem["type"], problem.get("input")
    if kind == "extra_forbidden":
        return f"there is no such key.{_allowed(key)}"
    if kind == "missing":
        return "is missing"
    if kind == "value_error":
        return str(problem["msg"]).removeprefix("Value error, ")
    if kind == "string_pattern_mismatch" and problem["ctx"]["pattern"] in _PATTERNS:
        return f"{_PATTERNS[problem['ctx']['pattern']]}, not “{found}”"
    wanted = str(problem["msg"]).replace("Input should be", "must be")
    return f"{wanted}, not “{found}”" if isinstance(found, str | int | float) else wanted


def _allowed(key: Key) -> str:
    """Return the keys that are allowed where `key` stands, the closest first."""
    known = list(_model_of(key[:-1]).model_fields)
    close = get_close_matches(str(key[-1]), known, n=1)
    return (f" Did you mean {close[0]}?" if close else "") + f" Allowed here: {', '.join(known)}"


def _model_of(key: Key) -> type[BaseModel]:
    """Return the model that says which keys are allowed at `key`."""
    model: type[BaseModel] = Rubric
    for name in key:
        if isinstance(name, str):
            model = _model_in(model.model_fields[name].annotation) or model
    return model


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model in an annotation such as `Scale | None` or `tuple[Part, ...]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((model for each in get_args(annotation) if (model := _model_in(each))), None)
