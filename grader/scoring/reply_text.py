"""Makes a judge's reply plain before a reader looks at it: one spelling, no think-blocks; reads nothing itself."""

from __future__ import annotations

import re

from grader.plain_text import normalise

_THINK = r"think(?:ing)?|thought|reasoning|reflection|scratchpad"
_BRACKETED_THINK = re.compile(r"\[\s*(/?)\s*think\s*\]", re.IGNORECASE)
_BEFORE_FINAL_CHANNEL = re.compile(r"^.*<\|channel\|>\s*final\s*<\|message\|>", re.IGNORECASE | re.DOTALL)
_THINK_BLOCK = re.compile(rf"<({_THINK})\b[^<>]*>.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_UNOPENED_THINK = re.compile(rf"^.*</(?:{_THINK})\s*>", re.IGNORECASE | re.DOTALL)
_UNCLOSED_THINK = re.compile(rf"<(?:{_THINK})\b[^<>]*>.*$", re.IGNORECASE | re.DOTALL)


def plain_reply(text: str) -> str:
    """Return a reply normalised and without its think-blocks, opened or not, closed or not (RUBRICS, common 7, 10)."""
    text = _BRACKETED_THINK.sub(r"<\1think>", _BEFORE_FINAL_CHANNEL.sub("", normalise(text)))
    text = _THINK_BLOCK.sub("", text)
    text = _UNOPENED_THINK.sub("", text)
    return _UNCLOSED_THINK.sub("", text)
