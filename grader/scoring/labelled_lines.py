"""Reads replies with a line for each part, such as `Score: 4`; not for what the numbers mean."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.rubric import OutputFormat, part_label
from grader.scoring.reading import Reading, UnreadableReply
from grader.scoring.reply_text import plain_reply

_SPACES = "".join(filter(str.isspace, map(chr, range(0x3001))))
_MARKUP = f"{_SPACES}*_#>`|~-"
_EMPHASIS = f"{_SPACES}*_`"  # around a value nothing else may go: `-4`, `~4` and `>4` are not 4
_BULLET = re.compile(r"\d{1,2}[.)]|[•·]")
_LONGEST_LABEL = 60
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

    Not case folded: that would read `ﬁnal`, written with a ligature, which no guard of data looks for. By `strip`: a
    pattern for markup, a bullet, markup and a label would try a long line of dashes in every way there is.
    """
    head, colon, value = line.partition(":")
    label = head.strip(_MARKUP)
    bullet = _BULLET.match(label)
    label = label[bullet.end() :].lstrip(_MARKUP) if bullet else label
    if not colon or len(label) > _LONGEST_LABEL:
        return line, "", ""
    return line, " ".join(label.split()).lower(), value.strip(_EMPHASIS)


def _values(lines: list[tuple[str, str, str]], label: str) -> tuple[str, ...]:
    """Return the part's values: of its own lines, or those that outrank them, and of lines that take one back."""
    label = label.lower()
    own = tuple(value for _, named, value in lines if named == label)
    if label == "score":
        own = tuple(value for _, named, value in lines if named in _OUTRANKING and re.search(r"\d", value)) or own
    return (*own, *_taken_back(lines, label)) if own else ()


def _taken_back(lines: list[tuple[str, str, str]], label: str) -> Iterator[str]:
    """Yield the numbers of lines such as `Revised score: 3`, which must not differ from the part's own."""
    in_words = re.compile(rf"\b{re.escape(label)}\s*(?:is|=)\s*(-?\d+(?:\.\d+)?)", re.IGNORECASE)
    for line, named, value in lines:
        words = set(re.findall(r"[a-z]+", named)) if named and named not in _OUTRANKING else set()
        is_about_it = label in named or (label == "score" and words & {"final", "total", "verdict", "overall"})
        if named != label and is_about_it and words & _CORRECTING:
            yield from re.findall(r"^-?\d[\d.]*", value)
        if line and (not named or named != label):
            yield from in_words.findall(line)


_CORRECTING = frozenset(
    {"revised", "corrected", "updated", "adjusted", "reconsidered", "actual", "new", "my", "final", "overall", "total"}
    | {"verdict"}
)
