"""One system's score, verdict and analysis in one row of the criteria sheet, as numbers and words; writes none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from grader.outputs.graded_workbook.wording import STATUS_WORDS, criterion_label, flag_words, verdict_words
from grader.records import Criterion, CriterionVerdict, Verdict, format_number
from grader.rubric import Rubric

MET, NOT_MET = "met", "not met"


@dataclass(slots=True, kw_only=True)
class RowCells:
    """The three cells of one system in one row."""

    score: float | None = None
    share: float | None = None
    """Where the score is on its scale, from 0 to 1."""
    verdict: str = ""
    analysis: str = ""
    note: str = ""
    """Of the score cell."""
    look: str = "text"
    """Of the verdict: `text`, `met`, `not_met` or `unscored`."""
    is_blind: bool = False
    """Whether all three must be shown as `blind`."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One grade of an item, without its replies and texts, which are not needed here."""

    number: int
    verdict: Verdict
    model: str
    is_blind: bool


def item_cells(samples: Sequence[Sample], rubric: Rubric) -> RowCells:
    """Return the cells of an item whose verdict is one for all of its criteria."""
    scores = [sample.verdict.score for sample in samples if sample.verdict.score is not None]
    score = fmean(scores) if scores else None
    scale = rubric.scale
    return RowCells(
        score=score,
        share=None if score is None else (score - scale.min) / (scale.max - scale.min),
        verdict=_verdict(samples, len(scores)),
        analysis=_by_sample(samples, lambda verdict: verdict.analysis.strip()),
        note=_note(samples, rubric),
        look="text" if scores else "unscored",
        is_blind=_is_blind(samples),
    )


def criterion_cells(criterion: Criterion, samples: Sequence[Sample]) -> RowCells:
    """Return the cells of one criterion on its own row: no score, whether it is met, and the evidence."""
    found = [_of(sample.verdict, criterion) for sample in samples]
    verdicts = [each for each in found if each is not None]
    met = sum(each.met for each in verdicts)
    if not verdicts:
        return RowCells(is_blind=_is_blind(samples))
    words = f"{MET} in {met} of {len(verdicts)}" if len(samples) > 1 else MET if met else NOT_MET
    look = MET if met == len(verdicts) else "not_met" if not met else "text"
    evidence = _by_sample(samples, lambda verdict: _evidence(_of(verdict, criterion)))
    return RowCells(verdict=words, analysis=evidence, look=look, is_blind=_is_blind(samples))


def show_levels(cells: RowCells, samples: Sequence[Sample]) -> None:
    """Put the verdict on each criterion, whose rows are one, into lines of that row's cells."""
    if len(samples) == 1:
        verdict = samples[0].verdict
        lines = [f"{_label(each)}: {MET if each.met else NOT_MET}" for each in _highest_first(verdict)]
        cells.verdict = "\n".join([*lines, *map(flag_words, verdict.flags)])
    cells.analysis = _by_sample(samples, _with_evidence)


def _is_blind(samples: Sequence[Sample]) -> bool:
    return any(sample.is_blind for sample in samples)


def _verdict(samples: Sequence[Sample], scored: int) -> str:
    if len(samples) == 1:
        return verdict_words(samples[0].verdict)
    if not scored:
        return f"None of {len(samples)} samples scored"
    missing = len(samples) - scored
    return f"Mean of {scored}" + (f"; {missing} not scored" if missing else "")


def _by_sample(samples: Sequence[Sample], words: Callable[[Verdict], str]) -> str:
    """Return what `words` makes of each sample's verdict, with its number and score where there are several."""
    if len(samples) == 1:
        return words(samples[0].verdict)
    parts = []
    for sample in samples:
        score = sample.verdict.score
        said = words(sample.verdict)
        if said:
            shown = "no score" if score is None else format_number(round(score, 2))
            parts.append(f"Sample {sample.number} ({shown}): {said}")
    return "\n\n".join(parts)


def _note(samples: Sequence[Sample], rubric: Rubric) -> str:
    lines = []
    for sample in samples:
        verdict = sample.verdict
        start = f"Sample {sample.number}: " if len(samples) > 1 else ""
        if verdict.score is None:
            lines.append(start + STATUS_WORDS[verdict.status])
        else:
            lines.append(f"{start}{format_number(round(verdict.score, 2))} on a scale of {rubric.scale.described()}")
        for name, value in verdict.dimensions.items():
            lines.append(f"{name.replace('_', ' ').capitalize()}: {format_number(value)}")
        lines += map(flag_words, verdict.flags)
        lines += [verdict.reason] if verdict.reason else []
    return "\n".join([*lines, f"Judge: {samples[0].model}"])


def _of(verdict: Verdict, criterion: Criterion) -> CriterionVerdict | None:
    known = (each for each in verdict.items if (each.level, each.number) == (criterion.level, criterion.number))
    return next(known, None)


def _with_evidence(verdict: Verdict) -> str:
    lines = [f"{_label(each)}: {_evidence(each)}" for each in _highest_first(verdict) if each.evidence.strip()]
    return "\n".join(filter(None, (*lines, verdict.analysis.strip())))


def _highest_first(verdict: Verdict) -> list[CriterionVerdict]:
    """Return what is said of each criterion, the level that decides in front."""
    return sorted(verdict.items, key=lambda each: -(each.level or 0))


def _label(verdict: CriterionVerdict) -> str:
    return criterion_label(verdict.level, verdict.number)


def _evidence(verdict: CriterionVerdict | None) -> str:
    return f"“{verdict.evidence.strip()}”" if verdict is not None and verdict.evidence.strip() else ""
