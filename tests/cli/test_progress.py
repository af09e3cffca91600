from __future__ import annotations

import pytest

from grader.cli import progress as module
from grader.cli.progress import Progress, progress
from grader.records import Grade, Item, Reply, Status, StoredGrade, Verdict


def stored(score: float | None) -> StoredGrade:
    status = Status.OK if score is not None else Status.PARSE_ERROR
    item = Item(id="1", system="s", answer="a")
    return StoredGrade(
        position=0, grade=Grade(item=item, verdict=Verdict(status=status, score=score), rubric="t", model="m")
    )


def go_on(shown: Progress, scores: list[float | None]) -> None:
    for score in scores:
        shown.called(Reply(cost_usd=0.25))
        shown.graded(stored(score))


def test_what_has_no_score_is_counted_and_not_averaged() -> None:
    shown = Progress(4)
    assert "mean –" in shown.state
    go_on(shown, [100, 50, None])
    shown.called(Reply(error="x"))
    assert (shown.done, shown.unscored, shown.calls, shown.cost_usd) == (3, 1, 4, 0.75)
    assert shown.state.startswith("mean 75 · unscored 1 · $0.7500 · ")


def test_without_a_terminal_there_is_a_line_now_and_then_and_one_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with progress(3, is_quiet=False, is_bar=False) as shown:
        go_on(shown, [100, 100])
        assert capsys.readouterr().err == ""
        monkeypatch.setattr(module, "_SECONDS_BETWEEN_LINES", 0.0)
        go_on(shown, [None])
    captured = capsys.readouterr()
    assert captured.err.startswith("graded 3/3 · mean 100 · unscored 1 · ")
    assert captured.err.count("\n") == 1
    assert captured.out == ""


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(1, is_quiet=True, is_bar=True) as shown:
        go_on(shown, [100])
    assert capsys.readouterr() == ("", "")
    assert shown.done == 1


def test_the_bar_shows_how_far_it_is_on_standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "150")
    with progress(2, is_quiet=False, is_bar=True) as shown:
        go_on(shown, [100, None])
    captured = capsys.readouterr()
    assert "grading" in captured.err and "2/2" in captured.err and "mean 100" in captured.err
    assert captured.out == ""
