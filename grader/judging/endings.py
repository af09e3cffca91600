"""Decides why a reply ended where a provider says it twice, in its own word and in a normalised one; reads no text."""

from __future__ import annotations

from grader.records import CUT_REASONS, FILTER_REASONS


def find_ending(normalised: str | None, own_word: str | None) -> str:
    """Return why a reply ended: `content_filter`, a word for a cut, or the provider's own word.

    Libraries and gateways call what they do not know `stop`, so the provider's own word counts; but where either word
    says that the reply was filtered or cut, it was. Neither is proof of a whole reply: its form has to be complete.
    """
    words = [word for word in (own_word, normalised) if word]
    if any(word.casefold() in FILTER_REASONS for word in words):
        return "content_filter"
    cut = next((word for word in words if word.casefold() in CUT_REASONS), None)
    return cut or next(iter(words), "stop")
