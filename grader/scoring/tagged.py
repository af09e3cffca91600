"""Reads replies of the form `<analysis>…</analysis><score>N</score>`; not for what the number means."""

from __future__ import annotations

import re
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
    scores = tuple(_block(output.score).findall(outside))
    analysis = _analysis(text, plain, output)
    if not scores:
        raise UnreadableReply(
            f"The reply has no <{output.score}>…</{output.score}> outside its analysis.", analysis=analysis
        )
    if _marker(output.score).search(_block(output.score).sub("", outside)):
        raise UnreadableReply(f"The reply has a <{output.score}> tag without its partner.", analysis=analysis)
    return Reading(values={output.score: scores}, analysis=analysis, is_repaired=is_repaired)


def _cut_analysis(text: str, tag: str) -> tuple[str, bool]:
    """Return what stands outside the analysis, and whether one of its tags was missing."""
    outside = _block(tag).sub("\n", text)
    unopened_end = max((found.end() for found in re.finditer(rf"</{tag}\s*>", outside, re.IGNORECASE)), default=0)
    unclosed = re.search(rf"<{tag}\s*>", outside[unopened_end:], re.IGNORECASE)
    kept = outside[unopened_end : unopened_end + unclosed.start()] if unclosed else outside[unopened_end:]
    return kept, len(kept) != len(outside)


def _analysis(text: str, plain: str, output: OutputFormat) -> str:
    """Return the judge's reasons in its own spelling where possible, else from the normalised reply."""
    for source in (text, plain):
        found = _block(output.analysis).search(source)
        if found:
            return found.group(1).strip()
    rest = _block(output.score).sub("", plain)
    return _marker(output.score).sub("", _marker(output.analysis).sub("", rest)).strip().strip("`").strip()


@lru_cache(maxsize=32)
def _block(tag: str) -> re.Pattern[str]:
    return re.compile(rf"<{tag}\s*>(.*?)</{tag}\s*>", re.IGNORECASE | re.DOTALL)


@lru_cache(maxsize=32)
def _marker(tag: str) -> re.Pattern[str]:
    return re.compile(rf"</?{tag}\s*/?>", re.IGNORECASE)
