"""The flow of `grader compare`: runs in, their systems or judges side by side out; writes and prints nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

from grader.comparing.entrants import Entrant, read_entrants, read_grades
from grader.comparison_records import Comparison, FarApart, Side, Standing
from grader.errors import InputError
from grader.statistics.comparison import (
    PairedDifference,
    Scores,
    compare_pair,
    not_told_apart,
    ranks,
    with_holm,
)

ALL_SYSTEMS = "all systems"
_FAR_APART_PER_PAIR = 5
_MOST_FAR_APART = 100
_MOST_NAMED = 5

Pair = tuple[Entrant, Entrant]


def compare(
    paths: Sequence[Path],
    *,
    by: str | None = None,
    systems: Sequence[str] = (),
    is_judge_only: bool = False,
    margin: float | None = None,
) -> Comparison:
    """Return how the systems of the runs differ, or how several judges score the same answers.

    Args:
        paths: The runs, by folder or by a file in it.
        by: `system` or `judge`; by default judges, where several runs have the same answers by other judges.
        systems: Only these.
        is_judge_only: Whether experts' scores are left aside; where judges are compared they always are.
        margin: Half the width of interval that a corrected mean should have.

    Raises:
        RunError: a path is no run.
        InputError: there are not two to compare, or the runs cannot be compared.
    """
    entrants = read_entrants(paths, systems=systems, is_judge_only=is_judge_only, margin=margin)
    is_of_judges = by == "judge" or (by is None and _are_of_judges(entrants))
    if is_of_judges and not is_judge_only:
        entrants = read_entrants(paths, systems=systems, is_judge_only=True, margin=margin)
    pairs = _judge_pairs(entrants) if is_of_judges else list(combinations(entrants, 2))
    if not pairs:
        missing = "no system has been judged in two runs" if is_of_judges else "there are not two systems to compare"
        raise InputError(missing, hint="Name a run of several systems, or several runs.")
    return _compared(entrants, pairs, is_of_judges=is_of_judges, is_judge_only=is_judge_only or is_of_judges)


def _compared(entrants: list[Entrant], pairs: list[Pair], *, is_of_judges: bool, is_judge_only: bool) -> Comparison:
    scores, warnings = _matching(pairs, with_answers=is_of_judges)
    is_binary = all(_is_binary(each) for each in entrants)
    names = [(first.name, second.name) for first, second in pairs]
    differences = _differences(scores, names, is_binary=is_binary)
    if is_of_judges:
        differences = with_holm([*differences, *_over_systems(pairs, scores)])
    rank = {} if is_of_judges else ranks({each.name: each.mean.value for each in entrants}, differences)
    scale = entrants[0].rubric.scale
    return Comparison(
        kind="judges" if is_of_judges else "systems",
        scores="judge" if is_judge_only else "final",
        scale=(scale.min, scale.max),
        rubrics=tuple(dict.fromkeys(each.rubric.name for each in entrants)),
        standings=tuple(_standings(entrants, differences, rank)),
        pairs=differences,
        groups=_by_group(entrants, scores, names, is_binary=is_binary),
        far_apart=tuple(_far_apart(pairs, scores)),
        warnings=(*_about_runs(entrants, is_of_judges=is_of_judges), *warnings),
    )


def _is_binary(entrant: Entrant) -> bool:
    ends = entrant.rubric.scale.two_scores
    return ends is not None and set(entrant.scores.values()) <= set(ends)


def _are_of_judges(entrants: Sequence[Entrant]) -> bool:
    """Whether the same answers were judged by others: most questions that two runs share have the same answer."""
    pairs = _judge_pairs(entrants)
    shared = [
        first.questions[question] == second.questions[question]
        for first, second in pairs
        for question in first.questions.keys() & second.questions.keys()
    ]
    return bool(shared) and 2 * sum(shared) > len(shared)


def _judge_pairs(entrants: Sequence[Entrant]) -> list[Pair]:
    return [(first, second) for first, second in combinations(entrants, 2) if first.system == second.system]


PairScores = Mapping[tuple[str, str], tuple[Scores, Scores]]


def _matching(pairs: Sequence[Pair], *, with_answers: bool) -> tuple[PairScores, list[str]]:
    """Return the scores of each two, without questions whose texts differ, and what to say of those."""
    found: dict[tuple[str, str], tuple[Scores, Scores]] = {}
    warnings = []
    what = "another text, other criteria or another answer" if with_answers else "another text or other criteria"
    for first, second in pairs:
        shared = first.questions.keys() & second.questions.keys()
        parts = slice(0, 2 if with_answers else 1)
        other = {each for each in shared if first.questions[each][parts] != second.questions[each][parts]}
        scores = [
            {question: score for question, score in each.scores.items() if question not in other}
            for each in (first, second)
        ]
        found[first.name, second.name] = (scores[0], scores[1])
        if other:
            listed = ", ".join(sorted(other)[:_MOST_NAMED]) + (" …" if len(other) > _MOST_NAMED else "")
            verbs = ("question has", "is") if len(other) == 1 else ("questions have", "are")
            warnings.append(
                f"{first.name} and {second.name}: {len(other):,} {verbs[0]} {what} under the same id, and {verbs[1]}"
                f" left out (id {listed})"
            )
    return found, warnings


def _differences(
    scores: PairScores, names: Sequence[tuple[str, str]], *, is_binary: bool
) -> tuple[PairedDifference, ...]:
    return with_holm(compare_pair(*pair, *scores[pair], is_binary=is_binary) for pair in names)


def _over_systems(pairs: Sequence[Pair], scores: PairScores) -> list[PairedDifference]:
    """Return two judges over all systems: a question's scores are averaged over the systems that both have it of."""
    by_judges: dict[tuple[str, str], dict[str, list[tuple[float, float]]]] = {}
    for first, second in pairs:
        one, other = scores[first.name, second.name]
        questions = by_judges.setdefault((first.judge, second.judge), {})
        for question in one.keys() & other.keys():
            questions.setdefault(question, []).append((one[question], other[question]))
    found = []
    for (first_judge, second_judge), questions in by_judges.items():
        if len(pairs) == len(by_judges):
            continue  # one system: nothing new
        sides = [
            {question: sum(both[side] for both in given) / len(given) for question, given in sorted(questions.items())}
            for side in (0, 1)
        ]
        found.append(compare_pair(f"{ALL_SYSTEMS} ({first_judge})", f"{ALL_SYSTEMS} ({second_judge})", *sides))
    return found


def _standings(
    entrants: Sequence[Entrant], differences: Sequence[PairedDifference], rank: Mapping[str, int | None]
) -> list[Standing]:
    ordered = sorted(entrants, key=lambda each: -(each.mean.value if each.mean.value is not None else -1e308))
    return [
        Standing(
            name=each.name,
            run=str(each.run_path),
            judge=each.judge,
            mean=each.mean,
            rank=rank.get(each.name),
            not_told_apart=not_told_apart(each.name, differences),
            planned=each.planned,
            unscored=each.unscored,
            is_complete=each.is_complete,
            groups={group: means.mean() for group, means in each.groups.items()},
            corrected=each.corrected,
        )
        for each in (ordered if rank else entrants)
    ]


def _by_group(
    entrants: Sequence[Entrant], scores: PairScores, names: Sequence[tuple[str, str]], *, is_binary: bool
) -> dict[str, tuple[PairedDifference, ...]]:
    group_of = {question: group for each in reversed(entrants) for question, group in each.group_of.items()}
    groups = list(dict.fromkeys(group for each in entrants for group in each.group_of.values()))
    found = [
        (group, compare_pair(*pair, *(_of_group(side, group, group_of) for side in scores[pair]), is_binary=is_binary))
        for group in groups
        for pair in names
    ]
    corrected = with_holm(pair for _, pair in found)
    return {
        group: tuple(pair for (name, _), pair in zip(found, corrected, strict=True) if name == group)
        for group in groups
    }


def _of_group(scores: Scores, group: str, group_of: Mapping[str, str]) -> Scores:
    return {question: score for question, score in scores.items() if group_of.get(question) == group}


def _far_apart(pairs: Sequence[Pair], scores: PairScores) -> list[FarApart]:
    """Return the questions on which each two differ most, with both answers and analyses."""
    per_pair = max(1, min(_FAR_APART_PER_PAIR, _MOST_FAR_APART // len(pairs)))
    chosen: list[tuple[Entrant, Entrant, str]] = []
    for first, second in pairs:
        one, other = scores[first.name, second.name]
        both = [question for question in one if question in other and one[question] != other[question]]
        both.sort(key=lambda question: -abs(one[question] - other[question]))
        chosen += [(first, second, question) for question in both[:per_pair]]
    wanted: dict[Path, set[tuple[str, str]]] = {}
    for first, second, question in chosen:
        for each in (first, second):
            wanted.setdefault(each.run_path, set()).add((each.system, question))
    grades = {path: read_grades(path, keys) for path, keys in wanted.items()}
    found = []
    for first, second, question in chosen[:_MOST_FAR_APART]:
        item = grades[first.run_path][first.system, question].item
        sides = [
            Side(
                name=each.name,
                score=score[question],
                answer=grades[each.run_path][each.system, question].item.answer,
                analysis=grades[each.run_path][each.system, question].verdict.analysis,
            )
            for each, score in zip((first, second), scores[first.name, second.name], strict=True)
        ]
        found.append(
            FarApart(item_id=question, question=item.question, group=item.group or "", first=sides[0], second=sides[1])
        )
    return found


def _about_runs(entrants: Sequence[Entrant], *, is_of_judges: bool) -> list[str]:
    """Say which have items without a score, and whether the rubrics or, of systems, the judges differ."""
    said = []
    for each in entrants:
        if each.unscored:
            headline = "" if each.is_complete else "INCOMPLETE: "
            said.append(f"{headline}{each.name}: {each.unscored:,} of {each.planned:,} items have no score")
    names = list(dict.fromkeys(each.rubric.name for each in entrants))
    if len(names) > 1:
        said.append(f"the runs were judged by different rubrics ({', '.join(names)}), on the same scale")
    elif any(each.rubric != entrants[0].rubric for each in entrants):
        said.append(f"the runs were judged by different versions of the rubric {names[0]}")
    judges = list(dict.fromkeys(each.judge for each in entrants))
    if len(judges) > 1 and not is_of_judges:
        said.append(
            f"the systems were not all scored by one judge ({', '.join(judges)}): a difference may be the judges' own"
        )
    return said
