"""Reads from runs the scores that are to be compared, by system and question; compares nothing."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.errors import InputError
from grader.outputs.expert_views import ExpertViews
from grader.outputs.summary import COMPLETE_SHARE
from grader.records import Grade, Item
from grader.rubric import Rubric
from grader.statistics.correction_records import CorrectedMean
from grader.statistics.estimate import Estimate
from grader.statistics.means import QuestionMeans
from grader.store.run_head import RunHead, stored_head
from grader.store.run_reader import reading_run


@dataclass(slots=True, kw_only=True)
class Entrant:
    """One system as one run has it."""

    name: str
    system: str
    run_path: Path
    judge: str
    rubric: Rubric
    planned: int
    means: QuestionMeans
    groups: dict[str, QuestionMeans] = field(default_factory=dict)
    sums: dict[str, tuple[float, int]] = field(default_factory=dict)
    """By question: the sum of its scores, and how many."""
    questions: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By question: what stands for its text and criteria, and for the answer."""
    group_of: dict[str, str] = field(default_factory=dict)
    corrected: CorrectedMean | None = None

    @property
    def scores(self) -> dict[str, float]:
        """The score of each question, several samples averaged."""
        return {question: total / count for question, (total, count) in self.sums.items()}

    @property
    def mean(self) -> Estimate:
        """The mean over the questions."""
        return self.means.mean()

    @property
    def unscored(self) -> int:
        """Items without a score, those not reached included."""
        return max(0, self.planned - self.means.score_count)

    @property
    def is_complete(self) -> bool:
        """Whether so many items have a score that the mean can be read."""
        return self.planned == 0 or 1 - self.unscored / self.planned >= COMPLETE_SHARE

    def add(self, item: Item, score: float | None) -> None:
        """Count one grade."""
        self.questions[item.id] = (_question_digest(item), _digest(item.answer))
        if item.group is not None:
            self.group_of[item.id] = item.group
        if score is None:
            return
        total, count = self.sums.get(item.id, (0.0, 0))
        self.sums[item.id] = (total + score, count + 1)
        self.means.add(item.id, score)
        if item.group is not None:
            group = self.groups.setdefault(item.group, QuestionMeans(self.rubric.scale.two_scores))
            group.add(item.id, score)


def read_entrants(
    paths: Sequence[Path], *, systems: Sequence[str] = (), is_judge_only: bool = False, margin: float | None = None
) -> list[Entrant]:
    """Return every system of every run, or only `systems`, each under a name of its own.

    Raises:
        RunError: a path is no run.
        InputError: a run is named twice, there is no such system, or the runs' scales differ.
    """
    entrants = [each for path in paths for each in _of_run(path, is_judge_only=is_judge_only, margin=margin)]
    _check(paths, entrants, systems)
    chosen = [each for each in entrants if not systems or each.system in systems]
    return _named(chosen)


def _of_run(path: Path, *, is_judge_only: bool, margin: float | None) -> Iterable[Entrant]:
    with reading_run(path) as store:
        head, grades = stored_head(store), store.grades()
        views = ExpertViews(grades, store.overrides(), head.rubric, margin=margin)
        entrants = {system: _begun(system, count, head, store.path.parent) for system, count in head.planned.items()}
        for grade in grades:
            score = grade.verdict.score if is_judge_only else views.final_score(grade)
            entrants[grade.item.system].add(grade.item, score)
        for each in views.corrected:
            if each.system in entrants:
                entrants[each.system].corrected = each
    return entrants.values()


def _begun(system: str, planned: int, head: RunHead, run_dir: Path) -> Entrant:
    return Entrant(
        name=system,
        system=system,
        run_path=run_dir,
        judge=str(head.record["model"]),
        rubric=head.rubric,
        planned=planned,
        means=QuestionMeans(head.rubric.scale.two_scores),
    )


def _check(paths: Sequence[Path], entrants: Sequence[Entrant], systems: Sequence[str]) -> None:
    run_paths = [(path.parent if path.is_file() else path).resolve() for path in paths]
    if len(set(run_paths)) < len(run_paths):
        raise InputError("a run is named twice", hint="Name each run once.")
    known = dict.fromkeys(each.system for each in entrants)
    unknown = [system for system in systems if system not in known]
    if unknown:
        raise InputError(f"there is no system “{unknown[0]}” in these runs", hint=f"There are {', '.join(known)}.")
    scales = {(each.rubric.scale.min, each.rubric.scale.max): each for each in entrants}
    if len(scales) > 1:
        words = ", ".join(f"{each.run_path.name} {each.rubric.scale.described()}" for each in scales.values())
        raise InputError(f"the runs score on different scales ({words})", hint="Compare runs of one scale.")


def _named(entrants: list[Entrant]) -> list[Entrant]:
    """Give each a name: the system's, and where several runs have it also the run's or, if that tells, the judge's."""
    counts = Counter(each.system for each in entrants)
    judges = Counter((each.system, each.judge) for each in entrants)
    folders = Counter((each.system, each.run_path.name) for each in entrants)
    for each in entrants:
        if counts[each.system] > 1:
            by = each.judge if judges[each.system, each.judge] == 1 else each.run_path.name
            if judges[each.system, each.judge] > 1 and folders[each.system, each.run_path.name] > 1:
                by = str(each.run_path)
            each.name = f"{each.system} ({by})"
    return entrants


def read_grades(path: Path, wanted: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Grade]:
    """Return the first grade of each system and question of `wanted`, without its replies."""
    left, found = set(wanted), {}
    with reading_run(path) as store:
        for grade in store.grades():
            key = (grade.item.system, grade.item.id)
            if key in left and key not in found:
                found[key] = replace(grade, replies=())
    return found


def _question_digest(item: Item) -> str:
    """Return what changes with what an answer is measured by: question, reference and criteria; blanks do not count."""
    criteria = [[each.level, each.number, each.points, _plain(each.text)] for each in item.criteria]
    return _digest(json.dumps([_plain(item.question), _plain(item.reference), criteria]))


def _plain(text: str) -> str:
    return " ".join(text.split())


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
