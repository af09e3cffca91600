"""Chooses the rows that an expert scores blind: at random, and the same ones when chosen again; writes nothing."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from grader.outputs.graded_workbook.expert_entries import ExpertEntry
from grader.outputs.graded_workbook.keys import grade_key
from grader.records import Grade


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindWish:
    """Which rows should be blind."""

    count: int = 0
    """So many at random, at least; all where there are fewer."""
    kept: Collection[str] = frozenset()
    """Keys of the rows that an earlier workbook's Blind sheet had: those that still exist stay."""


@dataclass(slots=True)
class BlindChoice:
    """Sees each grade once and keeps the keys of the rows to be blind."""

    wish: BlindWish
    entries: Mapping[str, ExpertEntry] = field(default_factory=dict)
    _kept: set[str] = field(default_factory=set)
    _drawn: list[tuple[int, str]] = field(default_factory=list)
    """A heap whose first is the next to give way."""

    @property
    def is_needed(self) -> bool:
        """Whether any row may be blind, so that the grades are worth looking at."""
        return bool(self.wish.count or self.wish.kept) or any(map(_has_blind_entry, self.entries.values()))

    def see(self, grade: Grade) -> None:
        """Take a grade into the draw, if it is one that can be drawn."""
        key = grade_key(grade)
        if key in self.wish.kept or _has_blind_entry(self.entries.get(key)):
            self._kept.add(key)
        if not self.wish.count or not can_be_drawn(grade):
            return
        draw = (-draw_number(key), key)
        if len(self._drawn) < self.wish.count:
            heapq.heappush(self._drawn, draw)
        else:
            heapq.heappushpop(self._drawn, draw)

    @property
    def keys(self) -> frozenset[str]:
        """The rows to be blind, of the grades seen so far."""
        return frozenset(self._kept) | {key for _, key in self._drawn}


def can_be_drawn(grade: Grade) -> bool:
    """Return whether scoring a grade's answer blind tells anything: not if it is empty, which nobody had to judge.

    Of an item judged more than once only the first can be drawn, as its answer is the same.
    """
    return grade.sample == 1 and "empty_answer" not in grade.verdict.flags


def draw_number(key: str) -> int:
    """Return a row's number in the draw, which has nothing to do with its place, its system or its score."""
    return int.from_bytes(hashlib.sha256(f"blind {key}".encode()).digest()[:8])


def _has_blind_entry(entry: ExpertEntry | None) -> bool:
    return entry is not None and (entry.blind_score is not None or bool(entry.blind_comment))
