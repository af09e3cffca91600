"""Puts together what several experts entered about a grade, from the run's overrides; reads and writes no file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from grader.outputs.graded_workbook.distribution import is_closed
from grader.outputs.graded_workbook.entry_rows import CriterionKey
from grader.outputs.graded_workbook.expert_entries import CriterionEntry, ExpertEntry
from grader.outputs.graded_workbook.keys import grade_key, item_key, text_hash
from grader.outputs.graded_workbook.wording import criterion_label
from grader.records import Grade, Override, format_number
from grader.rubric import Scale

_FAR_APART = 0.1
"""Experts differ whose scores are further apart than this share of the scale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What stands of one expert about one grade, or one criterion of it: the last that was entered."""

    override: Override
    is_stale: bool
    """Whether it was entered for texts that have changed since; then it does not count."""


def override_key(override: Override) -> str:
    """Return the key of the row that an override is about."""
    return item_key(override.system, override.item_id, override.sample)


def criterion_of(override: Override) -> CriterionKey | None:
    """Return level and number of the criterion that an override is about, `None` for a whole grade."""
    return None if override.number is None else (override.level, override.number)


def latest_overrides(overrides: Iterable[Override]) -> dict[str, list[Override]]:
    """Return by row key what each reviewer entered last, for each text that was before them; taken back ones too."""
    latest: dict[tuple[object, ...], Override] = {}
    for override in overrides:
        place = (override_key(override), *_place(override), override.text_hash)
        latest.pop(place, None)  # so that the order is that of the last entries
        latest[place] = override
    by_key: dict[str, list[Override]] = {}
    for override in latest.values():
        by_key.setdefault(override_key(override), []).append(override)
    return by_key


def standing_entries(grade: Grade, latest: Mapping[str, Sequence[Override]]) -> tuple[Standing, ...]:
    """Return what stands about a grade, by reviewer; what was taken back is left out.

    Of a reviewer who entered something for today's texts, what they entered for earlier ones no longer stands.
    """
    overrides = latest.get(grade_key(grade), ())
    if not overrides:
        return ()
    today = text_hash(grade.item)
    renewed = {_place(override) for override in overrides if override.text_hash == today}
    stale = {_place(override): override for override in overrides if override.text_hash != today}
    standing = [Standing(override=each, is_stale=False) for each in overrides if each.text_hash == today]
    standing += [Standing(override=each, is_stale=True) for place, each in stale.items() if place not in renewed]
    return tuple(sorted((each for each in standing if _has_content(each.override)), key=_order))


def _place(override: Override) -> tuple[object, ...]:
    return override.reviewer, criterion_of(override), override.is_blind


def _has_content(override: Override) -> bool:
    return override.score is not None or override.met is not None or bool(override.comment)


def _order(standing: Standing) -> tuple[object, ...]:
    override = standing.override
    level = -1.0 if override.level is None else override.level
    return override.reviewer, standing.is_stale, override.is_blind, level, override.number or 0


def effective_entries(overrides: Sequence[Override], grades: Iterable[Grade], scale: Scale) -> dict[str, ExpertEntry]:
    """Return what all experts together entered about each grade, by row key; grades without an entry are left out.

    One expert's score stands as it is. Of several the mean counts: each expert's say has the same weight, and it does
    not matter whose workbook came first. An expert who scored an answer blind and later in sight of the judge speaks by
    the later one. On a criterion the majority decides; a tie leaves it to the judge, and `experts_differ` says so.
    """
    latest = latest_overrides(overrides)
    if not latest:
        return {}
    standing = ((grade, standing_entries(grade, latest)) for grade in grades)
    return {grade_key(grade): _entry(grade, entries, scale) for grade, entries in standing if entries}


def _entry(grade: Grade, standing: Sequence[Standing], scale: Scale) -> ExpertEntry:
    current = [each.override for each in standing if not each.is_stale]
    plain = [each for each in current if each.number is None and not each.is_blind]
    blind = [each for each in current if each.number is None and each.is_blind]
    criteria = _criteria([each for each in current if each.number is not None])
    return ExpertEntry(
        score=_mean(_speaking(plain, blind)),
        comment=joined_comments(plain),
        blind_score=_mean(blind),
        blind_comment=joined_comments(blind),
        criteria={key: entry for key, (entry, _) in criteria.items()},
        text_hash=text_hash(grade.item),
        stale="\n".join(_stale_words(each.override) for each in standing if each.is_stale),
        counting=frozenset(map(_stale_words, current)),
        experts_differ=_differ(_speaking(plain, blind), scale)
        or _differ(blind, scale)
        or any(split for _, split in criteria.values()),
    )


def _speaking(plain: Sequence[Override], blind: Sequence[Override]) -> list[Override]:
    """Return the score of each expert, once some expert has scored with the judge's in view; else none."""
    scored = [each for each in plain if each.score is not None]
    speakers = {each.reviewer for each in scored}
    return [*scored, *(each for each in blind if scored and each.reviewer not in speakers)]


def tied_verdicts(overrides: Iterable[Override], grades: Iterable[Grade]) -> list[str]:
    """Return the criteria that as many experts take as met as not, in words: `apollo 1: 25 (2)`."""
    latest = latest_overrides(overrides)
    tied = []
    for grade in grades if latest else ():
        current = [each.override for each in standing_entries(grade, latest) if not each.is_stale]
        criteria = _criteria([each for each in current if each.number is not None])
        for (level, number), (entry, is_split) in criteria.items():
            if is_split and entry.met is None:
                tied.append(f"{grade.item.system} {grade.item.id}: {criterion_label(level, number)}")
    return tied


def _mean(overrides: Sequence[Override]) -> float | None:
    """Return the mean of the scores, the same in whatever order they come."""
    scores = sorted(each.score for each in overrides if each.score is not None)
    return fmean(scores) if scores else None


def _differ(overrides: Sequence[Override], scale: Scale) -> bool:
    scores = [each.score for each in overrides if each.score is not None]
    allowed = 0.0 if is_closed(scale) else _FAR_APART * (scale.max - scale.min)
    return bool(scores) and max(scores) - min(scores) > allowed + 1e-9


def _criteria(overrides: Sequence[Override]) -> dict[CriterionKey, tuple[CriterionEntry, bool]]:
    """Return the majority's verdict on each criterion, and whether anybody disagrees."""
    by_criterion: dict[CriterionKey, list[Override]] = {}
    for override in overrides:
        by_criterion.setdefault((override.level, override.number or 0), []).append(override)
    found = {}
    for key, entered in by_criterion.items():
        for_it, against = (sum(each.met is met for each in entered) for met in (True, False))
        met = None if for_it == against else for_it > against
        found[key] = (CriterionEntry(met=met, comment=joined_comments(entered)), bool(for_it and against))
    return found


def joined_comments(overrides: Sequence[Override]) -> str:
    """Return the comments: one alone as it is where only one expert entered anything, else `Anna: …` each."""
    said = [each for each in overrides if each.comment]
    if len(overrides) == 1:
        return said[0].comment if said else ""
    return "\n".join(signed_comment(each) for each in said)


def signed_comment(override: Override) -> str:
    """Return a comment with its reviewer's name, as it stands beside those of others."""
    return f"{override.reviewer}: {override.comment}"


def _stale_words(override: Override) -> str:
    """Return an entry whose texts have changed, in words: `Anna: 50 (blind), “Wrong unit”`."""
    value = "" if override.score is None else format_number(override.score)
    if override.met is not None:
        value = "met" if override.met else "not met"
    about = "" if override.number is None else f"{criterion_label(override.level, override.number)} "
    blind = " (blind)" if override.is_blind else ""
    comment = f"“{override.comment}”" if override.comment else ""
    return f"{override.reviewer}: {about}{', '.join(filter(None, (value, comment)))}{blind}"


def expert_records(standing: Iterable[Standing]) -> list[dict[str, Any]]:
    """Return what stands about a grade as results.jsonl keeps it: one object a reviewer, blind entries apart."""
    records: dict[tuple[str, bool, bool], dict[str, Any]] = {}
    for each in standing:
        override = each.override
        record = records.setdefault(
            (override.reviewer, each.is_stale, override.is_blind),
            {
                "reviewer": override.reviewer,
                "score": None,
                "comment": "",
                "blind": override.is_blind,
                "stale": each.is_stale,
                "entered": override.entered,
                "criteria": [],
            },
        )
        record["entered"] = max(record["entered"], override.entered)
        if override.number is None:
            record |= {"score": _plain(override.score), "comment": override.comment}
        else:
            about = {"level": _plain(override.level), "number": override.number}
            record["criteria"].append({**about, "met": override.met, "comment": override.comment})
    return list(records.values())


def _plain(value: float | None) -> float | int | None:
    """Return whole numbers as integers, so that a score of 50 is written as 50."""
    return int(value) if value is not None and value == int(value) else value
