"""Finds where in an answer a judge's quote stands, by the rule that tells real quotes from invented ones."""

from __future__ import annotations

from functools import cache

from grader.scoring.rules.criteria import comparable, evidence_pieces

Span = tuple[int, int]
"""Begin and end in the answer, as Python slices it."""

_MOST_PIECES = 500
"""Of one quote; a judge that quotes nothing but ellipses shall not keep the files waiting."""

_one_comparable = cache(comparable)


class QuotedAnswer:
    """An answer in which quotes are looked up; what is needed for that is made when the first is."""

    def __init__(self, answer: str) -> None:
        self._answer = answer
        self._plain = ""
        self._places: list[int] = []

    def spans(self, evidence: str) -> list[Span]:
        """Return where the pieces of a quote stand, the first place of each; pieces that are not there are left out."""
        pieces = evidence_pieces(evidence)[:_MOST_PIECES]
        if not pieces:
            return []
        exact = self._answer.find(evidence)
        if exact >= 0:
            return [(exact, exact + len(evidence))]
        self._prepare()
        found = ((self._plain.find(piece), len(piece)) for piece in pieces)
        return [(self._places[at], self._places[at + length - 1] + 1) for at, length in found if at >= 0]

    def _prepare(self) -> None:
        """Make the comparable text, and for each of its characters the place it comes from.

        Character by character: what is only made plain as a whole (`&lt;`) is not found, and so not marked.
        """
        if self._places:
            return
        plain: list[str] = []
        for place, character in enumerate(self._answer):
            made = _one_comparable(character)
            plain.append(made)
            self._places += [place] * len(made)
        self._plain = "".join(plain)
