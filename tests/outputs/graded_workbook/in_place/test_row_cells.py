from __future__ import annotations

from collections.abc import Sequence

import pytest

from grader.inputs.rubric_file import read_rubric
from grader.outputs.graded_workbook.in_place.row_cells import Sample, criterion_cells, item_cells, show_levels
from grader.records import Criterion, CriterionVerdict, Status, Verdict

LIKERT = read_rubric("likert")[0]
CRITERION = Criterion(item_id="1", text="Names the dose")


def samples(*scores: float | None, items: Sequence[CriterionVerdict] = ()) -> list[Sample]:
    verdicts = [
        Verdict(
            status=Status.OK if score is not None else Status.REFUSED,
            score=score,
            analysis="Because." if score is not None else "",
            items=tuple(items),
        )
        for score in scores
    ]
    return [Sample(number, verdict, "judge-1", is_blind=False) for number, verdict in enumerate(verdicts, start=1)]


def test_one_sample_is_shown_as_it_is() -> None:
    cells = item_cells(samples(2), LIKERT)

    assert (cells.score, cells.share, cells.verdict, cells.analysis) == (2, 0.25, "Scored", "Because.")
    assert cells.note == "2 on a scale of 1 to 5\nJudge: judge-1"


def test_several_samples_give_their_mean_and_no_verdict_of_one() -> None:
    cells = item_cells(samples(2, 5, None), LIKERT)

    assert cells.score == 3.5
    assert cells.verdict == "Mean of 2; 1 not scored"
    assert cells.analysis == "Sample 1 (2): Because.\n\nSample 2 (5): Because."
    assert "Sample 3: Not scored: the judge refused" in cells.note


def test_no_score_is_no_number() -> None:
    assert item_cells(samples(None), LIKERT).score is None
    assert item_cells(samples(None), LIKERT).look == "unscored"
    assert item_cells(samples(None, None), LIKERT).verdict == "None of 2 samples scored"


def test_flags_dimensions_and_reasons_are_in_the_note() -> None:
    verdict = Verdict(
        status=Status.OK, score=4, flags=("capped",), dimensions={"context_precision": 4}, reason="Almost."
    )

    note = item_cells([Sample(1, verdict, "judge-1", is_blind=False)], LIKERT).note

    assert note.splitlines()[1:4] == ["Context precision: 4", "Limited because accuracy is low", "Almost."]


@pytest.mark.parametrize(
    ("met", "words", "look"),
    [([True], "met", "met"), ([False], "not met", "not_met"), ([True, False], "met in 1 of 2", "text")],
)
def test_a_criterion_on_its_own_row(met: list[bool], words: str, look: str) -> None:
    each = [samples(100, items=[CriterionVerdict(number=1, met=is_met, evidence="here")])[0] for is_met in met]

    cells = criterion_cells(CRITERION, each)

    assert (cells.score, cells.verdict, cells.look) == (None, words, look)
    assert "“here”" in cells.analysis


def test_a_criterion_of_which_nothing_was_said_is_blank() -> None:
    assert criterion_cells(CRITERION, samples(None)).verdict == ""


def test_levels_share_a_row_the_highest_in_front() -> None:
    said = [
        CriterionVerdict(number=1, level=25, met=True, evidence="low"),
        CriterionVerdict(number=1, level=100, met=False),
    ]
    each = samples(25, items=said)
    cells = item_cells(each, LIKERT)

    show_levels(cells, each)

    assert cells.verdict == "100 (1): not met\n25 (1): met"
    assert cells.analysis == "25 (1): “low”\nBecause."
