"""Reads replies with a line for each part, such as `Score: 4`; not for what the numbers mean."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.rubric import OutputFormat, part_label
from grader.scoring.reading import Reading, UnreadableReply
from grader.scoring.reply_text import plain_reply

_MARKUP = r"[\s*_#>`|~-]*"
_BULLET = r"(?:\d{1,2}[.)]|[•·])?"
_EMPHASIS = r"[\s*_`]*"  # around a value nothing else may go: `-4`, `~4` and `>4` are not 4
_LABEL = rf"{_MARKUP}{_BULLET}{_MARKUP}(?P<label>[^:]{{1,60}}?){_MARKUP}"
_LINE = re.compile(rf"{_LABEL}:{_EMPHASIS}(?P<value>.*?){_EMPHASIS}")
_OUTRANKING = frozenset({"overall", "final", "overall score", "final score", "overall rating", "final rating"})


def read_labelled_lines(text: str, output: OutputFormat) -> Reading:
    """Return for each part what its lines say, and all other lines as the reasons.

    Where a part is labelled *Score*, a line labelled *overall* or *final* outranks it (RUBRICS, common rule 7), and
    a line for another kind of score, such as `Fluency score: 4`, is not its own.

    Raises:
        UnreadableReply: the part that carries the verdict has no line.
    """
    lines = [_labelled(line) for line in plain_reply(text).splitlines()]
    parts = [part for part in output.all_parts if part.kind != "text"]
    values = {part.name: _values(lines, part_label(part)) for part in parts}
    ours = {part_label(part).lower() for part in parts} | _OUTRANKING
    analysis = "\n".join(line for line, label, _ in lines if label not in ours).strip()
    if not any(values.values()):
        wanted = ", ".join(f"“{part_label(part)}: …”" for part in parts)
        raise UnreadableReply(f"The reply has no line {wanted}.", analysis=analysis)
    return Reading(values=values, analysis=analysis)


def _labelled(line: str) -> tuple[str, str, str]:
    """Return a line with its label, in lower case and without markup, and its value.

    Not case folded: that would read `ﬁnal`, written with a ligature, which no guard of data looks for.
    """
    found = _LINE.fullmatch(line)
    if found is None:
        return line, "", ""
    return line, " ".join(found["label"].split()).lower(), found["value"].strip()


def _values(lines: list[tuple[str, str, str]], label: str) -> tuple[str, ...]:
    """Return the part's values: of its own lines, or those that outrank them, and of lines that take one back."""
    label = label.lower()
    own = tuple(value for _, named, value in lines if named == label)
    if label == "score":
        own = tuple(value for _, named, value in lines if named in _OUTRANKING and re.search(r"\d", value)) or own
    return (*own, *_taken_back(lines, label)) if own else ()


def _taken_back(lines: list[tuple[str, str, str]], label: str) -> Iterator[str]:
    """Yield the numbers of lines such as `Revised score: 3`, which must not differ from the part's own."""
    for line, named, value in lines:
        words = set(re.findall(r"[a-z]+", named))
        is_about_it = label in named or (label == "score" and words & {"final", "total", "verdict", "overall"})
        if named != label and named not in _OUTRANKING and is_about_it and words & _CORRECTING:
            yield from re.findall(r"^-?\d[\d.]*", value)
        if not named or named != label:
            yield from re.findall(rf"\b{re.escape(label)}\s*(?:is|=)\s*(-?\d+(?:\.\d+)?)", line, re.IGNORECASE)


_CORRECTING = frozenset(
    {"revised", "corrected", "updated", "adjusted", "reconsidered", "actual", "new", "my", "final", "overall", "total"}
    | {"verdict"}
)
