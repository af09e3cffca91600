"""What the offline judge makes of an item, and its reply in the form that a rubric asks for; matches no text itself."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.plain_text import normalise
from grader.records import format_number
from grader.rubric import Part, Rubric, Scale, part_label

BASELINE = "Text-matching baseline, no LLM."
"""The first words of every analysis, so that nobody takes it for a model's opinion."""

_LONGEST_TERM = 100
"""Characters of a term that an analysis shows."""

_MOST_TERMS = 12
"""Terms of a kind that a line of an analysis shows."""

_BRACKETS = str.maketrans("<>", "‹›")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What to say in each part of a reply."""

    notice: str
    """That this is no LLM, and how the verdict was found."""
    values: Mapping[str, Any]
    """The number, boolean or entries of every part that is no text, by its name."""
    reasons: Sequence[str] = ()
    """Lines."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """What stands in a text part of this name in place of the reasons, such as `strengths`."""


def render_reply(opinion: Opinion, rubric: Rubric) -> str:
    """Return the reply that says `opinion` in the rubric's form; nothing in it can be taken for another verdict."""
    if rubric.output.format == "json_object":
        return _json_object(opinion, rubric)
    if rubric.output.format == "tagged":
        contents = {**_texts(opinion, rubric), **{name: _shown_value(value) for name, value in opinion.values.items()}}
        names = [part.name for part in rubric.output.all_parts]
        return "\n".join(f"<{name}>{contents[name]}</{name}>" for name in names)
    return _labelled_lines(opinion, rubric)


def _json_object(opinion: Opinion, rubric: Rubric) -> str:
    """Return one object; a form without room for words gets a key for them, which no reader minds."""
    texts = _texts(opinion, rubric) or {rubric.output.analysis: _reasons(opinion)}
    contents = {**texts, **opinion.values}
    extra = [name for name in texts if name not in {part.name for part in rubric.output.all_parts}]
    names = [*extra, *(part.name for part in rubric.output.all_parts)]
    return json.dumps({name: _plain_number(contents[name]) for name in names}, ensure_ascii=False)


def _plain_number(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _labelled_lines(opinion: Opinion, rubric: Rubric) -> str:
    texts = _texts(opinion, rubric)
    lines = [] if texts else [_reasons(opinion)]
    for part in rubric.output.all_parts:
        said = texts.get(part.name)
        lines.append(said if said is not None else f"{part_label(part)}: {_shown_value(opinion.values[part.name])}")
    return "\n".join(lines)


def _texts(opinion: Opinion, rubric: Rubric) -> dict[str, str]:
    """Return what each text part says; the first of them begins with the notice."""
    found: dict[str, str] = {}
    for part in _text_parts(rubric):
        own = opinion.texts.get(part.name)
        if own is None:
            found[part.name] = _reasons(opinion)
        else:
            found[part.name] = harmless(own if found else f"{opinion.notice} {own}")
    return found


def _text_parts(rubric: Rubric) -> list[Part]:
    return [part for part in rubric.output.all_parts if part.kind == "text"]


def _reasons(opinion: Opinion) -> str:
    return harmless("\n".join((opinion.notice, *opinion.reasons)))


def _shown_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return format_number(value)
    return json.dumps(value, ensure_ascii=False)


def harmless(text: str) -> str:
    """Return `text` with nothing in it that a reader could take for a tag, escaped and full-width ones included."""
    return normalise(text).translate(_BRACKETS)


def quoted(term: str) -> str:
    """Return a term in quotes, on one line and not too long."""
    line = " ".join(term.split())
    return f"“{line}”" if len(line) <= _LONGEST_TERM else f"“{line[:_LONGEST_TERM]}…”"


def listed(label: str, terms: Sequence[str]) -> str:
    """Return `label: “a”, “b”`, or "" where there are none; each term once, and not more than can be read."""
    unique = list(dict.fromkeys(terms))
    more = f" and {len(unique) - _MOST_TERMS} more" if len(unique) > _MOST_TERMS else ""
    return f"{label}: {', '.join(map(quoted, unique[:_MOST_TERMS]))}{more}" if unique else ""


def on_scale(share: float, scale: Scale) -> float:
    """Return the value of a scale that lies at `share` (0 to 1) of it, on one of its steps."""
    width = scale.max - scale.min
    step = scale.step or (1.0 if width >= 10 else 0.01)
    steps = int(min(1.0, max(0.0, share)) * width / step + 0.5)
    return round(min(scale.max, scale.min + steps * step), 10)
