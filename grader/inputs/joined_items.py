"""Makes the items to grade of what was joined, each when it is taken, so that their texts need not be in memory."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, overload

from grader.inputs.answers import AnswerKey, AnswersTable
from grader.inputs.conversation import readable_fields
from grader.inputs.criteria_table import CriteriaRow, CriteriaTable
from grader.records import Answer, Item

if TYPE_CHECKING:
    from grader.inputs.questions import Question


class AllAnswers:
    """The answers of all tables behind one another; files that would give one name to two systems get distinct ones."""

    def __init__(self, tables: Sequence[AnswersTable]) -> None:
        self._tables = [(table.answers, table.file_system) for table in tables]
        self._systems = _file_systems(tables)
        self._starts = list(accumulate((len(table.keys) for table in tables), initial=0))

    def __getitem__(self, position: int) -> Answer:
        table = bisect_right(self._starts, position) - 1
        answers, file_system = self._tables[table]
        answer = answers[position - self._starts[table]]
        name = self._systems[table]
        return replace(answer, system=name) if answer.system == file_system != name else answer


def answer_keys(tables: Sequence[AnswersTable]) -> Iterator[AnswerKey]:
    """Yield system and id of every answer, in the order and by the names of `AllAnswers`."""
    for table, name in zip(tables, _file_systems(tables), strict=True):
        for system, item_id in table.keys:
            yield (name if system == table.file_system else system), item_id


def _file_systems(tables: Sequence[AnswersTable]) -> list[str]:
    """Return each file's system name: its stem, with its folder where another file has the same stem."""
    stems = [table.file_system for table in tables]
    names = [
        f"{Path(table.path).resolve().parent.name}/{table.file_system}"
        if stems.count(table.file_system) > 1
        else table.file_system
        for table in tables
    ]
    return [
        name if names.index(name) == i else f"{name} ({names[: i + 1].count(name)})" for i, name in enumerate(names)
    ]


class Places:
    """Where the parts of each item stand: its row, its answer, and its system among the systems."""

    def __init__(self) -> None:
        self.rows, self.answers, self.systems = array("L"), array("L"), array("L")

    def add(self, row: int, answer: int, system: int) -> None:
        """Add an item behind the others."""
        self.rows.append(row)
        self.answers.append(answer)
        self.systems.append(system)

    def __len__(self) -> int:
        return len(self.rows)


class JoinedItems(Sequence[Item]):
    """The items in their order; each is made anew whenever it is taken."""

    def __init__(
        self,
        criteria: CriteriaTable,
        answers: AllAnswers,
        questions: Mapping[str, Question],
        *,
        places: Places,
        systems: Sequence[str],
        changes: Sequence[Callable[[Item], Item]] = (),
    ) -> None:
        self._criteria, self._answers, self._questions = criteria, answers, questions
        self._places, self._systems, self._changes = places, systems, changes

    def iter_keys(self) -> Iterator[AnswerKey]:
        """Yield system and id of each item; no item is made for that."""
        for row, system in zip(self._places.rows, self._places.systems, strict=True):
            yield self._systems[system], self._criteria.ids[row]

    def chosen(self, ids: Container[str]) -> JoinedItems:
        """Return the items with these ids."""
        places = Places()
        for place in zip(self._places.rows, self._places.answers, self._places.systems, strict=True):
            if self._criteria.ids[place[0]] in ids:
                places.add(*place)
        return self._with(places, self._changes)

    def changed(self, change: Callable[[Item], Item]) -> JoinedItems:
        """Return the items as `change` returns them; it is called whenever an item is taken."""
        return self._with(self._places, (*self._changes, change))

    def _with(self, places: Places, changes: Sequence[Callable[[Item], Item]]) -> JoinedItems:
        return JoinedItems(
            self._criteria, self._answers, self._questions, places=places, systems=self._systems, changes=changes
        )

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> list[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | list[Item]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        row = self._criteria.rows[self._places.rows[index]]
        item = _item(row, self._answers[self._places.answers[index]], self._questions.get(row.item_id))
        for change in self._changes:
            item = change(item)
        return item


def _item(row: CriteriaRow, answer: Answer, question: Question | None) -> Item:
    extra = dict(answer.extra)
    asked = (question.question if question else "", row.question, extra.pop("question", ""))
    expected = (question.reference if question else "", row.reference, extra.pop("reference", ""))
    sources = (extra, row.fields, question.fields if question else {})
    return Item(
        id=row.item_id,
        system=answer.system,
        answer=answer.text,
        question=_first_filled(asked),
        reference=_first_filled(expected),
        criteria=row.criteria,
        fields=readable_fields(_merged_fields(sources)),
        source=row.source,
    )


def _first_filled(texts: Iterable[str]) -> str:
    return next((text for text in texts if text.strip()), "")


def _merged_fields(sources: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return all fields; a later source wins, but a blank never hides what an earlier one has."""
    fields: dict[str, str] = {}
    for source in sources:
        fields |= {name: text for name, text in source.items() if text.strip() or name not in fields}
    return fields
