"""What the items of a benchmark are like: sums for each combination, statuses, and how long the texts are; one pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.benchmark_records import SUB_SCORES, BenchmarkItem, BenchmarkRun, Combination
from grader.outputs.benchmark_workbook.final_scores import AlignmentRule, FinalScores, alignment_rule, final_scores
from grader.outputs.benchmark_workbook.item_columns import LOOKS, WHERE_SAID, ItemColumn
from grader.outputs.benchmark_workbook.item_entries import NO_ENTRY, ItemEntry, entry_key, entry_text_hash
from grader.outputs.benchmark_workbook.item_row import item_texts

_ESI, _TOKENS = "esi", "tokens"
MEANS = (*SUB_SCORES, _ESI, _TOKENS)
"""What the matrix shows means of."""


@dataclass(slots=True)
class Figures:
    """The sums of one combination."""

    finished: int = 0
    completed: int = 0
    """Items with an ESI."""
    entered: int = 0
    """Items for which an expert has given a verdict or a score."""
    sums: dict[str, float] = field(default_factory=lambda: dict.fromkeys(MEANS, 0.0))
    """Over the items with an ESI, by the names in MEANS."""
    seconds: float = 0.0

    def mean(self, name: str) -> float | None:
        """Return a mean over the items with an ESI."""
        return self.sums[name] / self.completed if self.completed else None

    def add(self, item: BenchmarkItem, entry: ItemEntry, final: FinalScores) -> None:
        """Count one item."""
        self.finished += 1
        self.seconds += item.seconds
        self.entered += entry.is_accurate is not None or entry.integrity is not None
        if final.esi is None:
            return
        self.completed += 1
        scores = item.sub_scores
        values = {
            "accuracy": final.accuracy,
            "true_integrity": final.true_integrity,
            "efficiency": scores.efficiency,
            "safety": scores.safety,
            "alignment": final.alignment,
            _ESI: final.esi,
            _TOKENS: worker_tokens(item),
        }
        for name, value in values.items():
            self.sums[name] += value or 0.0


@dataclass(slots=True)
class Survey:
    """What is known of all items before the first is written."""

    run: BenchmarkRun
    rule: AlignmentRule
    entries: Mapping[str, ItemEntry]
    numbers: Mapping[Combination, int]
    """Of the combinations, from 1."""
    figures: dict[Combination, Figures]
    count: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    lengths: Counter[ItemColumn] = field(default_factory=Counter)
    """Characters in all cells of a column together."""
    said: set[ItemColumn] = field(default_factory=set)
    """Columns in which some item has something."""
    carried: set[str] = field(default_factory=set)
    """Keys of the rows whose expert's entries still belong to them."""

    def entry_for(self, item: BenchmarkItem) -> ItemEntry:
        """Return what an expert has entered for `item`, if its texts are still those that the expert saw."""
        if not self.entries:
            return NO_ENTRY
        entry = self.entries.get(entry_key(item), NO_ENTRY)
        return entry if entry.text_hash == entry_text_hash(item) else NO_ENTRY

    def final_scores(self, item: BenchmarkItem) -> FinalScores:
        """Return what counts for `item`."""
        return final_scores(item, self.entry_for(item), self.rule, self.run)


def survey_items(run: BenchmarkRun, entries: Mapping[str, ItemEntry]) -> Survey:
    """Return what is known of the items of `run`, to which `entries` by experts belong."""
    survey = Survey(
        run=run,
        rule=alignment_rule(run.settings),
        entries=entries,
        numbers={combination: number for number, combination in enumerate(run.combinations, start=1)},
        figures={combination: Figures() for combination in run.combinations},
    )
    for item in run.items:
        _look_at(item, survey)
    return survey


def worker_tokens(item: BenchmarkItem) -> int:
    """Return the tokens of the worker's reply, 0 where the provider did not count them."""
    return item.worker.usage.completion_tokens if item.worker and item.worker.usage else 0


def _look_at(item: BenchmarkItem, survey: Survey) -> None:
    survey.count += 1
    survey.statuses[str(item.status)] += 1
    entry = survey.entry_for(item)
    if entry is not NO_ENTRY:
        survey.carried.add(entry_key(item))
    survey.figures[item.combination].add(item, entry, survey.final_scores(item))
    for column, text in item_texts(item).items():
        if LOOKS[column].grows_rows:
            survey.lengths[column] += len(text)
        if column in WHERE_SAID and text.strip():
            survey.said.add(column)
    if item.cost_usd:
        survey.said.add(ItemColumn.COST)
