"""From one reply to one verdict: the order in which a reply is judged readable; makes no call and stores nothing."""

from __future__ import annotations

import re
from dataclasses import replace

from grader.records import CUT_REASONS, FILTER_REASONS, Item, Reply, Status, Verdict
from grader.rubric import Rubric
from grader.scoring.json_object import read_json_object
from grader.scoring.labelled_lines import read_labelled_lines
from grader.scoring.reading import Reading, UnreadableReply
from grader.scoring.registry import find_rule
from grader.scoring.reply_text import plain_reply
from grader.scoring.tagged import read_tagged

READERS = {"tagged": read_tagged, "json_object": read_json_object, "labelled_lines": read_labelled_lines}

_NOT_READ = "The reply is too broken, or nested too deeply, to be read."

# A provider's word for why a reply ended, case folded, beside those for cuts and filters; others are a normal end.
_DECLINED = frozenset({"refusal"})
_REFUSAL_WITHIN = 500
"""Characters at the start of a reply in which words that decline are looked for."""

_REFUSAL = re.compile(
    r"\W*(?:i[’']?m (?:very )?sorry|sorry|i apologi[sz]e|unfortunately|as an ai\b[^.]*)?[,.:;!]?\s*(?:but )?"
    r"i(?: am|[’']m)? (?:can(?:no|[’'])t|unable to|not able to|won[’']t|will not|must decline to)\s+"
    r"(?:assist|help|comply|fulfil|fulfill|provide|evaluate|grade|judge|continue|do that|answer)",
    re.IGNORECASE,
)


def score_reply(reply: Reply, item: Item, rubric: Rubric) -> Verdict:
    """Return the one verdict that `reply` carries; a reply that carries none has a status and a reason instead."""
    return replace(_verdict(reply, item, rubric), reply_key=reply.key)


def _verdict(reply: Reply, item: Item, rubric: Rubric) -> Verdict:
    unread = _ended_badly(reply)
    if unread is not None:
        return unread
    analysis = ""
    try:
        reading = _reading(reply, rubric)
        analysis = reading.analysis
        verdict = find_rule(rubric.rule)(reading, item, rubric)
        if verdict.score is not None and not rubric.scale.contains(verdict.score):
            raise UnreadableReply(f"The score {verdict.score:g} is off the scale.", status=Status.OUT_OF_RANGE)
        return verdict
    except UnreadableReply as error:
        status = Status.REFUSED if _is_refusal(error, reply.text) else error.status
        return Verdict(status=status, analysis=error.analysis or analysis, reason=error.reason)
    except RecursionError:  # in a rule, by a value that the reader could just take
        return Verdict(status=Status.PARSE_ERROR, analysis=analysis, reason=_NOT_READ)


def _reading(reply: Reply, rubric: Rubric) -> Reading:
    """Return what the reply's reader makes of it.

    Raises:
        UnreadableReply: it can make nothing of it. Whatever else a parser raises must cost one reply, not the run.
    """
    try:
        return READERS[rubric.output.format](reply.text, rubric.output)
    except UnreadableReply:
        raise
    except Exception as error:
        raise UnreadableReply(_NOT_READ, analysis=plain_reply(reply.text).strip()) from error


def empty_answer_verdict(rubric: Rubric) -> Verdict:
    """Return the verdict of an empty answer, which no judge is asked about: the scale's floor (common rule 3)."""
    return Verdict(
        status=Status.OK,
        score=rubric.scale.min,
        flags=("empty_answer",),
        dimensions={part.name: part.scale.min for part in rubric.output.all_parts if part.scale is not None},
        analysis="The answer is empty; it has the lowest score by rule and was not sent to the judge.",
    )


def _ended_badly(reply: Reply) -> Verdict | None:
    """Return a verdict where no text is worth reading: an error, a filter, a refusal, a cut or nothing at all."""
    finish = (reply.finish_reason or "").casefold()
    if reply.error is not None:
        return Verdict(status=Status.PROVIDER_ERROR, reason=reply.error)
    if finish in FILTER_REASONS:
        return Verdict(status=Status.CONTENT_FILTER, reason="The provider's content filter stopped the reply.")
    if finish in _DECLINED or reply.refusal:
        return Verdict(status=Status.REFUSED, reason="The judge declined to answer.", analysis=reply.refusal or "")
    if finish in CUT_REASONS:
        return Verdict(status=Status.TRUNCATED, reason="The reply was cut off at its token limit.")
    if not plain_reply(reply.text).strip():
        return Verdict(status=Status.EMPTY_REPLY, reason="The reply is empty.")
    return None


def _is_refusal(error: UnreadableReply, text: str) -> bool:
    """Return whether a reply without a verdict opens with words that decline the task."""
    opening = plain_reply(text).strip()[:_REFUSAL_WITHIN]
    return error.status is Status.PARSE_ERROR and bool(_REFUSAL.match(opening))
