"""Makes a judge's reply plain before a reader looks at it: one spelling, no think-blocks; reads nothing itself."""

from __future__ import annotations

import re

from grader.plain_text import normalise

_THINK = r"think(?:ing)?|thought|reasoning|reflection|scratchpad"
_BRACKETED_THINK = re.compile(r"\[\s*+(/?)\s*+think\s*+\]", re.IGNORECASE)
_FINAL_CHANNEL = re.compile(r"<\|channel\|>\s*+final\s*+<\|message\|>", re.IGNORECASE)
_OPENING = re.compile(rf"\s*+<({_THINK})\b[^<>]*+>", re.IGNORECASE)
_TAG = re.compile(rf"<(?:(?P<closing>/)(?:{_THINK})\s*+|(?:{_THINK})\b[^<>]*+)>", re.IGNORECASE)


def plain_reply(text: str) -> str:
    """Return a reply normalised and without the thoughts that it opens with (RUBRICS, common 7, 10).

    A mark of thoughts that stands elsewhere may be quoted from data, and so bounds nothing: were what stands before a
    `</think>` dropped wherever one is, an answer's own verdict behind such a tag would be all that is left.
    """
    text = _BRACKETED_THINK.sub(r"<\1think>", _final_channel(normalise(text)))
    end = _end_of_thoughts(text)
    if end == 0:
        tags = list(_TAG.finditer(text))
        end = tags[0].end() if len(tags) == 1 and tags[0]["closing"] else 0  # the prompt's own end opened it
    return text[end:]


def _final_channel(text: str) -> str:
    """Return the final channel of a reply that opens with a mark of channels and has one final one, else all of it."""
    channels = list(_FINAL_CHANNEL.finditer(text))
    return text[channels[0].end() :] if len(channels) == 1 and text.lstrip().startswith("<|") else text


def _end_of_thoughts(text: str) -> int:
    """Return where the blocks of thoughts end with which `text` opens; 0 without one, the very end if it is open."""
    end = 0
    while opening := _OPENING.match(text, end):
        closing = re.compile(rf"</{opening[1]}\s*+>", re.IGNORECASE).search(text, opening.end())
        end = closing.end() if closing else len(text)
    return end
