from __future__ import annotations

import pytest

from grader.cli.agreement_table import print_agreement
from grader.rubric import Scale
from grader.statistics.agreement import agreement_report
from grader.statistics.ratings import JUDGE, Rating

LIKERT = Scale(min=1, max=5, step=1)


def ratings(scores: dict[str, list[int]], *, systems: tuple[str, ...] = ("a", "b")) -> list[Rating]:
    return [
        Rating(system=system, item_id=str(number), rater=rater, score=score, is_blind=True)
        for system in systems
        for rater, row in scores.items()
        for number, score in enumerate(row)
    ]


def test_the_table_shows_systems_and_experts(capsys: pytest.CaptureFixture[str]) -> None:
    scores = {JUDGE: [1, 2, 3, 4], "Ann [x]": [1, 2, 5, 4], "Bo": [1, 2, 5, 5]}
    print_agreement(agreement_report(ratings(scores), LIKERT))
    out = capsys.readouterr().out
    assert "agreement of judge and experts, blind scores" in out and "seen" not in out
    for words in ("all systems", "judge and Ann [x]", "Ann [x] and Bo", "75 %", "On 8 blind answers"):
        assert words in out


def test_one_system_has_one_row_and_its_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    print_agreement(agreement_report(ratings({JUDGE: [3, 3], "Ann": [3, 3]}, systems=("only",)), LIKERT))
    out = capsys.readouterr().out
    assert "all systems" not in out
    assert "only: kappa: not computable: one of the two gives all items the same" in out
    assert "only: alpha: not computable: all ratings are the same" in out


def test_nothing_entered_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    print_agreement(agreement_report(ratings({JUDGE: [3, 4]}), LIKERT))
    assert capsys.readouterr().out == ""
