"""Finds out which column holds which field, and what two ids have in common; reads no file itself.

Header names match whatever their case, spaces, underscores and quotes; a field has several usual names;
`--map FIELD=COLUMN` has the last word; two candidates are an error.
"""

from __future__ import annotations

import datetime
import json
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from grader.errors import InputError

TableKind = Literal["criteria", "points", "answers", "questions"]
"""Which table is read: the same header can mean different things in each. `points` is one row per criterion."""

_USUAL_NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "query id", "question id", "qid", "session id"),
    "answer": (
        *("model answer", "answer", "prediction", "pred", "response", "output"),
        *("model output", "completion"),
    ),
    "reference": ("gt answer", "reference", "reference answer", "ground truth", "expected", "gold"),
    "question": ("question", "query", "user query", "input", "prompt"),
    "system": ("system", "model", "generator", "model test"),
    "context": ("context",),
    "context_role": ("context role",),
    "instruction": ("instruction",),
    "history": ("history",),
    "checklist": ("checklist",),
    "group": ("type", "group"),
    "image": ("image",),
}

_RARER_NAMES: Mapping[str, tuple[str, ...]] = {
    "id": (
        *("task id", "item id", "case id", "example id", "prompt id", "uid"),
        *("編号", "编号", "題號", "题号", "番号", "課題id", "問題id", "质问id"),
    ),
    "answer": ("system answer", "generated answer", "answer text", "回答", "答案"),
    "reference": ("gold answer", "expected answer", "correct answer", "ideal answer", "model solution"),
    "question": ("question text", "user question", "問題", "问题", "質問"),
    "system": ("system name", "model name"),
}
"""Understood only where a table has none of the field's usual names, so that they never make one ambiguous."""

_POINTS_NAMES: Mapping[str, tuple[str, ...]] = {
    "criterion": ("criterion", "criteria", "criterion text", "requirement", "rubric item"),
    "points": ("points", "point", "weight", "pts"),
}
"""The fields that only a table with one row per criterion has."""

_RARER_POINTS_NAMES: Mapping[str, tuple[str, ...]] = {
    "criterion": ("rubric", "check", "Kriterium", "Kriterien", "評価基準", "採点基準", "基準", "评分标准", "标准"),
    "points": ("max points", "weights", "marks", "Punkte", "Gewicht", "配点", "点数", "分值", "分数", "权重"),
}

_QUOTES = "\"'`´‘’‚‛“”„‟«»‹›"
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"))
_SEPARATORS = re.compile(r"[\s_\-]+")
_WHOLE_NUMBER = re.compile(r"([+-]?)(0|[1-9][0-9]*)\.0+")


@dataclass(frozen=True, slots=True)
class Columns:
    """Where a table's fields stand, as positions from 0 in its header."""

    fields: Mapping[str, int]
    """Field name to position, only for the fields that the table has."""
    extras: Mapping[str, int] = field(default_factory=dict)
    """Every other named column, by its own name in field form (`scenario_code`)."""


def cell_text(value: object) -> str:
    """Return a cell's or a JSON value's text: nothing is "", 3.0 is "3", lists and objects are JSON."""
    if isinstance(value, str):
        return value
    if value is None or value != value:  # NaN is what some exporters write for a blank
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, (datetime.date, datetime.time)) else str(value)


def clean_text(value: object) -> str:
    """Return the text as it is compared: no invisible characters, Unicode form NFKC, trimmed."""
    text = cell_text(value)
    if text.isascii():
        return text.strip()
    return unicodedata.normalize("NFKC", text.translate(_INVISIBLE)).strip()


def normalise_id(value: object) -> str:
    """Return the one form of an id: `1`, `1.0`, `"1"` and ` 1 ` are all "1"; "00123" keeps its zeros."""
    text = clean_text(value)
    whole = _WHOLE_NUMBER.fullmatch(text) if "." in text else None
    return text if whole is None else whole[1].strip("+") + whole[2]


def field_name(header: object) -> str:
    """Return a header as a field name, such as `query_id` for `'Query  ID'`; "" for a blank one."""
    text = normalise_id(clean_text(header).strip(_QUOTES))
    return _SEPARATORS.sub("_", text.strip(_QUOTES).casefold()).strip("_ ")


def header_key(header: object) -> str:
    """Return what must be equal for two headers to be the same: `Query ID`, `query_id` and `QueryId` are."""
    return field_name(header).replace("_", "")


def find_columns(
    headers: Sequence[object],
    kind: TableKind,
    column_map: Mapping[str, str] | None = None,
    *,
    lists: Collection[int] = (),
) -> Columns:
    """Return where each field stands in `headers`.

    `column_map` is field to header, as given by `--map`; `lists` are positions whose values are lists, which
    give way to a column of text (a `reference` that lists sources, beside the reference answer).
    A field may be missing from the result; `InputError` only where two columns claim one field or a mapped
    column is not there.
    """
    _check_map(headers, kind, column_map or {})
    claims = _claims(headers, kind, column_map or {}, lists)
    for name, found in claims.items():
        if len(found) > 1:
            raise _ambiguous(name, [headers[i] for i in found])
    fields = {name: found[0] for name, found in claims.items()}
    return Columns(fields, _extra_columns(headers, fields))


def claimed_fields(headers: Sequence[object], kind: TableKind, column_map: Mapping[str, str] | None = None) -> set[str]:
    """Return the fields that some column claims, even if two claim the same one; tells a header from other rows."""
    return set(_claims(headers, kind, column_map or {}, ()))


def missing_field(name: str, headers: Sequence[object], kind: TableKind, what: str) -> tuple[str, str]:
    """Return the message and the hint for a table that lacks field `name`; `what` names its headers' place."""
    close = closest(map(shown_header, headers), [*_aliases(name, kind), *_rarer_aliases(name, kind)])
    guess = f"; the closest is '{close}'" if close else ""
    names = ", ".join(f"'{alias}'" for alias in _aliases(name, kind)[:4])
    message = f"no {name} column in {what}, which has {listed_headers(headers)}{guess}"
    return message, f"Name the column {names} or alike, or say which it is: --map {name}={close or 'COLUMN'}"


def shown_header(header: object) -> str:
    """Return a header for a message: on one line, with no spaces around it."""
    return " ".join(cell_text(header).split())


def listed_headers(headers: Sequence[object]) -> str:
    """Return the headers that are not blank, for a message."""
    shown = [f"'{shown_header(header)}'" for header in headers if field_name(header)]
    return ", ".join(shown[:20]) + (" …" if len(shown) > 20 else "") or "nothing"


def closest(candidates: Iterable[str], wanted: Iterable[str], *, at_least: float = 70) -> str | None:
    """Return the candidate most like any of the `wanted` texts, or `None` where none is much like them."""
    from rapidfuzz import fuzz, process

    targets = [header_key(text) for text in wanted]
    best: tuple[float, str | None] = (0.0, None)
    for candidate in candidates:
        found = process.extractOne(header_key(candidate), targets, scorer=fuzz.ratio, score_cutoff=at_least)
        if found and found[1] > best[0]:
            best = (found[1], candidate)
    return best[1]


def _aliases(name: str, kind: TableKind) -> tuple[str, ...]:
    # A questions file has no answers to grade: what it calls the answer is the reference.
    if kind == "questions" and name == "answer":
        return ()
    extra = ("answer",) if kind == "questions" and name == "reference" else ()
    own = _POINTS_NAMES.get(name, ()) if kind == "points" else ()
    return _USUAL_NAMES.get(name, ()) + extra + own


def _rarer_aliases(name: str, kind: TableKind) -> tuple[str, ...]:
    return _RARER_NAMES.get(name, ()) + (_RARER_POINTS_NAMES.get(name, ()) if kind == "points" else ())


def _claims(
    headers: Sequence[object], kind: TableKind, column_map: Mapping[str, str], lists: Collection[int]
) -> dict[str, list[int]]:
    """Return for each field the positions of the columns that could be it."""
    keys = [header_key(header) for header in headers]
    claims = {field_name(name): _named_exactly(headers, keys, column) for name, column in column_map.items()}
    claims = {name: found for name, found in claims.items() if found}
    taken = {position for found in claims.values() for position in found}
    for name, wanted in _alias_keys(kind):
        if name in claims or wanted.isdisjoint(keys):
            continue
        found = [i for i, key in enumerate(keys) if key in wanted and i not in taken]
        found = [i for i in found if i not in lists] or found
        if found:
            claims[name] = found
    return claims


@cache
def _alias_keys(kind: TableKind) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return each field twice, with the keys of its usual names and then of its rarer ones."""
    return tuple(
        (name, frozenset(map(header_key, aliases)))
        for name in (*_USUAL_NAMES, *_POINTS_NAMES)
        for aliases in (_aliases(name, kind), _rarer_aliases(name, kind))
    )


def _named_exactly(headers: Sequence[object], keys: Sequence[str], column: str) -> list[int]:
    """Return the columns called `column`; of several, those that are written exactly like it."""
    found = [i for i, key in enumerate(keys) if key == header_key(column)]
    return [i for i in found if cell_text(headers[i]).strip() == column.strip()] or found


def _check_map(headers: Sequence[object], kind: TableKind, column_map: Mapping[str, str]) -> None:
    """Only what decides who is graded for what must be there, as one `--map` serves several files."""
    keys = {header_key(header) for header in headers}
    for name, column in column_map.items():
        if kind == "answers" and field_name(name) in ("answer", "system") and header_key(column) not in keys:
            raise _not_there(name, column, headers)


def _not_there(name: str, column: str, headers: Sequence[object]) -> InputError:
    close = closest(map(shown_header, headers), [column])
    guess = f"; the closest is '{close}'" if close else ""
    return InputError(
        f"no column '{column}', which --map gives for {name}; there are {listed_headers(headers)}{guess}",
        hint=f"Correct it: --map {name}={close or 'COLUMN'}",
    )


def _ambiguous(name: str, found: Sequence[object]) -> InputError:
    shown = [f"'{shown_header(header)}'" for header in found]
    return InputError(
        f"{len(shown)} columns can be the {name}: {', '.join(shown)}",
        hint=f'Say which one it is: --map "{name}={shown_header(found[0])}"',
    )


def _extra_columns(headers: Sequence[object], fields: Mapping[str, int]) -> dict[str, int]:
    extras: dict[str, int] = {}
    taken = set(fields.values())
    for i, header in enumerate(headers):
        name = field_name(header)
        if not name or i in taken:
            continue
        # What is called like a field without being it must not pass for it in a template.
        name = f"{name}_column" if name in _USUAL_NAMES else name
        extras.setdefault(name, i)
    return extras
