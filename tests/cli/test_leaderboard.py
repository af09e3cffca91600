from __future__ import annotations

import pytest

from grader.cli.leaderboard import print_leaderboard
from grader.outputs.summary import Summary, SystemSummary


def summary(*, reviewed: int) -> Summary:
    system = SystemSummary("apollo", planned=2, reviewed=reviewed)
    for item, judge, final in (("1", 100.0, 50.0), ("2", 100.0, 100.0)):
        system.score.add(item, judge)
        system.final.add(item, final)
    return Summary(systems={"apollo": system})


def test_final_means_stand_beside_the_judges_once_experts_have_entered_something(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_leaderboard(summary(reviewed=1), title="judge-1")
    printed = capsys.readouterr().out

    assert "judge mean" in printed
    assert "final mean" in printed
    assert printed.index("100.00") < printed.index("75.00")


def test_without_experts_there_is_one_mean(capsys: pytest.CaptureFixture[str]) -> None:
    print_leaderboard(summary(reviewed=0), title="judge-1")

    assert "final" not in capsys.readouterr().out
