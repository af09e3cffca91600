"""A rule, a judge and an exporter for grader, as an example; not meant for real grading."""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader.errors import JudgeError
from grader.judging.judge import Call
from grader.outputs.summary import Summary
from grader.records import Grade, Item, JudgeSettings, Reply, Verdict
from grader.rubric import Rubric, part_label
from grader.scoring.reading import Reading
from grader.scoring.rules.number import score_number


def score_concise(reading: Reading, item: Item, rubric: Rubric) -> Verdict:
    """Return the judge's number, one less but never off the scale where the answer is too long.

    Raises:
        UnreadableReply: the judge gave no number, or one that is off the scale.
    """
    verdict = score_number(reading, item, rubric)
    if verdict.score is None or len(item.answer.split()) <= rubric.options["max_words"]:
        return verdict
    return replace(verdict, score=max(rubric.scale.min, verdict.score - 1), flags=(*verdict.flags, "too_long"))


class AlwaysJudge:
    """Replies the same number to everything; `--model always:4`."""

    is_baseline = True

    def __init__(self, settings: JudgeSettings, rubric: Rubric) -> None:
        self.model = settings.model
        self._number = settings.model.partition(":")[2]
        self._label = part_label(rubric.part(rubric.output.score))
        if rubric.output.format != "labelled_lines" or not self._number:
            raise JudgeError("this judge is named as in always:4, and knows labelled lines only", retryable=False)

    def parameters(self, call: Call) -> Mapping[str, Any]:
        """Return what decides a reply beside model and prompt: nothing."""
        return {}

    async def ask(self, call: Call) -> Reply:
        """Return the number in the rubric's form."""
        text = f"It is always {self._number}.\n{self._label}: {self._number}"
        return Reply(text=text, finish_reason="stop", cost_usd=0.0)

    async def close(self) -> None:
        """Nothing to give back."""


def write_scores_csv(run_dir: Path, grades: Collection[Grade], summary: Summary) -> list[Path]:
    """Write system, id and score of every grade to scores.csv, and say where that is."""
    path = run_dir / "scores.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["system", "id", "score"])
        rows.writerows([grade.item.system, grade.item.id, grade.verdict.score] for grade in grades)
    return [path]
