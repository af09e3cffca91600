"""Ties the rows of graded workbooks to the grades of a run, by their keys or by what they show; reads no file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.outputs.graded_workbook.entry_rows import EntryRow
from grader.outputs.graded_workbook.keys import grade_key, item_key, text_hash, texts_digest
from grader.records import Grade

_KEY = re.compile("[0-9a-f]{16}")
_COPY = "copy the row back from the run's graded.xlsx, or move the entry to the row of its answer"


class Unplaced(Exception):
    """A row cannot be tied to one grade; the text says why, and what is to be done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A grade of the run, as far as an entry needs to know it."""

    system: str
    item_id: str
    sample: int
    text_hash: str
    shown: str = ""
    """Digest of question and answer, where it was asked for."""


def targets_of(grades: Iterable[Grade], *, with_texts: bool = False) -> dict[str, Target]:
    """Return the run's grades by their rows' keys; their texts are needed for rows without a text hash alone."""
    return {
        grade_key(grade): Target(
            system=grade.item.system,
            item_id=grade.item.id,
            sample=grade.sample,
            text_hash=text_hash(grade.item),
            shown=texts_digest(grade.item.question, grade.item.answer) if with_texts else "",
        )
        for grade in grades
    }


class RowTargets:
    """What the rows of one workbook are about."""

    def __init__(self, rows: Sequence[EntryRow], targets: Mapping[str, Target]) -> None:
        self._rows, self._targets = rows, targets
        self._by_id: dict[str, list[str]] | None = None
        self._by_key: dict[str, EntryRow] | None = None
        self._hashes: dict[str, str] | None = None

    def placed(self, row: EntryRow) -> EntryRow:
        """Return the row with the key of its grade, and with its text hash.

        A text hash that is gone is that of the same answer's rows on the other sheets, else today's where the row
        shows today's question and answer; else it stays empty, and what was entered is stale.

        Raises:
            Unplaced: the key is gone, and what the row shows fits no grade of the run, or several.
        """
        key = row.key if row.key in self._targets else self._other_key(row)
        if row.criterion is not None and row.criterion[1] < 1:
            raise Unplaced(f"this row does not say the number of its criterion (No.): {_COPY}")
        placed = row if key == row.key else replace(row, key=key)
        return placed if placed.text_hash else replace(placed, text_hash=self._text_hash(placed))

    def target(self, row: EntryRow) -> Target | None:
        """Return what a row is about: a grade of the run, else what it shows, where its key says the same."""
        found = self._targets.get(row.key)
        if found is not None:
            return found
        named = row if _says_its_key(row) else self._named(row.key)
        if named is None:
            return None
        return Target(system=named.system, item_id=named.item_id, sample=named.sample, text_hash=row.text_hash)

    def _other_key(self, row: EntryRow) -> str:
        """Return the key of a row that has none of the run's."""
        if _says_its_key(row):
            return row.key  # of another run, or of a question that is no longer there
        keys = self._shown_keys(row)
        if len(keys) == 1:
            return keys[0]
        if _KEY.fullmatch(row.key):
            return row.key
        what = "a comment" if not str(row.value).strip() else "a score" if row.criterion is None else "a verdict"
        why = "what it shows fits several answers" if keys else "what it shows is no answer of the run"
        raise Unplaced(f"{what} stands in a row whose hidden key is gone, and {why}: {_COPY}")

    def _shown_keys(self, row: EntryRow) -> list[str]:
        """Return the keys of the grades that a row may be about by ID, system and sample; Blind shows the ID alone."""
        if row.kind != "blind":
            key = item_key(row.system, row.item_id, row.sample)
            return [key] if key in self._targets else []
        if self._by_id is None:
            self._by_id = {}
            for key, target in self._targets.items():
                self._by_id.setdefault(target.item_id, []).append(key)
        keys = self._by_id.get(row.item_id, [])
        same = [key for key in keys if row.text_hash and self._targets[key].text_hash == row.text_hash]
        return same or keys

    def _named(self, key: str) -> EntryRow | None:
        """Return a row of this workbook that says what a key stands for."""
        if self._by_key is None:
            self._by_key = {row.key: row for row in self._rows if row.kind != "blind" and _says_its_key(row)}
        return self._by_key.get(key)

    def _text_hash(self, row: EntryRow) -> str:
        if self._hashes is None:
            self._hashes = {each.key: each.text_hash for each in self._rows if each.text_hash}
        target = self._targets.get(row.key)
        if row.key in self._hashes:
            return self._hashes[row.key]
        is_as_today = target is not None and row.shown_texts and texts_digest(*row.shown_texts) == target.shown
        return target.text_hash if target is not None and is_as_today else ""


def _says_its_key(row: EntryRow) -> bool:
    return item_key(row.system, row.item_id, row.sample) == row.key
