"""Reads replies of the form `<analysis>…</analysis><score>N</score>`; not for what the number means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from grader.rubric import OutputFormat
from grader.scoring.reading import Reading, UnreadableReply
from grader.scoring.reply_text import plain_reply


def read_tagged(text: str, output: OutputFormat) -> Reading:
    """Return the analysis of a reply and every score that stands outside of it.

    What stands inside the analysis is no verdict, also where one of its tags is missing (RUBRICS, common rule 7).
    A missing closing tag of the score is never guessed: `1` may have been `10`.

    Raises:
        UnreadableReply: there is no score, or a tag of one without the other.
    """
    plain = plain_reply(text)
    outside, is_repaired = _cut_analysis(plain, output.analysis)
    scores = tuple(inside for _, inside, _ in _blocks(outside, output.score))
    analysis = _analysis(text, plain, output)
    if not scores:
        raise UnreadableReply(
            f"The reply has no <{output.score}>…</{output.score}> outside its analysis.", analysis=analysis
        )
    if _marker(output.score).search(_without_blocks(outside, output.score, "")):
        raise UnreadableReply(f"The reply has a <{output.score}> tag without its partner.", analysis=analysis)
    return Reading(values={output.score: scores}, analysis=analysis, is_repaired=is_repaired)


def _cut_analysis(text: str, tag: str) -> tuple[str, bool]:
    """Return what stands outside the analysis, and whether one of its tags was missing."""
    outside = _without_blocks(text, tag, "\n")
    unopened_end = max((found.end() for found in re.finditer(rf"</{tag}\s*>", outside, re.IGNORECASE)), default=0)
    unclosed = re.search(rf"<{tag}\s*>", outside[unopened_end:], re.IGNORECASE)
    kept = outside[unopened_end : unopened_end + unclosed.start()] if unclosed else outside[unopened_end:]
    return kept, len(kept) != len(outside)


def _analysis(text: str, plain: str, output: OutputFormat) -> str:
    """Return the judge's reasons in its own spelling where possible, else from the normalised reply."""
    for source in (text, plain):
        for _, inside, _ in _blocks(source, output.analysis):
            return inside.strip()
    rest = _without_blocks(plain, output.score, "")
    return _marker(output.score).sub("", _marker(output.analysis).sub("", rest)).strip().strip("`").strip()


def _blocks(text: str, tag: str) -> Iterator[tuple[int, str, int]]:
    """Yield where each block of `tag` begins, what is inside, and where it ends: from an opening to the next closing.

    Tag by tag: a pattern for whole blocks would look from each of a thousand openings for a closing that is not there.
    """
    opening: re.Match[str] | None = None
    for found in _tag(tag).finditer(text):
        if found["slash"] and opening:
            yield opening.start(), text[opening.end() : found.start()], found.end()
            opening = None
        elif not found["slash"]:
            opening = opening or found


def _without_blocks(text: str, tag: str, instead: str) -> str:
    """Return `text` with `instead` in place of each block of `tag`."""
    kept, end = [], 0
    for begin, _, next_end in _blocks(text, tag):
        kept.append(text[end:begin])
        end = next_end
    return instead.join([*kept, text[end:]])


@lru_cache(maxsize=32)
def _tag(tag: str) -> re.Pattern[str]:
    return re.compile(rf"<(?P<slash>/?){tag}\s*>", re.IGNORECASE)


@lru_cache(maxsize=32)
def _marker(tag: str) -> re.Pattern[str]:
    return re.compile(rf"</?{tag}\s*/?>", re.IGNORECASE)
