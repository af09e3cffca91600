"""Reads the settings of a benchmark from JSON or TOML and says all that is wrong at once; what they mean is `settings`.

`${NAME}` stands for a variable of the environment, so that no key need be in the file.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from grader.benchmark.settings import TOKEN_KEYS, BenchmarkSettings
from grader.errors import InputError
from grader.inputs.columns import closest

_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_PLACEHOLDER_TOKEN = re.compile(r"your[-_ ]|[-_]here|^(?:sk-)?x{3,}$|^<.*>$", re.IGNORECASE)
_SHOWN_CHARACTERS = 60
_WANTED = {
    "tuple_type": 'a list is wanted: ["…", "…"]',
    "dict_type": "an object with names is wanted",
    "string_type": "a text in quotes is wanted",
    "float_type": "a number is wanted",
    "float_parsing": "a number is wanted",
    "int_type": "a whole number is wanted",
    "int_parsing": "a whole number is wanted",
    "int_from_float": "a whole number is wanted",
    "finite_number": "a number is wanted",
    "greater_than": "more than {gt:g} is wanted",
    "greater_than_equal": "{ge:g} or more is wanted",
    "less_than_equal": "{le:g} or less is wanted",
    "too_short": "at least one is wanted",
    "string_too_short": "a text that is not empty is wanted",
    "string_pattern_mismatch": "a text that is not empty, or a name of letters, digits, - and _, is wanted",
}
"""What pydantic's problems are in the words of somebody who writes settings."""
_HIDDEN = "(hidden)"


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsFile:
    """Settings that were read: where they stand, what they say, and what is to be said of them."""

    path: Path
    settings: BenchmarkSettings
    shown: Mapping[str, Any]
    """Every key with its value as used, defaults included; of tokens only the variable's name."""
    secrets: tuple[str, ...]
    """The tokens themselves, for redaction."""
    notes: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """What relative paths in the settings are relative to."""
        return self.path.parent


def read_settings(path: Path) -> SettingsFile:
    """Return the settings in the JSON or TOML file at `path`.

    Raises:
        InputError: the file cannot be read, or it has unknown, missing or wrong keys; the message lists all of them.
    """
    raw = {key: value for key, value in _read(path).items() if not key.startswith("_comment")}
    problems = [*_unknown_keys(raw)]
    known = {key: value for key, value in raw.items() if key in BenchmarkSettings.model_fields}
    values = {key: _filled(key, value, problems) for key, value in known.items()}
    settings = _validated(values, known, problems)
    problems += _dataset_problems(values)
    if problems or settings is None:
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        lines = "".join(f"\n  {problem}" for problem in problems)
        raise InputError(f"{count} in the settings:{lines}", path=path, hint="Put these right and run it again.")
    return SettingsFile(
        path=path,
        settings=settings,
        shown=_shown(settings, raw),
        secrets=tuple(filter(None, (getattr(settings, key) for key in TOKEN_KEYS))),
        notes=tuple(_notes(settings, raw)),
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"the settings cannot be read: {reason}", path=path) from error
    try:
        content = tomllib.loads(text) if path.suffix.lower() == ".toml" else json.loads(text, object_pairs_hook=_once)
    except (tomllib.TOMLDecodeError, ValueError) as error:
        kind = path.suffix[1:].upper() or "JSON"
        raise InputError(f"the settings are not valid {kind}: {error}", path=path) from None
    if not isinstance(content, dict):
        raise InputError("the settings must be one object with keys such as WORKER_MODEL_IDS", path=path)
    return content


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object, refusing one that says a key twice: nobody could tell which of them counts."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found and not key.startswith("_comment"):
            raise ValueError(f"the key {key} is there twice")
        found[key] = value
    return found


def _unknown_keys(raw: Mapping[str, Any]) -> Iterator[str]:
    for key in raw:
        if key not in BenchmarkSettings.model_fields:
            close = closest(BenchmarkSettings.model_fields, [key])
            yield f"{key}: there is no such key" + (f"; did you mean {close}?" if close else "")


def _filled(key: str, value: Any, problems: list[str]) -> Any:
    """Return `value` with the environment's variables in place of `${NAME}`; a missing one is a problem."""
    if isinstance(value, list):
        return [_filled(key, each, problems) for each in value]
    if isinstance(value, dict):
        return {name: _filled(f"{key}.{name}", each, problems) for name, each in value.items()}
    if not isinstance(value, str):
        return value

    def fill(match: re.Match[str]) -> str:
        name = match[1].strip()
        if not os.environ.get(name):
            problem = f"{key}: the environment has no variable {name or '(without a name)'}; set it: export {name}=…"
            problems.extend([problem] if problem not in problems else [])
        return os.environ.get(name, "")

    return _VARIABLE.sub(fill, value)


def _validated(values: Mapping[str, Any], known: Mapping[str, Any], problems: list[str]) -> BenchmarkSettings | None:
    try:
        return BenchmarkSettings.model_validate(values)
    except ValidationError as error:
        found = error.errors()
        inside = {each["loc"][:-1] for each in found}  # a list with a wrong entry counts as too short, too
        problems += [
            _explained(each, known) for each in found if each["type"] != "too_short" or each["loc"] not in inside
        ]
        return None


def _explained(problem: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    """Return one of pydantic's problems as key, value, and what is wanted."""
    parts = [str(part) for part in problem["loc"]]
    key = ".".join(parts)
    wanted = _WANTED.get(problem["type"])
    reason = wanted.format_map(problem.get("ctx", {})) if wanted else str(problem["msg"]).removeprefix("Value error, ")
    if problem["type"] == "missing":
        return f"{key}: is missing; it is needed"
    if problem["type"] == "extra_forbidden":
        return f"{key}: there is no such key"
    if not parts:
        return reason
    if parts[0] in TOKEN_KEYS:
        return f"{key}: {reason}"
    return f"{key}: {_short(_found(known, problem['loc']))}: {reason}"


def _found(known: Mapping[str, Any], place: tuple[Any, ...]) -> Any:
    value: Any = known
    for step in place:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return value
    return value


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"


def _dataset_problems(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong between the keys that name datasets, whatever else is wrong."""
    configs, chosen = values.get("DATASET_CONFIGS") or {}, values.get("DATASETS_TO_RUN")
    has_file = bool(str(values.get("INPUT_FILE") or "").strip())
    if not configs and not has_file:
        yield "DATASET_CONFIGS: is missing; it is needed where there is no INPUT_FILE"
    if configs and has_file:
        yield "INPUT_FILE: leave it out, or DATASET_CONFIGS: which of them counts cannot be told"
    if chosen == []:
        yield "DATASETS_TO_RUN: [] names no dataset; leave it out to run all"
    if not isinstance(configs, dict) or not isinstance(chosen, list):
        return
    names = [name for name in configs if not name.startswith("_comment")]
    for name in chosen:
        if isinstance(name, str) and names and name.strip() not in names:
            close = closest(names, [name])
            guess = f"did you mean {close}?" if close else f"there are {', '.join(names)}"
            yield f"DATASETS_TO_RUN: {_short(name)} is not in DATASET_CONFIGS; {guess}"


def _shown(settings: BenchmarkSettings, raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings as they may be kept: what came from the environment stays the variable's name."""
    used = settings.model_dump(mode="json")
    for key, value in used.items():
        written = raw.get(key)
        if key in TOKEN_KEYS:
            has_only_names = isinstance(written, str) and not _VARIABLE.sub("", written).strip()
            used[key] = written if has_only_names else _HIDDEN if value else ""
        elif written is not None and _VARIABLE.search(json.dumps(written)):
            used[key] = written
    return used


def _notes(settings: BenchmarkSettings, raw: Mapping[str, Any]) -> Iterator[str]:
    for key in TOKEN_KEYS:
        written = str(raw.get(key) or "")
        if not _VARIABLE.sub("", written).strip():
            continue
        if _PLACEHOLDER_TOKEN.search(written):
            yield f"{key}: looks like a placeholder, not a key"
        else:
            yield f"{key}: a key in a file is easily passed on by mistake; better: ${{{key}}} and export {key}=…"
    unused = [key for key in ("OPENROUTER_API_BASE_URL", "OPENROUTER_API_KEY") if raw.get(key)]
    if unused:
        yield f"{' and '.join(unused)}: not used; the WORKER_… and …_JUDGE_… keys say where to call and by which key"
    total = sum(settings.model_dump()[key] for key in BenchmarkSettings.model_fields if key.startswith("WEIGHT_"))
    if abs(total - 1.0) >= 1e-9:
        yield f"the weights sum to {total:g}; they are divided by that"
